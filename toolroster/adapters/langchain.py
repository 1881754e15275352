"""Tools of the registry for LangChain and LangGraph: `create_agent(model, tools(registry))`."""

from typing import Any, Unpack

from langchain_core.tools import StructuredTool, ToolException

from toolroster.adapters.usable import AnyRegistry, Usable, What, text_of, usable, words_of
from toolroster.client.exchange import Filters
from toolroster.errors import ToolrosterError


def tools(registry: AnyRegistry, *what: What, **filters: Unpack[Filters]) -> list[StructuredTool]:
    """Return tools that are named by reference or given, or all that can be used; see `usable`.

    An error goes to the model as the result of its call. `metadata` holds the tool id, and whether a person
    has to agree before a call, for LangChain's middleware to ask.
    """
    return [_tool(one) for one in usable(registry, what, "anthropic", **filters)]


def _tool(one: Usable) -> StructuredTool:
    def use(**arguments: Any) -> str:
        try:
            return text_of(one.use(arguments))
        except ToolrosterError as error:
            raise ToolException(words_of(error)) from error

    async def use_async(**arguments: Any) -> str:
        try:
            return text_of(await one.use_async(arguments))
        except ToolrosterError as error:
            raise ToolException(words_of(error)) from error

    return StructuredTool(
        name=one.name,
        description=one.description,
        args_schema=one.schema,
        func=use,
        coroutine=use_async,
        handle_tool_error=True,
        metadata={"tool_id": one.tool.tool_id, "requires_approval": one.requires_approval},
    )
