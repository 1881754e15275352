"""What is exported, judged by the vendors' own functions and models."""

import copy
from typing import Literal

import pytest
from anthropic import transform_schema
from anthropic.types import ToolParam
from google.genai.types import FunctionDeclaration
from google.genai.types import Tool as GeminiTool
from hypothesis import given
from mcp.types import ListToolsResult, Tool
from openai import pydantic_function_tool
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import BaseModel, Field, TypeAdapter

from tests.toolroster.documents import Json, make_schema, moderate, object_schemas
from tests.toolroster.prompts.registrations import (
    make_registration,
    make_registration_of,
    probe_registrations,
)
from tests.toolroster.prompts.strict.shapes import convertible
from toolroster.errors import DocumentInvalid
from toolroster.prompts import Described, Note, describe
from toolroster.prompts.strict import strict_schema

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
PROBE = probe_registrations()
ALTERNATIVES = make_schema(
    {"a": TEXT, "b": TEXT}, anyOf=[{"required": ["a"]}, {"properties": {"c": TEXT}, "required": ["c"]}]
)


def openai_strict(schema):
    """Return what OpenAI's SDK makes of a schema."""
    changed = copy.deepcopy(schema)
    return _ensure_strict_json_schema(changed, path=(), root=changed)


def entries(described: Described) -> list[dict[str, Json]]:
    assert isinstance(described.content, list)
    return described.content


def only(tool, **asked):
    """Return the one entry that a tool becomes, and the reasons of its notes."""
    described = describe([tool], **asked)
    [entry] = entries(described)
    return entry, [note.reason for note in described.notes]


def described_schema(schema, kind):
    """Return the schema as it is exported for a vendor."""
    entry, _ = only(make_registration(input_schema=schema), format=kind)
    key = {"anthropic": "input_schema", "gemini": "parameters_json_schema", "mcp": "inputSchema"}.get(kind)
    return entry[key] if key else entry["function"]["parameters"]


# OpenAI


@pytest.mark.parametrize("tool", PROBE, ids=lambda tool: tool["name"])
def test_openai_has_nothing_to_change_in_a_real_tool_that_is_strict(tool):
    function = only(tool, format="openai")[0]["function"]

    if function["strict"]:
        assert openai_strict(function["parameters"]) == function["parameters"]
    else:
        assert any(p["type"] in {"array", "object"} for p in tool["parameters"])


@moderate
@given(convertible())
def test_openai_has_nothing_to_change_in_what_is_converted(drawn):
    strict = strict_schema(drawn[0])

    assert openai_strict(strict) == strict


@moderate
@given(object_schemas())
def test_openai_has_nothing_to_change_in_any_schema_that_is_strict(schema):
    try:
        strict = strict_schema(schema)
    except DocumentInvalid:
        return
    assert openai_strict(strict) == strict


@pytest.mark.parametrize(
    "schema",
    [
        make_schema(),
        make_schema({"a": TEXT, "b": make_schema({"c": INTEGER})}),
        make_schema({"a": {"type": "array", "items": make_schema({"c": INTEGER}), "minItems": 1}}),
        make_schema({"a": {"anyOf": [make_schema({"c": INTEGER}), {"type": "null"}]}}),
        make_schema({"a": {"allOf": [{"type": "string", "pattern": "x"}], "description": "D."}}),
        make_schema({"a": {"type": ["string", "null"], "default": None}}),
        make_schema({"a": {"$ref": "#/$defs/d"}}, **{"$defs": {"d": make_schema({"c": TEXT})}}),
        make_schema(
            {"a": {"$ref": "#/$defs/d"}}, **{"$defs": {"d": make_schema({"e": {"$ref": "#/$defs/d"}})}}
        ),
    ],
)
def test_openai_converts_alike_what_requires_everything(schema):
    required = copy.deepcopy(schema)
    for node in [required, *required.get("$defs", {}).values()]:
        node["required"] = list(node["properties"])
        for name, sub in node["properties"].items():
            if "$ref" not in sub:
                node["properties"][name] = _requiring(sub)

    assert strict_schema(required) == openai_strict(required)


def _requiring(node):
    if isinstance(node, list):
        return [_requiring(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {keyword: _requiring(value) for keyword, value in node.items()}
    return node | {"required": list(node["properties"])} if "properties" in node else node


def test_openai_copies_a_reference_with_words_alike():
    schema = make_schema(
        {"a": {"$ref": "#/$defs/d", "description": "Mine."}}, required=["a"], **{"$defs": {"d": TEXT}}
    )

    theirs = openai_strict(schema)

    assert strict_schema(schema) == {
        k: v for k, v in theirs.items() if k != "$defs"
    }  # nothing refers to them


class Address(BaseModel):
    street: str = Field(description="With the number.")
    zip_code: str | None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    friends: list["Dog"]


class Order(BaseModel):
    """Orders things."""

    address: Address = Field(description="Where to.")
    pet: Cat | Dog
    sizes: list[Literal["S", "M"]]


def test_openai_makes_the_same_of_a_model_of_pydantic():
    theirs: Json = pydantic_function_tool(Order)["function"]

    entry, notes = only(make_registration(input_schema=Order.model_json_schema()), format="openai")

    assert notes == []
    assert entry["function"]["strict"] is theirs["strict"] is True
    used = {"Cat", "Dog"}  # the address is copied, as it has words beside its reference
    definitions = {name: node for name, node in theirs["parameters"]["$defs"].items() if name in used}
    assert entry["function"]["parameters"] == theirs["parameters"] | {"$defs": definitions}


@pytest.mark.parametrize(
    ("kind", "entry_type"),
    [
        ("openai", ChatCompletionFunctionToolParam),
        ("openai_responses", FunctionToolParam),
        ("anthropic", ToolParam),
    ],
)
def test_entries_have_the_fields_of_the_vendors_type_and_no_others(kind, entry_type: Json):
    content = describe([*PROBE, make_registration(input_schema=ALTERNATIVES)], format=kind).content

    read = [TypeAdapter(entry_type).validate_python(entry) for entry in content]

    assert read == content


def test_a_schema_that_cannot_be_strict_is_given_as_it_is_with_the_reason():
    schema = make_schema({"p": {"type": "string", "minLength": 1}}, required=["p"])

    described = describe([make_registration(input_schema=schema)], format="openai")

    function = entries(described)[0]["function"]
    assert function["strict"] is False
    assert function["parameters"] == schema
    assert described.notes == [
        Note(
            "mail:send_email:1.0.0",
            "It is not strict: Strict mode has no minLength like this.",
            "/properties/p/minLength",
        )
    ]


def test_a_pattern_that_openai_takes_nowhere_is_told_in_words():
    schema = make_schema({"p": {"type": "string", "pattern": "^(?!a)", "description": "Not a."}})

    exported = described_schema(schema, "openai")

    assert exported["properties"]["p"] == {"type": "string", "description": 'Not a. (pattern: "^(?!a)")'}


def test_a_description_that_some_models_refuse_is_kept_with_a_note():
    entry, notes = only(make_registration(description="x" * 1025), format="openai")

    assert len(entry["function"]["description"]) == 1025
    assert notes == ["Some models refuse a description of over 1024 characters."]


# All vendors


@pytest.mark.parametrize("kind", ["openai", "openai_responses", "anthropic"])
def test_a_root_with_composition_is_told_in_words(kind):
    entry, notes = only(make_registration(description="Sends.", input_schema=ALTERNATIVES), format=kind)

    function = entry.get("function", entry)
    schema = function.get("parameters", function.get("input_schema"))
    assert list(schema["properties"]) == ["a", "b", "c"]
    assert "anyOf" not in schema
    assert function["description"].startswith("Sends.\n\nThe arguments must also be valid against this JSON")
    assert notes[-1] == "A part of its schema is told in its description: the root has composition."


@pytest.mark.parametrize("kind", ["openai", "gemini", "mcp"])
@pytest.mark.parametrize("types", ["array", ["array", "null"]])
def test_an_array_names_its_items(kind, types):
    schema = make_schema({"p": {"type": types}})

    assert described_schema(schema, kind)["properties"]["p"] == {"type": types, "items": {}}


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini", "mcp"])
def test_words_are_clean_and_lines_are_kept(kind):
    tool = make_registration_of(
        {"p": {"type": "string", "description": "x\u202ey"}}, description="One.\r\nTwo\u200b."
    )
    tool["description"] = "One.\r\nTwo\u200b."

    text = str(describe([tool], format=kind).content)

    assert "One.\\nTwo." in text
    assert "'xy'" in text


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini", "mcp"])
def test_a_tool_without_words_has_no_description(kind):
    entry, _ = only(make_registration(), format=kind)

    assert "description" not in entry.get("function", entry)


# Anthropic


@pytest.mark.parametrize("tool", PROBE, ids=lambda tool: tool["name"])
def test_anthropic_can_make_a_real_tool_strict(tool):
    schema = only(tool, format="anthropic")[0]["input_schema"]

    transformed = transform_schema(copy.deepcopy(schema))

    assert list(transformed["properties"]) == list(schema["properties"])
    assert transformed.get("required", []) == schema.get("required", [])


def test_anthropic_can_make_a_plain_root_strict():
    schema = described_schema(ALTERNATIVES, "anthropic")

    assert transform_schema(copy.deepcopy(schema))["properties"].keys() == {"a", "b", "c"}


# Gemini


def test_gemini_reads_every_declaration():
    content = describe([*PROBE, make_registration(input_schema=ALTERNATIVES)], format="gemini").content

    read = GeminiTool(function_declarations=[FunctionDeclaration.model_validate(one) for one in content])

    assert [one.model_dump(exclude_none=True) for one in read.function_declarations or []] == content


def test_gemini_gets_no_word_of_the_dialect():
    schema = make_schema() | ({"$schema": "https://json-schema.org/draft/2020-12/schema"})

    assert "$schema" not in described_schema(schema, "gemini")


# MCP


def test_mcp_reads_every_tool():
    content = describe([*PROBE, make_registration(input_schema=ALTERNATIVES)], format="mcp").content

    read = ListToolsResult(
        tools=[Tool.model_validate(one) for one in content], ttl_ms=0, cache_scope="public"
    )

    assert [one.model_dump(by_alias=True, exclude_none=True) for one in read.tools] == content


def test_mcp_is_told_all_that_is_known():
    tool = make_registration(
        display_name="Send an\u200b e-mail",
        description="Sends.",
        output_schema=make_schema({"id": {"type": "string", "description": "x\u202e"}}),
        capabilities={"read_only": False, "idempotent": True, "destructive": False, "open_world": True},
    )

    assert only(tool, format="mcp")[0] == {
        "name": "send_email",
        "title": "Send an e-mail",
        "description": "Sends.",
        "inputSchema": make_schema(),
        "outputSchema": make_schema({"id": {"type": "string", "description": "x"}}),
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
    }


def test_mcp_gets_no_hint_of_what_is_not_known():
    assert only(make_registration(), format="mcp")[0]["annotations"] == {
        "readOnlyHint": False,
        "idempotentHint": False,
    }


def test_an_output_that_is_no_object_is_left_out_for_old_clients():
    entry, notes = only(make_registration(output_schema={"type": "array", "items": TEXT}), format="mcp")

    assert "outputSchema" not in entry
    assert notes == ["Its output schema is left out: before 2026-07-28 MCP takes the type object alone."]
