"""Tools of the registry for LlamaIndex: `FunctionAgent(tools=tools(registry), llm=llm)`."""

from dataclasses import dataclass, field
from typing import Any, Unpack

from llama_index.core.tools import AsyncBaseTool, ToolMetadata, ToolOutput

from toolroster.adapters.usable import AnyRegistry, Schema, Usable, What, text_of, usable, words_of
from toolroster.client.exchange import Filters
from toolroster.errors import ToolrosterError


def tools(registry: AnyRegistry, *what: What, **filters: Unpack[Filters]) -> list["RegisteredTool"]:
    """Return tools that are named by reference or given, or all that can be used; see `usable`."""
    return [RegisteredTool(one) for one in usable(registry, what, "anthropic", **filters)]


@dataclass
class _Metadata(ToolMetadata):
    """LlamaIndex makes schemas from classes; ours is there already."""

    schema: Schema = field(default_factory=dict)

    def get_parameters_dict(self) -> Schema:
        return self.schema


class RegisteredTool(AsyncBaseTool):
    """One tool of the registry; an error is the output of its call, for the model to mend it."""

    def __init__(self, one: Usable) -> None:
        self._one = one

    @property
    def metadata(self) -> ToolMetadata:
        return _Metadata(self._one.description, name=self._one.name, fn_schema=None, schema=self._one.schema)

    @property
    def requires_approval(self) -> bool:
        """Tell whether a person has to agree before each call; LlamaIndex does not ask by itself."""
        return self._one.requires_approval

    def call(self, *args: Any, **arguments: Any) -> ToolOutput:
        """Call it with named arguments; LlamaIndex passes a single one without its name."""
        given = self._named(args, arguments)
        try:
            return self._output(given, self._one.use(given))
        except ToolrosterError as error:
            return self._failed(given, error)

    async def acall(self, *args: Any, **arguments: Any) -> ToolOutput:
        """Do the same as `call` on the running event loop."""
        given = self._named(args, arguments)
        try:
            return self._output(given, await self._one.use_async(given))
        except ToolrosterError as error:
            return self._failed(given, error)

    def _named(self, args: tuple[Any, ...], arguments: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(self._one.schema.get("properties", {}), args, strict=False)) | arguments

    def _output(self, given: dict[str, Any], result: Any) -> ToolOutput:
        return ToolOutput(self._one.name, content=text_of(result), raw_input=given, raw_output=result)

    def _failed(self, given: dict[str, Any], error: ToolrosterError) -> ToolOutput:
        return ToolOutput(
            self._one.name,
            content=words_of(error),
            raw_input=given,
            raw_output=error.problem(),
            is_error=True,
            exception=error,
        )
