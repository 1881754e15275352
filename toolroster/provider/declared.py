"""`@agent_tool`: declare a function as a tool (seeds/004 @AgentTool)."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from toolroster.definition import Alternative, ToolDefinition
from toolroster.errors import DocumentInvalid
from toolroster.provider import docstrings, signature
from toolroster.provider.signature import SignatureUnsupported
from toolroster.provider.tool import AgentTool

F = TypeVar("F", bound=Callable[..., Any])
_DECLARED = "__agent_tool__"
_SELF_NAMES = ("self", "cls")


class Settings(TypedDict, total=False):
    """What can be said of a tool beside its name and description; defaults are those of seeds/004.

    `rate_limit` is in calls a minute. `alternatives` are declared fallbacks.
    """

    version: str
    display_name: str
    returns: str
    examples: Sequence[str]
    categories: Sequence[str]
    tags: Sequence[str]
    cost_level: Literal["LOW", "MEDIUM", "HIGH"]
    idempotent: bool
    read_only: bool
    destructive: bool
    open_world: bool
    avg_latency_ms: int
    rate_limit: int
    timeout_ms: int
    max_concurrent_calls: int
    scopes: Sequence[str]
    allowed_roles: Sequence[str]
    requires_approval: bool
    alternatives: Sequence[Alternative]
    liveness: Literal["heartbeat", "probe", "none"]


_CAPABILITIES = (
    "categories",
    "tags",
    "cost_level",
    "idempotent",
    "read_only",
    "destructive",
    "open_world",
    "avg_latency_ms",
)
_POLICY = ("timeout_ms", "max_concurrent_calls", "allowed_roles", "requires_approval")


@overload
def agent_tool(name: F) -> F: ...
@overload
def agent_tool(
    name: str | None = None, description: str | None = None, **settings: Unpack[Settings]
) -> Callable[[F], F]: ...
def agent_tool(name: Any = None, description: str | None = None, **settings: Unpack[Settings]) -> Any:
    """Declare a function, an async function or a method as a tool; it stays what it is.

        @agent_tool(categories=["math"], read_only=True)
        def add(a: float, b: float) -> float:
            '''Add two numbers.'''
            return a + b

    Name and description are the function's own if they are not given. Parameters and output come from the
    signature; descriptions of parameters from `Annotated[..., Param("…")]` or the docstring.

    Raises:
        SignatureUnsupported: a parameter cannot be expressed as JSON Schema; it is named.
        DocumentInvalid: a name, version or setting is not allowed.
    """
    if callable(name):
        return _declare(name, _Declaration(None, None, {}))
    declaration = _Declaration(name, description, dict(settings))
    return lambda function: _declare(function, declaration)


def _declare(function: Any, declaration: "_Declaration") -> Any:
    plain = getattr(function, "__func__", function)  # a static or class method
    if not hasattr(plain, "__qualname__"):
        raise SignatureUnsupported(f"{plain!r} is no function; declare one that calls it.")
    setattr(plain, _DECLARED, declaration)
    declaration.function = plain
    declaration.read_if_possible()
    return function


class _Declaration:
    """What was declared of a function; its tool is made at once, or later where a type is not defined yet."""

    function: Callable[..., Any]

    def __init__(self, name: str | None, description: str | None, settings: dict[str, Any]) -> None:
        self._name = name
        self._description = description
        self._settings = settings
        self._tool: AgentTool | None = None

    def read_if_possible(self) -> None:
        try:
            self._tool = self._made()
        except NameError:  # a forward reference: `tool` tries again once the module is complete
            self._tool = None

    @property
    def tool(self) -> AgentTool:
        if self._tool is None:
            try:
                self._tool = self._made()
            except NameError as error:
                where = f"{self.function.__module__}.{self.function.__qualname__}"
                raise SignatureUnsupported(f"{where}: {error}.") from error
        return self._tool

    def _made(self) -> AgentTool:
        said = docstrings.read(self.function)
        found = signature.read(
            self.function, is_method=_is_method(self.function), descriptions=said.parameters
        )
        given = {
            k: list(v) if isinstance(v, (list, tuple, set, frozenset)) else v
            for k, v in self._settings.items()
        }
        document: dict[str, Any] = {
            "name": self._name or self.function.__name__,
            "description": said.description if self._description is None else self._description,
            "returns": said.returns,
            "input_schema": found.input_schema,
            "output_schema": found.output_schema,
            "capabilities": {k: given.pop(k) for k in _CAPABILITIES if k in given},
            "policy": {k: given.pop(k) for k in _POLICY if k in given},
        }
        if "rate_limit" in given:
            document["policy"]["rate_limit_per_minute"] = given.pop("rate_limit")
        definition = _checked(document | given, self.function)
        return AgentTool(self.function, definition=definition, signature=found)


def _checked(document: dict[str, Any], function: Callable[..., Any]) -> ToolDefinition:
    try:
        return ToolDefinition.parse(document)
    except DocumentInvalid as error:
        error.add_note(f"in the declaration of {function.__module__}.{function.__qualname__}")
        raise


def _is_method(function: Callable[..., Any]) -> bool:
    outer = function.__qualname__.rpartition(".")[0]
    first = next(iter(inspect.signature(function).parameters), "")
    return bool(outer) and not outer.endswith("<locals>") and first in _SELF_NAMES


def tool_of(thing: Any) -> AgentTool | None:
    """Return the tool that a function or method was declared as, None if it was not.

    A method that is bound gives a tool that is called on its instance.

    Raises:
        SignatureUnsupported: an annotation names what is not defined.
    """
    function = getattr(thing, "__func__", thing)
    declaration = getattr(function, _DECLARED, None)
    if not isinstance(declaration, _Declaration):
        return None
    if declaration.function is not function:
        # functools.wraps copies the mark: what is around the tool, a guard perhaps, would be passed by.
        where = f"{declaration.function.__module__}.{declaration.function.__qualname__}"
        raise SignatureUnsupported(f"{where}: @agent_tool goes above all other decorators.")
    instance = getattr(thing, "__self__", None)
    return declaration.tool if instance is None else declaration.tool.bound_to(instance)
