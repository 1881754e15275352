import pytest
from hypothesis import given

from tests.toolroster.documents import documents, make_schema, make_tool, make_tool_of, moderate, places
from toolroster.contract import contract_hash, differences
from toolroster.definition import ToolDefinition

SCHEMA = make_schema(
    {
        "to": {"type": ["string", "null"], "format": "email", "default": None},
        "count": {"type": "integer", "minimum": 1, "enum": [1, 2]},
        "who": make_schema({"name": {"type": "string"}, "id": {}}, required=["name", "id"]),
    },
    required=["to", "count"],
)


def _replaced(path, value):
    return make_tool(input_schema=_put(SCHEMA, path, value))


def _put(node, path, value):
    step, *rest = path
    return node | {step: _put(node.get(step, {}), rest, value) if rest else value}


@pytest.mark.parametrize(
    "fields",
    [
        {"display_name": "Send"},
        {"description": "Sends."},
        {"returns": "An id."},
        {"examples": ["send a mail"]},
        {"endpoint": {"url": "http://elsewhere"}},
        {"alternatives": [{"ref": "other"}]},
        {"liveness": "heartbeat"},
        {"capabilities": {"tags": ["x"], "categories": ["y"], "cost_level": "HIGH", "avg_latency_ms": 5}},
        {"policy": {"rate_limit_per_minute": 1, "timeout_ms": 1, "max_concurrent_calls": 1}},
        {"policy": {"allowed_roles": ["admin"]}},
        {"capabilities": {"read_only": False, "idempotent": False, "destructive": None}},
        {"scopes": []},
    ],
)
def test_words_address_and_harmless_policy_are_no_part_of_the_contract(fields):
    assert contract_hash(make_tool(**fields)) == contract_hash(make_tool())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            make_schema({"a": {"title": "A", "description": "x", "$comment": "y", "examples": [1]}}),
            make_schema({"a": {}}),
        ),
        (make_schema({"a": {}, "b": {}}), make_schema({"b": {}, "a": {}})),
        (
            make_schema({"a": {}, "b": {}}, required=["a", "b"]),
            make_schema({"a": {}, "b": {}}, required=["b", "a"]),
        ),
        (make_schema({"a": {"type": ["null", "string"]}}), make_schema({"a": {"type": ["string", "null"]}})),
        (make_schema({"a": {"minimum": 1}}), make_schema({"a": {"minimum": 1.0}})),
        (make_schema({"a": {"const": [{"x": -0.0}]}}), make_schema({"a": {"const": [{"x": 0}]}})),
        (make_schema({"a": {"properties": {}, "required": []}}), make_schema({"a": {}})),
        (make_schema(required=[]), {"type": "object"}),
    ],
)
def test_two_ways_to_write_a_schema_have_one_contract(one, other):
    assert contract_hash(make_tool(input_schema=one)) == contract_hash(make_tool(input_schema=other))
    assert contract_hash(make_tool(output_schema=one)) == contract_hash(make_tool(output_schema=other))


def test_the_order_and_repetition_of_scopes_say_nothing():
    assert contract_hash(make_tool(scopes=["b", "a", "b"])) == contract_hash(make_tool(scopes=["a", "b"]))


def test_parameters_and_the_schema_they_stand_for_have_one_contract():
    listed = make_tool(parameters=[{"name": "a", "type": "string", "description": "x", "required": True}])

    assert contract_hash(listed) == contract_hash(make_tool_of({"a": {"type": "string"}}, required=["a"]))


@moderate
@given(documents)
def test_a_served_document_has_the_same_contract(document):
    tool = ToolDefinition.parse(document)

    again = ToolDefinition.parse(tool.document())

    assert contract_hash(again) == contract_hash(tool)
    assert differences(tool, again) == []


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("properties", "to", "type"), ["integer", "null"], ("/properties/to/type", "changed")),
        (("properties", "to", "format"), "uri", ("/properties/to/format", "changed")),
        (("properties", "to", "default"), "x", ("/properties/to/default", "changed")),
        (("properties", "to", "x-sensitive"), True, ("/properties/to/x-sensitive", "added")),
        (("properties", "count", "minimum"), 2, ("/properties/count/minimum", "changed")),
        (("properties", "count", "enum"), [1, 2, 3], ("/properties/count/enum", "changed")),
        (("properties", "count"), {}, None),
        (("properties", "a/b~c"), {}, ("/properties/a~1b~0c", "added")),
        (("properties", "description"), {}, ("/properties/description", "added")),
        (("properties", "who", "required"), ["id"], ("/properties/who/required", "changed")),
        (("properties", "who", "properties", "name"), True, ("/properties/who/properties/name", "changed")),
        (("properties", "who", "properties", "title"), {}, ("/properties/who/properties/title", "added")),
        (("required",), ["to"], ("/required", "changed")),
        (("additionalProperties",), False, ("/additionalProperties", "added")),
    ],
    ids=lambda value: str(value)[:50],
)
def test_what_callers_rely_on_in_the_schema_is_the_contract(path, value, expected):
    published, sent = make_tool(input_schema=SCHEMA), _replaced(path, value)

    found = differences(published, sent)

    assert contract_hash(published) != contract_hash(sent)
    assert expected is None or places(found) == [(f"/input_schema{expected[0]}", expected[1])]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"scopes": ["a"]}, ("/scopes", "changed")),
        ({}, {"capabilities": {"read_only": True}}, ("/capabilities/read_only", "changed")),
        ({}, {"capabilities": {"idempotent": True}}, ("/capabilities/idempotent", "changed")),
        ({}, {"capabilities": {"destructive": False}}, ("/capabilities/destructive", "changed")),
        ({}, {"capabilities": {"open_world": True}}, ("/capabilities/open_world", "changed")),
        ({}, {"policy": {"requires_approval": True}}, ("/policy/requires_approval", "changed")),
        ({}, {"output_schema": {}}, ("/output_schema", "changed")),
        ({"output_schema": {"type": "string"}}, {}, ("/output_schema", "changed")),
        (
            {"output_schema": {"type": "string", "maxLength": 5}},
            {"output_schema": {"type": "string"}},
            ("/output_schema/maxLength", "removed"),
        ),
        (
            {"output_schema": {"const": 1}},
            {"output_schema": {"const": True}},
            ("/output_schema/const", "changed"),
        ),
        (
            {"output_schema": {"const": 0}},
            {"output_schema": {"const": "0"}},
            ("/output_schema/const", "changed"),
        ),
    ],
)
def test_what_else_callers_rely_on_is_the_contract(before, after, expected):
    published, sent = make_tool(**before), make_tool(**after)

    found = differences(published, sent)

    assert places(found) == [expected]
    assert contract_hash(published) != contract_hash(sent)


def test_each_difference_is_named_and_says_both_sides():
    published = make_tool_of({"a": {"type": "string"}, "b": {"const": "x" * 200}})
    sent = make_tool_of({"a": {"type": "integer"}})

    changed, removed = differences(published, sent)

    assert changed.detail == '"string" is published, "integer" sent.'
    assert (removed.pointer, len(removed.detail) < 100) == ("/input_schema/properties/b", True)


def test_the_same_contract_has_no_differences():
    assert differences(make_tool(description="a"), make_tool(description="b")) == []
