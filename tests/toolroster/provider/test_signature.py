"""Signatures of every kind: their schemas are valid, take what fits and refuse what does not."""

import datetime
import inspect
import pathlib
import uuid
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from tests.toolroster.provider import kinds
from tests.toolroster.provider.kinds import KINDS
from toolroster import agent_tool
from toolroster.errors import DocumentInvalid
from toolroster.provider import AgentTool, Param, SignatureUnsupported
from toolroster.provider.declared import tool_of

_MISSING = object()
WRAPPERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "plain": (lambda kind: kind, lambda value: value),
    "list": (list.__class_getitem__, lambda value: [value]),
    "dict": (lambda kind: dict.__class_getitem__((str, kind)), lambda value: {"key": value}),
    "described": (lambda kind: Annotated[kind, Param("What it is.")], lambda value: value),
}
SIGNATURES = [(kind, wrapper) for kind in KINDS for wrapper in WRAPPERS]


def echo_of(annotation: Any, default: Any = _MISSING) -> AgentTool:
    """Return a tool that gives its one argument back."""

    def give_back(value):
        return value

    echo: Any = give_back
    parameter = inspect.Parameter("value", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)
    if default is not _MISSING:
        parameter = parameter.replace(default=default)
        echo.__defaults__ = (default,)
    echo.__annotations__ = {"value": annotation}
    echo.__signature__ = inspect.Signature([parameter])
    tool = tool_of(agent_tool(echo))
    assert tool is not None
    return tool


def test_there_are_at_least_a_hundred_and_fifty_signatures():
    assert len(SIGNATURES) >= 150


@pytest.mark.parametrize(("kind", "wrapper"), SIGNATURES)
def test_a_schema_is_valid_and_takes_what_the_type_takes(kind, wrapper):
    annotation, fitting, unfitting = KINDS[kind]
    wrap_type, wrap_value = WRAPPERS[wrapper]
    tool = echo_of(wrap_type(annotation))
    schema = tool.definition.input_schema

    Draft202012Validator.check_schema(schema)
    assert (schema["required"], schema["additionalProperties"]) == (["value"], False)
    for value in fitting:
        Draft202012Validator(schema).validate({"value": wrap_value(value)})
        tool.call({"value": wrap_value(value)})
    for value in unfitting:
        with pytest.raises(DocumentInvalid) as caught:
            tool.call({"value": wrap_value(value)})
        assert caught.value.errors[0].pointer.startswith("/value")


@pytest.mark.parametrize(
    ("kind", "type_of_value"),
    [
        ("enum", kinds.Color),
        ("dataclass", kinds.Point),
        ("model", kinds.Address),
        ("named tuple", kinds.Pair),
        ("set", set),
        ("date", datetime.date),
        ("duration", datetime.timedelta),
        ("uuid", uuid.UUID),
        ("path", pathlib.Path),
    ],
)
def test_a_function_gets_values_of_its_own_types_and_may_return_them(kind, type_of_value):
    annotation, fitting, _ = KINDS[kind]
    seen = []

    def echo(value):
        seen.append(value)
        return value

    echo.__annotations__ = {"value": annotation, "return": annotation}
    tool = tool_of(agent_tool(echo))

    answer = tool.call({"value": fitting[0]})

    assert isinstance(seen[0], type_of_value)
    output_schema: Any = tool.definition.output_schema
    Draft202012Validator(output_schema).validate(answer)


def test_a_default_is_published_and_may_be_left_out():
    tool = echo_of(int, 5)

    assert tool.definition.input_schema["properties"]["value"] == {"type": "integer", "default": 5}
    assert "required" not in tool.definition.input_schema
    assert tool.call({}) == 5


def test_a_default_of_pydantic_is_one_as_well():
    def echo(value: int = Field(5, ge=1, description="How many.")) -> int:
        return value

    tool = tool_of(agent_tool(echo))

    assert tool.definition.input_schema["properties"]["value"] == {
        "type": "integer",
        "minimum": 1,
        "default": 5,
        "description": "How many.",
    }
    assert tool.call({}) == 5


def test_every_name_can_be_a_parameter():
    def act(schema: str, copy: int, model_config: int, _hidden: str = "x", self_: int = 1) -> list[Any]:
        return [schema, copy, model_config, _hidden, self_]

    tool = tool_of(agent_tool(act))

    assert tool.call({"schema": "s", "copy": 2, "model_config": 3}) == ["s", 2, 3, "x", 1]


def test_without_parameters_a_call_is_an_empty_object():
    def now() -> str:
        return "now"

    tool = tool_of(agent_tool(now))

    assert tool.definition.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert tool.call({}) == "now"


class Opaque:
    """A class that no schema describes."""


def positional(value: int, /) -> None: ...
def many(*values: int) -> None: ...
def named(**values: int) -> None: ...
def untyped(value) -> None: ...
def opaque(value: Opaque) -> None: ...
def callback(value: Callable[[int], int]) -> None: ...
def wrapped(value: list[Opaque]) -> None: ...
def default_unlike(value: int = object()) -> None: ...  # type: ignore[assignment]
def result_unlike(value: int) -> Opaque:
    return Opaque()


@pytest.mark.parametrize(
    ("function", "named_in_error"),
    [
        (positional, "'value' is positional-only"),
        (many, "'values' takes any number"),
        (named, "'values' takes any names"),
        (untyped, "'value' has no type"),
        (opaque, "'value' is of type Opaque"),
        (callback, "'value' is of type Callable"),
        (wrapped, "'value' is of type list"),
        (default_unlike, "'value' has a default"),
        (result_unlike, "the result is of type Opaque"),
    ],
)
def test_what_cannot_be_expressed_is_named_where_it_is_declared(function, named_in_error):
    with pytest.raises(SignatureUnsupported, match=named_in_error) as caught:
        agent_tool(function)

    assert function.__qualname__ in str(caught.value)


def test_a_default_that_the_type_forbids_is_an_error():
    def act(value: str = None) -> None: ...  # type: ignore[assignment] # noqa: RUF013 - the mistake that is tested

    with pytest.raises(DocumentInvalid) as caught:
        agent_tool(act)

    assert "value" in caught.value.errors[0].pointer
