import pytest
from hypothesis import given

from tests.toolroster.documents import make_schema, moderate, object_schemas
from toolroster import parameters
from toolroster.parameters import as_object, from_schema, to_schema


def _without_boolean_properties(schema):
    return schema | {"properties": {k: as_object(v) for k, v in schema["properties"].items()}}


@moderate
@given(object_schemas())
def test_a_schema_survives_the_way_through_parameters(schema):
    listed, root = from_schema(schema)

    assert to_schema(listed, root=root) == _without_boolean_properties(schema)


@moderate
@given(object_schemas())
def test_parameters_survive_the_way_through_the_schema(schema):
    listed, root = from_schema(schema)

    assert from_schema(to_schema(listed, root=root)) == (listed, root)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (make_schema(), []),
        ({"type": "object"}, []),
        (make_schema({"a": True}), [{"name": "a", "required": False}]),
        (make_schema({"a": False}), [{"name": "a", "not": {}, "required": False}]),
        (
            make_schema({"a": {"type": "string"}}, required=["a"]),
            [{"name": "a", "type": "string", "required": True}],
        ),
        (
            make_schema({"a": make_schema({"b": {}}, required=["b"])}),
            [
                {
                    "name": "a",
                    "type": "object",
                    "properties": {"b": {}},
                    "required_properties": ["b"],
                    "required": False,
                }
            ],
        ),
        (
            make_schema({"a": {"name": "x", "x-name": "y"}}),
            [{"name": "a", "x-name": "x", "x-x-name": "y", "required": False}],
        ),
        (
            make_schema({"a": {"default": 1, "defaultValue": 2, "required_properties": 3}}),
            [{"name": "a", "default": 1, "x-defaultValue": 2, "x-required_properties": 3, "required": False}],
        ),
        (
            make_schema({"name": {"const": "required"}}),
            [{"name": "name", "const": "required", "required": False}],
        ),
    ],
)
def test_each_property_becomes_a_parameter(schema, expected):
    assert from_schema(schema)[0] == expected


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"required": []},
        {"required": ["b", "a"]},
        {"required": ["c", "a"]},
        {"additionalProperties": False, "$defs": {"x": {}}},
        {"description": "All about it.", "minProperties": 1},
    ],
)
def test_keywords_of_the_root_survive(keywords):
    schema = make_schema({"a": {}, "b": {}}, **keywords)

    listed, root = from_schema(schema)

    assert to_schema(listed, root=root) == schema


def test_required_parameters_are_listed_in_the_order_of_the_parameters():
    listed = [{"name": name, "required": name != "b"} for name in "cba"]

    assert to_schema(listed)["required"] == ["c", "a"]


def test_a_parameter_named_like_a_keyword_stays_a_property():
    schema = to_schema([{"name": "required", "type": "string", "required": True}])

    assert schema == make_schema({"required": {"type": "string"}}, required=["required"])


def test_the_sender_finds_a_keyword_under_the_name_it_travels_by():
    assert [parameters.carried(k) for k in ("required", "name", "minimum")] == [
        "required_properties",
        "x-name",
        "minimum",
    ]
