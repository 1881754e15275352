"""A function as a tool: what is published of it, and how it is called with JSON."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from toolroster import arguments as call_arguments
from toolroster.definition import ToolDefinition
from toolroster.provider.signature import Signature


class AgentTool:
    """One version of a tool, and the function behind it.

    `definition` names no provider and no endpoint: whoever serves the function knows those.
    """

    def __init__(
        self, function: Callable[..., Any], *, definition: ToolDefinition, signature: Signature
    ) -> None:
        self.function = function
        self.definition = definition
        self._signature = signature
        self.is_async = inspect.iscoroutinefunction(function)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def version(self) -> str:
        return self.definition.version

    @property
    def scopes(self) -> list[str]:
        return self.definition.scopes

    def bound_to(self, instance: Any) -> "AgentTool":
        """Return the tool of a method, called on an instance."""
        bound = self.function.__get__(instance)
        return AgentTool(bound, definition=self.definition, signature=self._signature)

    def document(self, *, provider: str, url: str | None = None) -> dict[str, Any]:
        """Return the registration document (CONTRACTS.md)."""
        document = self.definition.document()
        del document["parameters"]  # the schema says the same
        endpoint = {"url": url} if url else None
        return {**document, "provider": provider, "endpoint": endpoint}

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """Check the arguments, call the function, and return its result as a JSON value.

        An async function runs on an event loop of its own.

        Raises:
            DocumentInvalid: the arguments are not what the schema says.
        """
        return self.jsonable(self.run(self.python(arguments)))

    async def call_async(self, arguments: Mapping[str, Any]) -> Any:
        """Do the same on the running event loop; a function that is not async runs in a thread."""
        return self.jsonable(await self.run_async(self.python(arguments)))

    def python(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments that were sent as the function takes them; see `call`."""
        call_arguments.check(arguments, self.definition.input_schema)
        return self._signature.python(arguments)

    def run(self, given: Mapping[str, Any]) -> Any:
        """Call the function."""
        result = self.function(**given)
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

    async def run_async(self, given: Mapping[str, Any]) -> Any:
        """Call the function on the running event loop."""
        if self.is_async:
            return await self.function(**given)
        result = await asyncio.to_thread(functools.partial(self.function, **given))
        return await result if inspect.isawaitable(result) else result

    def jsonable(self, result: Any) -> Any:
        """Return a result as a JSON value."""
        return self._signature.jsonable(result)

    def __repr__(self) -> str:
        return f"<AgentTool {self.name} {self.version}>"


async def _awaited(result: Any) -> Any:
    return await result
