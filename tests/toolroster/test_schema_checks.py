from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from tests.toolroster.documents import hostile, make_schema, moderate, object_schemas, places, values
from toolroster.schema_checks import (
    DIALECT,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_PROPERTIES,
    MAX_SUBSCHEMAS,
    input_faults,
    schema_faults,
)

# Python's `re` warns of set operations that it may learn one day; a generated pattern may look like one.
quiet = pytest.mark.filterwarnings("ignore::FutureWarning")


def _nested(levels):
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@quiet
@moderate
@given(hostile)
def test_any_json_is_judged_without_a_crash(value):
    assert isinstance(schema_faults(value), list)
    assert isinstance(input_faults(value), list)


@quiet
@moderate
@given(hostile, values)
def test_what_is_accepted_can_be_validated_against(schema, value):
    if isinstance(schema, dict) and not schema_faults(schema):
        assert Draft202012Validator(schema).is_valid(value) in {True, False}


@moderate
@given(object_schemas())
def test_a_good_schema_has_no_faults(schema):
    assert input_faults(schema) == []


@pytest.mark.parametrize("schema", [None, True, [], "object", 1])
def test_a_schema_is_an_object(schema):
    assert places(schema_faults(schema)) == [("", "not_an_object")]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"type": ["object"]},
        {"type": None},
        {"properties": {}},
        {"anyOf": [{"type": "object"}]},
        [],
        True,
        None,
    ],
)
def test_the_root_of_an_input_schema_has_type_object(schema):
    assert places(input_faults(schema)) == [("/type", "not_an_object")]


@pytest.mark.parametrize("properties", [None, [], "x", 1])
def test_properties_that_are_no_object_are_refused(properties):
    schema = {"type": "object", "properties": properties}

    assert places(input_faults(schema)) == [("/properties", "not_an_object")]


@pytest.mark.parametrize(
    ("keywords", "where"),
    [
        ({"required": "x"}, "/required"),
        ({"required": None}, "/required"),
        ({"required": [1]}, "/required/0"),
        ({"required": ["a", "a"]}, "/required"),
        ({"items": [{}]}, "/items"),
        ({"items": None}, "/items"),
        ({"allOf": []}, "/allOf"),
        ({"anyOf": {}}, "/anyOf"),
        ({"$defs": []}, "/$defs"),
        ({"$defs": {"a": 1}}, "/$defs/a"),
        ({"patternProperties": []}, "/patternProperties"),
        ({"properties": {"a/b": {"type": "text"}}}, "/properties/a~1b/type"),
        ({"properties": {"a": {"type": []}}}, "/properties/a/type"),
        ({"properties": {"a": {"enum": "x"}}}, "/properties/a/enum"),
        ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
        ({"properties": {"a": {"minLength": "1"}}}, "/properties/a/minLength"),
        ({"properties": {"a": {"minimum": True}}}, "/properties/a/minimum"),
        ({"properties": {"a": {"multipleOf": 0}}}, "/properties/a/multipleOf"),
        ({"properties": {"a": {"pattern": 1}}}, "/properties/a/pattern"),
        ({"properties": {"a": {"description": 1}}}, "/properties/a/description"),
        ({"properties": {"a": {"examples": "x"}}}, "/properties/a/examples"),
        ({"properties": {"a": {"$ref": 1}}}, "/properties/a/$ref"),
        ({"properties": {"a": {"$dynamicRef": None}}}, "/properties/a/$dynamicRef"),
        ({"properties": {"a": 1}}, "/properties/a"),
        ({"$schema": 5}, "/$schema"),
        ({"$id": "a#b"}, "/$id"),
        ({"dependentRequired": {"a": "b"}}, "/dependentRequired/a"),
    ],
)
def test_a_keyword_with_a_wrong_value_is_pointed_at(keywords, where):
    assert places(schema_faults(make_schema() | keywords)) == [(where, "schema_invalid")]


def test_each_wrong_keyword_is_named():
    schema = make_schema({"b": {"type": 1}, "a": {"minLength": "x", "pattern": 2}})

    assert [where for where, _ in places(schema_faults(schema))] == [
        "/properties/a/minLength",
        "/properties/a/pattern",
        "/properties/b/type",
    ]


def test_a_schema_may_be_as_deep_as_the_limit():
    assert schema_faults(_nested(MAX_DEPTH)) == []


def test_a_schema_below_the_limit_of_depth_is_pointed_at():
    found = places(schema_faults(_nested(MAX_DEPTH + 1)))

    assert found == [("/items" * (MAX_DEPTH + 1), "too_deep")]


@pytest.mark.parametrize("keyword", ["dependencies", "definitions", "$defs", "dependentSchemas"])
def test_depth_counts_through_every_keyword(keyword):
    schema: dict[str, Any] = {}
    for _ in range(MAX_DEPTH + 1):
        schema = {keyword: {"a": schema}}

    assert [code for _, code in places(schema_faults(schema))] == ["too_deep"]


def test_deep_values_are_no_deep_schemas():
    value: Any = "x"
    for _ in range(60):
        value = {"properties": [value]}

    assert schema_faults({"const": value, "default": value, "x-note": value}) == []


def test_properties_are_counted_up_to_the_limit():
    schema = make_schema({f"p{number}": {} for number in range(MAX_PROPERTIES + 1)})

    assert places(schema_faults(schema)) == [("", "too_many_properties")]


def test_as_many_properties_as_the_limit_are_taken():
    assert schema_faults(make_schema({f"{number:x}": True for number in range(MAX_PROPERTIES)})) == []


def test_properties_of_inner_objects_are_counted_too():
    half: dict[str, Any] = {f"p{number}": {} for number in range(MAX_PROPERTIES // 2)}
    schema = make_schema({"a": {"properties": half}, "b": {"properties": half}})

    assert places(schema_faults(schema)) == [("", "too_many_properties")]


def test_subschemas_are_counted_up_to_the_limit():
    schema: dict[str, Any] = {"anyOf": [{}] * MAX_SUBSCHEMAS}

    assert places(schema_faults(schema)) == [("", "too_many_subschemas")]


def test_as_many_subschemas_as_the_limit_are_taken():
    assert schema_faults({"anyOf": [True] * (MAX_SUBSCHEMAS - 1)}) == []


def test_a_schema_has_a_limit_in_bytes_of_utf8():
    room = MAX_BYTES - len('{"description":""}')

    longest = "é" * (room // 2) + "x" * (room % 2)

    assert schema_faults({"description": longest}) == []
    assert places(schema_faults({"description": longest + "x"})) == [("", "too_large")]


@pytest.mark.parametrize("dialect", [DIALECT, DIALECT + "#"])
def test_the_dialect_may_be_said(dialect):
    assert schema_faults(make_schema(**{"$schema": dialect})) == []


@pytest.mark.parametrize(
    "dialect", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", ""]
)
def test_another_dialect_is_refused(dialect):
    assert places(schema_faults(make_schema(**{"$schema": dialect}))) == [("/$schema", "dialect_unsupported")]


def test_another_dialect_of_an_inner_schema_is_refused():
    schema = make_schema({"a": {"$schema": "http://json-schema.org/draft-07/schema#"}})

    assert places(schema_faults(schema)) == [("/properties/a/$schema", "dialect_unsupported")]


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*", "(?P<a>", "a{2,1}", "\\", "(?<n>a)", r"\p{L}"])
def test_a_pattern_that_does_not_compile_is_pointed_at(pattern):
    schema = make_schema({"a": {"pattern": pattern}}, patternProperties={pattern: {}})
    name = pattern.replace("~", "~0").replace("/", "~1")

    assert places(schema_faults(schema)) == [
        (f"/patternProperties/{name}", "pattern_invalid"),
        ("/properties/a/pattern", "pattern_invalid"),
    ]


def test_a_pattern_with_too_many_groups_inside_each_other_is_refused_too():
    pattern = "(" * 5000 + ")" * 5000

    assert places(schema_faults({"pattern": pattern})) == [("/pattern", "pattern_invalid")]


@pytest.mark.parametrize(
    ("keywords", "where"),
    [
        ({"minLength": 2, "maxLength": 1}, "/minLength"),
        ({"minItems": 2, "maxItems": 1}, "/minItems"),
        ({"minProperties": 2, "maxProperties": 1}, "/minProperties"),
        ({"contains": {}, "minContains": 2, "maxContains": 1}, "/minContains"),
        ({"minimum": 0.5, "maximum": 0}, "/minimum"),
        ({"enum": []}, "/enum"),
        ({"type": "string", "default": 5}, "/default"),
        ({"type": "string", "default": None}, "/default"),
        ({"type": "integer", "default": 1.5}, "/default"),
        ({"type": "integer", "default": True}, "/default"),
        ({"enum": ["a"], "default": "b"}, "/default"),
        ({"enum": [1], "default": True}, "/default"),
        ({"const": 1, "default": 2}, "/default"),
        ({"properties": {"b": {}}, "required": ["c", "b"]}, "/required"),
        ({"properties": {}, "required": ["c"]}, "/required"),
        ({"properties": {"b": {}}, "required": ["c"], "additionalProperties": False}, "/required"),
        (
            {"properties": {}, "required": ["c"], "additionalProperties": False, "allOf": [{}]},
            "/required",
        ),
    ],
)
def test_what_no_call_could_satisfy_is_pointed_at(keywords, where):
    schema = make_schema({"a": keywords})

    assert places(schema_faults(schema)) == [("/properties/a" + where, "contradiction")]


@pytest.mark.parametrize(
    "keywords",
    [
        {"minLength": 1, "maxLength": 1},
        {"minimum": 1},
        {"type": "integer", "default": 1.0},
        {"type": ["string", "null"], "default": None},
        {"default": None},
        {"enum": ["a", None], "default": None},
        {"required": ["c"]},
        {"properties": {"b": {}}, "required": ["c"], "additionalProperties": True},
        {"properties": {"b": {}}, "required": ["c"], "additionalProperties": {"type": "string"}},
        {"properties": {"b": {}}, "required": ["c"], "patternProperties": {"^c": {}}},
        {"properties": {}, "required": ["c"], "patternProperties": {"c": {}}, "additionalProperties": False},
        {"properties": {"b": {}}, "required": ["c"], "allOf": [{"properties": {"c": {}}}]},
        {"properties": {"b": {}}, "required": ["c"], "$ref": "#/$defs/base"},
    ],
)
def test_what_a_call_can_satisfy_is_taken(keywords):
    schema = make_schema({"a": keywords}, **{"$defs": {"base": {"properties": {"c": {}}}}})

    assert schema_faults(schema) == []


@pytest.mark.parametrize("kind", ["string", "integer", "number", "boolean"])
def test_a_header_mirrors_a_parameter_of_a_primitive_type(kind):
    assert schema_faults(make_schema({"a": {"type": kind, "x-mcp-header": "Tenant-Id"}})) == []


@pytest.mark.parametrize("name", ["", "a b", "a:b", "ключ", "a\n", None, 5, ["a"], "(a)"])
def test_a_header_that_is_no_token_is_refused(name):
    schema = make_schema({"a": {"type": "string", "x-mcp-header": name}})

    assert places(schema_faults(schema)) == [("/properties/a/x-mcp-header", "header_invalid")]


@pytest.mark.parametrize(
    "kind", [{}, {"type": "object"}, {"type": "array"}, {"type": "null"}, {"type": ["string"]}]
)
def test_a_header_needs_a_primitive_type(kind):
    schema = make_schema({"a": kind | {"x-mcp-header": "Tenant"}})

    assert places(schema_faults(schema)) == [("/properties/a/x-mcp-header", "header_invalid")]


def test_a_header_mirrors_one_parameter_in_any_case():
    schema = make_schema(
        {
            "a": {"type": "string", "x-mcp-header": "Tenant"},
            "b": make_schema({"c": {"type": "string", "x-mcp-header": "TENANT"}}),
        }
    )

    assert places(schema_faults(schema)) == [("/properties/b/properties/c/x-mcp-header", "header_twice")]
