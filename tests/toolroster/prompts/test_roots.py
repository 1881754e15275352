import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.toolroster.documents import make_schema, moderate
from toolroster.prompts.roots import plain_root

A, B = {"type": "string"}, {"type": "integer"}
C = {"properties": {"c": A}}


def test_a_plain_root_stays_as_it_is():
    schema = make_schema({"a": A}, required=["a"])

    assert plain_root(schema) == (schema, "")


@pytest.mark.parametrize(
    ("composition", "properties", "required"),
    [
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": A, "b": B}, []),
        ({"anyOf": [{"required": ["a", "b"]}, {"required": ["a"]}]}, {"a": A, "b": B}, ["a"]),
        ({"oneOf": [C, {"properties": {"d": B}}]}, {"a": A, "b": B, "c": A, "d": B}, []),
        ({"anyOf": [C, {"properties": {"c": B}}]}, {"a": A, "b": B, "c": {"anyOf": [A, B]}}, []),
        ({"anyOf": [C, C]}, {"a": A, "b": B, "c": A}, []),
        ({"anyOf": [{"properties": {"a": B}}]}, {"a": A, "b": B}, []),
        ({"allOf": [{"properties": {"c": A}, "required": ["c"]}, True]}, {"a": A, "b": B, "c": A}, ["c"]),
        ({"$ref": "#/$defs/form"}, {"a": A, "b": B, "e": A}, ["e"]),
        ({"oneOf": [{"$ref": "#/$defs/form"}]}, {"a": A, "b": B, "e": A}, ["e"]),
        ({"allOf": [{"required": ["nowhere"]}]}, {"a": A, "b": B}, []),
        ({"not": {"required": ["a"]}}, {"a": A, "b": B}, []),
        ({"additionalProperties": False, "allOf": [C]}, {"a": A, "b": B}, []),
    ],
)  # fmt: skip
def test_properties_of_the_forms_become_the_roots(composition, properties, required):
    form = {"properties": {"e": A}, "required": ["e"]}
    schema = make_schema({"a": A, "b": B}, **composition, **{"$defs": {"form": form}})
    before = copy.deepcopy(schema)

    plain, rule = plain_root(schema)

    assert plain["properties"] == properties
    assert plain.get("required", []) == required
    assert not plain.keys() & {"allOf", "anyOf", "oneOf", "not", "$ref"}
    assert plain["$defs"] == {"form": form}
    assert rule.startswith("The arguments must also be valid against this JSON Schema: {")
    assert schema == before


def test_a_reference_into_the_composition_leaves_the_schema_to_words():
    schema = make_schema({"a": {"$ref": "#/anyOf/0"}}, anyOf=[{"type": "object"}])

    plain, rule = plain_root(schema)

    assert plain == {"type": "object", "properties": {}}
    assert '{"$ref":"#/anyOf/0"}' in rule


values = st.sampled_from(["x", 1, None])
members = st.dictionaries(st.sampled_from("abc"), values)
forms = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(st.sampled_from("abc"), st.sampled_from([A, B])),
        "required": st.lists(st.sampled_from("abc"), unique=True),
    },
)


@moderate
@given(forms, st.lists(forms, min_size=1, max_size=3), st.sampled_from(["allOf", "anyOf", "oneOf"]), members)
def test_arguments_of_declared_names_stay_valid(root, branches, keyword, arguments):
    declared = [
        branch.get("properties", {}).keys() | root.get("properties", {}).keys() for branch in branches
    ]
    schema = {"type": "object", **root, keyword: branches}
    is_declared = all(arguments.keys() <= names for names in declared)

    plain, _ = plain_root(schema)

    if is_declared and Draft202012Validator(schema).is_valid(arguments):
        assert Draft202012Validator(plain).is_valid(arguments)
