import pytest

from tests.toolroster.documents import Json, make_schema
from toolroster.prompts import without_absent

TEXT = {"type": "string"}
FORM = {"$ref": "#/$defs/form"}
MAYBE = {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("schema", "given", "kept"),
    [
        ({"properties": {"a": TEXT}}, {"a": None}, {}),
        ({"properties": {"a": TEXT}}, {"a": "x"}, {"a": "x"}),
        ({"properties": {"a": MAYBE}}, {"a": None}, {"a": None}),
        ({"properties": {"a": TEXT}, "required": ["a"]}, {"a": None}, {"a": None}),
        ({}, {"a": None}, {"a": None}),
        ({"properties": {"a": {"enum": ["x", None]}}}, {"a": None}, {"a": None}),
        ({"properties": {"a": {"properties": {"b": TEXT}}}}, {"a": {"b": None}}, {"a": {}}),
        (
            {"properties": {"a": {"items": {"properties": {"b": TEXT}}}}},
            {"a": [{"b": None}, {"b": "x"}, 1]},
            {"a": [{}, {"b": "x"}, 1]},
        ),
        ({"properties": {"a": {"$ref": "#/$defs/text"}}}, {"a": None}, {}),
        ({"properties": {"a": {"$ref": "#/$defs/form"}}}, {"a": {"b": None}}, {"a": {}}),
        ({"allOf": [{"$ref": "#/$defs/form"}]}, {"b": None}, {}),
        ({"properties": {"a": {"anyOf": [TEXT, FORM]}}}, {"a": {"b": None}}, {"a": {}}),
        ({"properties": {"a": {"anyOf": [TEXT, FORM]}}}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        (
            {"properties": {"next": {"$ref": "#"}, "a": TEXT}},
            {"next": {"next": None, "a": None}, "a": "x"},
            {"next": {}, "a": "x"},
        ),
    ],
)  # fmt: skip
def test_a_null_that_the_schema_refuses_is_left_out(schema, given, kept):
    form = {"type": "object", "properties": {"b": TEXT}}
    before = repr(given)

    found = without_absent(given, make_schema() | schema | {"$defs": {"form": form, "text": TEXT}})

    assert found == kept
    assert repr(given) == before


def test_each_form_of_a_union_is_tried():
    forms = [
        {"type": "object", "properties": {"kind": {"const": kind}, "x": x}, "required": ["kind"]}
        for kind, x in [("a", MAYBE), ("b", TEXT)]
    ]
    schema = make_schema({"shape": {"oneOf": forms}})

    assert without_absent({"shape": {"kind": "a", "x": None}}, schema) == {"shape": {"kind": "a", "x": None}}
    assert without_absent({"shape": {"kind": "b", "x": None}}, schema) == {"shape": {"kind": "b"}}


def test_a_union_inside_itself_is_followed_all_the_way():
    schema = make_schema(
        {"left": {"anyOf": [{"allOf": [{"$ref": "#"}], "required": ["x"]}, {"$ref": "#"}]}, "name": TEXT}
    )
    value: Json = {"left": None, "name": None}
    for _ in range(12):
        value = {"left": value, "name": None}

    found = without_absent(value, schema)

    assert "name" not in str(found)
