"""Tools of the registry for the OpenAI Agents SDK: `Agent(name, tools=tools(registry))`."""

from typing import Any, Unpack

from agents import FunctionTool
from agents.tool_context import ToolContext

from toolroster import strict_json
from toolroster.adapters.usable import AnyRegistry, Usable, What, text_of, usable, words_of
from toolroster.client.exchange import Filters
from toolroster.errors import DocumentInvalid, ToolrosterError


def tools(registry: AnyRegistry, *what: What, **filters: Unpack[Filters]) -> list[FunctionTool]:
    """Return tools that are named by reference or given, or all that can be used; see `usable`.

    Schemas are strict where they can be. A tool that requires approval interrupts the run for a person.
    """
    return [_tool(one) for one in usable(registry, what, "openai", **filters)]


def _tool(one: Usable) -> FunctionTool:
    async def invoke(_context: ToolContext[Any], text: str) -> str:
        try:
            return text_of(await one.use_async(_arguments(text)))
        except ToolrosterError as error:
            return words_of(error)

    return FunctionTool(
        name=one.name,
        description=one.description,
        params_json_schema=one.schema,
        on_invoke_tool=invoke,
        strict_json_schema=one.is_strict,
        needs_approval=one.requires_approval,
    )


def _arguments(text: str) -> dict[str, Any]:
    """Read what a model sent.

    Raises:
        Malformed: it is no JSON.
        DocumentInvalid: it is no object.
    """
    found = strict_json.loads(text.encode()) if text.strip() else {}
    if not isinstance(found, dict):
        raise DocumentInvalid("Arguments are a JSON object.")
    return found
