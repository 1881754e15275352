import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import (
    faults_of,
    hostile,
    make_schema,
    make_tool,
    make_tool_of,
    moderate,
    object_schemas,
    refusal,
)
from toolroster.definition import ToolDefinition
from toolroster.parameters import from_schema
from toolroster.unicode import nfc

# Python's `re` warns of set operations that it may learn one day; a generated pattern may look like one.
quiet = pytest.mark.filterwarnings("ignore::FutureWarning")


def _text(tool):
    return json.dumps(tool.document())


@quiet
@moderate
@given(st.lists(hostile, max_size=3), st.lists(st.sampled_from(["a", "b", ""]), min_size=3, max_size=3))
def test_faults_of_parameters_point_into_them(keywords, names):
    given_parameters = [
        ({"description": "x"} | node if isinstance(node, dict) else {"const": node}) | {"name": name}
        for node, name in zip(keywords, names, strict=False)
    ]

    found = faults_of(parameters=[*given_parameters, {"name": "c", "type": "text"}])

    assert all(where.startswith("/parameters") for where, _ in found)


def test_parameters_become_the_schema_of_one_object():
    tool = make_tool(
        parameters=[
            {"name": "to", "type": "string", "format": "email", "required": True},
            {"name": "site", "type": "string", "format": "url"},
            {"name": "count", "type": "integer", "default": 1, "enum": [1, 2], "minimum": 1},
        ]
    )

    assert tool.input_schema == make_schema(
        {
            "to": {"type": "string", "format": "email"},
            "site": {"type": "string", "format": "uri"},
            "count": {"type": "integer", "default": 1, "enum": [1, 2], "minimum": 1},
        },
        required=["to"],
    )


@moderate
@given(object_schemas())
def test_an_input_schema_is_kept_and_its_parameters_are_shown(schema):
    document = make_tool(input_schema=schema).document()

    assert document["input_schema"] == nfc(schema)
    assert document["parameters"] == from_schema(nfc(schema))[0]


@moderate
@given(object_schemas())
def test_shown_parameters_sent_back_alone_settle_at_once(schema):
    shown = [item for item in from_schema(schema)[0] if '"$ref": "#' not in json.dumps(item)]
    tool = make_tool(parameters=shown)

    again = make_tool(parameters=tool.document()["parameters"])

    assert again == tool
    assert _text(again) == _text(tool)


@pytest.mark.parametrize("schema", [{"type": "object"}, {"properties": {}, "type": "object"}])
def test_a_schema_without_parameters_has_empty_properties_behind_its_type(schema):
    assert list(make_tool(input_schema=schema).input_schema) == ["type", "properties"]


@pytest.mark.parametrize(
    "parameters",
    [
        [{"name": "b", "type": "integer", "required": True}, {"name": "a", "default": 1}],
        [{"name": "a", "default": 1, "required": False}, {"required": True, "type": "integer", "name": "b"}],
        [],
        None,
    ],
)
def test_parameters_may_repeat_the_input_schema(parameters):
    schema = make_schema({"a": {"default": 1}, "b": {"type": "integer"}}, required=["b"])

    assert make_tool(parameters=parameters, input_schema=schema) == make_tool(input_schema=schema)


def test_the_order_of_keywords_is_no_contradiction():
    schema = make_schema({"a": {"minLength": 1, "maxLength": 2}})
    parameters = [{"maxLength": 2, "minLength": 1, "name": "a"}]

    assert make_tool(parameters=parameters, input_schema=schema).input_schema == schema


@pytest.mark.parametrize(
    "parameters",
    [
        [{"name": "a", "default": 1, "required": True}],
        [{"name": "a", "default": 1}, {"name": "b"}],
        [{"name": "a", "default": 1, "required": True}, {"name": "b"}],
        [{"name": "a", "default": 1}, {"name": "b", "required": True}],
        [{"name": "a", "default": True, "required": True}, {"name": "b", "required": True}],
        [{"name": "a", "default": 1, "required": True}, {"name": "c", "required": True}],
        [{"name": "a", "default": 1, "required": True, "type": "integer"}, {"name": "b", "required": True}],
    ],
)
def test_parameters_may_not_contradict_the_input_schema(parameters):
    schema = make_schema({"a": {"default": 1}, "b": {}}, required=["b", "a"])

    assert faults_of(parameters=parameters, input_schema=schema) == [("/parameters", "contradiction")]


def test_a_parameter_listed_twice_is_refused_beside_an_input_schema_too():
    listed = [{"name": "a"}, {"name": "a"}]

    assert faults_of(parameters=listed, input_schema=make_schema({"a": {}})) == [
        ("/parameters/1/name", "duplicate")
    ]


@pytest.mark.parametrize(
    ("keywords", "kept"),
    [
        ({"type": ["string", "null"], "default": None}, {"type": ["string", "null"], "default": None}),
        ({"type": "null", "default": None}, {"type": "null", "default": None}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        ),
        ({"oneOf": [{"type": "null"}], "default": None}, {"oneOf": [{"type": "null"}], "default": None}),
        ({"type": "string", "default": None}, {"type": "string"}),
        ({"type": ["string"], "default": None}, {"type": ["string"]}),
        ({"anyOf": [{"type": "string"}], "default": None}, {"anyOf": [{"type": "string"}]}),
        ({"default": None}, {}),
        ({"const": None}, {"const": None}),
        ({"enum": [None]}, {"enum": [None]}),
        ({"enum": None}, {}),
        ({"type": "object", "properties": {"x": {"default": None}}},) * 2,
    ],
)
def test_a_null_is_kept_in_a_parameter_where_it_is_a_value(keywords, kept):
    assert make_tool(parameters=[{"name": "a"} | keywords]).input_schema["properties"]["a"] == kept


@pytest.mark.parametrize(
    "keywords", [{"default": None}, {"const": None}, {"x-note": None}, {"format": "url"}]
)
def test_a_served_schema_with_what_parameters_read_otherwise_can_be_sent_back(keywords):
    tool = make_tool_of({"a": keywords})

    assert ToolDefinition.parse(tool.document()) == tool
    assert tool.input_schema["properties"]["a"] == keywords


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([{"name": "a"}, {"name": "b", "minLength": "x"}], ("/parameters/1/minLength", "schema_invalid")),
        ([{"name": "a", "type": "text"}], ("/parameters/0/type", "schema_invalid")),
        ([{"name": "a/b~c", "pattern": "("}], ("/parameters/0/pattern", "pattern_invalid")),
        ([{"name": "a"}, {"name": "a/b", "enum": []}], ("/parameters/1/enum", "contradiction")),
        ([{"name": "a", "type": "string", "default": 5}], ("/parameters/0/default", "contradiction")),
        ([{"name": "a", "$ref": "http://x/y"}], ("/parameters/0/$ref", "remote_reference")),
        ([{"name": "a", "$ref": "#/$defs/x"}], ("/parameters/0/$ref", "reference_unresolvable")),
        (
            [{"name": "a", "required_properties": "x"}],
            ("/parameters/0/required_properties", "schema_invalid"),
        ),
        (
            [{"name": "a", "properties": {"b": {"required": "x"}}}],
            ("/parameters/0/properties/b/required", "schema_invalid"),
        ),
        ([{"name": "a", "description": "x" * 20_000}] * 4, ("/parameters/1/name", "duplicate")),
        ([{"name": str(n), "description": "x" * 20_000} for n in range(4)], ("/parameters", "too_large")),
        ([{"name": str(n)} for n in range(5001)], ("/parameters", "too_long")),
    ],
    ids=lambda value: str(value)[:60],
)
def test_faults_of_schemas_made_from_parameters_point_at_the_parameter(parameters, expected):
    assert expected in faults_of(parameters=parameters)


@pytest.mark.parametrize(
    ("properties", "where"),
    [
        ({"": {}}, "/input_schema/properties/"),
        ({"x" * 201: {}}, "/input_schema/properties/" + "x" * 201),
        ({"a/b": {"description": "x" * 20_001}}, "/input_schema/properties/a~1b/description"),
    ],
    ids=["empty name", "long name", "long description"],
)
def test_a_property_that_can_be_no_parameter_is_pointed_at(properties, where):
    assert [fault[0] for fault in faults_of(input_schema=make_schema(properties))] == [where]


def test_faults_of_both_schemas_are_named_together():
    error = refusal(input_schema={"type": "string"}, output_schema={"type": 1})

    assert [fault.pointer for fault in error.errors] == ["/input_schema/type", "/output_schema/type"]


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "array", "items": {}}])
def test_an_output_schema_may_have_any_type(schema):
    assert make_tool(output_schema=schema).output_schema == schema
