import json
from dataclasses import replace

import pytest
from hypothesis import given

from tests.toolroster.documents import documents, make_schema, make_tool, make_tool_of, moderate
from toolroster.contract import contract_hash
from toolroster.definition import ToolDefinition
from toolroster.words import PresentationWords

NESTED = make_schema(
    {
        "description": {"description": "A property of that name.", "type": "string"},
        "who": make_schema(
            {"a/b": {"items": {"type": "string", "description": "Each."}, "description": "All."}}
        ),
        "either": {"anyOf": [{"description": "First."}, True], "const": {"description": "a value"}},
    },
    description="The root.",
    **{"$defs": {"description": {"description": "A definition."}}},
)
DESCRIPTIONS = {
    "": "The root.",
    "/properties/description": "A property of that name.",
    "/properties/who/properties/a~1b": "All.",
    "/properties/who/properties/a~1b/items": "Each.",
    "/properties/either/anyOf/0": "First.",
    "/$defs/description": "A definition.",
}


def test_descriptions_are_found_where_they_stand_and_no_values_among_them():
    assert PresentationWords.of(make_tool(input_schema=NESTED)).parameter_descriptions == DESCRIPTIONS


@moderate
@given(documents)
def test_a_tools_own_words_put_into_it_change_nothing(document):
    tool = ToolDefinition.parse(document)

    again = PresentationWords.of(tool).put_into(tool)

    assert again == tool
    assert json.dumps(again.document()) == json.dumps(tool.document())


@pytest.mark.parametrize("pointer", DESCRIPTIONS)
def test_a_new_description_lands_where_the_old_one_stood(pointer):
    tool = make_tool(input_schema=NESTED)
    words = replace(PresentationWords.of(tool), parameter_descriptions=DESCRIPTIONS | {pointer: "New."})

    changed = words.put_into(tool)

    assert PresentationWords.of(changed) == words
    assert json.dumps(changed.document()["input_schema"]) == json.dumps(tool.input_schema).replace(
        json.dumps(DESCRIPTIONS[pointer]), '"New."'
    )


def test_descriptions_that_the_words_do_not_have_are_taken_out():
    tool = make_tool(input_schema=NESTED)

    changed = replace(PresentationWords.of(tool), parameter_descriptions={}).put_into(tool)

    assert PresentationWords.of(changed).parameter_descriptions == {}
    assert list(changed.input_schema["properties"]) == ["description", "who", "either"]
    assert changed.input_schema["properties"]["either"]["const"] == {"description": "a value"}


def test_descriptions_are_added_where_there_was_none():
    tool = make_tool_of({"a": {"minLength": 1, "type": "string"}, "b": {"items": {}}, "c": True})
    said = {"": "R", "/properties/a": "A", "/properties/b/items": "B"}

    changed = replace(PresentationWords.of(tool), parameter_descriptions=said).put_into(tool)

    assert PresentationWords.of(changed).parameter_descriptions == said
    assert list(changed.input_schema["properties"]["a"]) == ["type", "description", "minLength"]


@pytest.mark.parametrize("pointer", ["/properties/gone", "/properties", "x", "/properties/a/const"])
def test_words_for_a_place_that_is_no_schema_are_left_out(pointer):
    tool = make_tool_of({"a": {"const": {}}})
    words = replace(PresentationWords.of(tool), parameter_descriptions={pointer: "Lost."})

    assert words.put_into(tool) == tool


@moderate
@given(documents, documents)
def test_another_tools_words_change_no_contract(document, other):
    tool = ToolDefinition.parse(document)

    changed = PresentationWords.of(ToolDefinition.parse(other)).put_into(tool)

    assert contract_hash(changed) == contract_hash(tool)


def test_the_words_beside_the_schema_are_replaced():
    tool = make_tool(
        description="old", capabilities={"tags": ["old"], "categories": ["kept"], "cost_level": "HIGH"}
    )
    words = PresentationWords("Name", "new", "An id.", ("send it",), ("new",), {})

    changed = words.put_into(tool)

    assert PresentationWords.of(changed) == words
    assert changed.capabilities.categories == ["kept"]
    assert changed.tool_id == tool.tool_id


def test_the_tool_itself_stays_as_it_was():
    tool = make_tool(input_schema=NESTED)

    replace(PresentationWords.of(tool), parameter_descriptions={}).put_into(tool)

    assert tool.input_schema == NESTED


def test_words_are_a_json_object():
    words = PresentationWords("a", "b", "c", ("d",), ("e",), {"": "f"})

    assert words.as_json() == {
        "display_name": "a",
        "description": "b",
        "returns": "c",
        "examples": ["d"],
        "tags": ["e"],
        "parameter_descriptions": {"": "f"},
    }
