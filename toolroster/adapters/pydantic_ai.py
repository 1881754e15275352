"""Tools of the registry for Pydantic AI: `Agent(model, tools=tools(registry))`."""

from typing import Any, Unpack

from pydantic_ai import ModelRetry, Tool
from pydantic_ai.exceptions import ToolFailed

from toolroster.adapters.usable import AnyRegistry, Usable, What, usable, words_of
from toolroster.client.exchange import Filters
from toolroster.errors import DocumentInvalid, ToolrosterError


def tools(registry: AnyRegistry, *what: What, **filters: Unpack[Filters]) -> list[Tool[Any]]:
    """Return tools that are named by reference or given, or all that can be used; see `usable`.

    Wrong arguments are the model's to mend (ModelRetry); any other error is the result of its call
    (ToolFailed). A tool that requires approval is deferred for a person.
    """
    return [_tool(one) for one in usable(registry, what, "openai", **filters)]


def _tool(one: Usable) -> Tool[Any]:
    async def use(**arguments: Any) -> Any:
        try:
            return await one.use_async(arguments)
        except DocumentInvalid as error:
            raise ModelRetry(words_of(error)) from error
        except ToolrosterError as error:
            raise ToolFailed(words_of(error)) from error

    made: Tool[Any] = Tool.from_schema(use, one.name, one.description, one.schema)
    made.strict = one.is_strict
    made.requires_approval = one.requires_approval
    return made
