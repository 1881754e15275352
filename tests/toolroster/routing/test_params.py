"""Arguments: defaults, other tools' names, and what is never noted."""

from typing import Any

import pytest

from toolroster.routing.calls import params_hash
from toolroster.routing.params import prepared, translated
from toolroster.routing.sensitive import HIDDEN, redacted


def test_defaults_are_filled_in_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"unit": {"default": "C"}}}
    schema = {"type": "object", "properties": {"days": {"default": 3}, "how": inner, "tags": {"default": []}}}

    filled = prepared({"how": {}}, schema)

    assert filled == {"how": {"unit": "C"}, "days": 3, "tags": []}
    assert filled["tags"] is not schema["properties"]["tags"]["default"]  # type: ignore[index]


OURS: dict[str, Any] = {"properties": {"city": {}, "days": {}, "lang": {}}}


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({}, {"days": 2}),
        ({"place": "city"}, {"place": "Berlin", "days": 2}),
        ({"place": "city", "unit": "celsius"}, {"place": "Berlin", "unit": "celsius", "days": 2}),
        ({"place": {"const": "city"}}, {"place": "city", "days": 2}),
        ({"place": "lang"}, {"days": 2}),
        ({"hours": "days"}, {"hours": 2}),
        ({"limit": 5, "deep": {"a": 1}}, {"limit": 5, "deep": {"a": 1}, "days": 2}),
    ],
)
def test_arguments_are_translated_by_name_or_constant(
    mapping: dict[str, Any], expected: dict[str, Any]
) -> None:
    theirs: dict[str, Any] = {
        "properties": {"place": {}, "unit": {}, "days": {}, "hours": {}, "limit": {}, "deep": {}}
    }

    assert translated({"city": "Berlin", "days": 2}, mapping, ours=OURS, theirs=theirs) == expected


SECRET = {"x-sensitive": True}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": SECRET}}, {"a": "top secret"}),
        ({"properties": {"a": {"properties": {"b": SECRET}}}}, {"a": {"b": "top secret"}}),
        ({"properties": {"a": {"items": SECRET}}}, {"a": ["top secret"]}),
        ({"properties": {"a": {"prefixItems": [{}, SECRET]}}}, {"a": [1, "top secret"]}),
        ({"additionalProperties": SECRET}, {"a": "top secret"}),
        ({"properties": {"a": {"anyOf": [{"type": "null"}, SECRET]}}}, {"a": "top secret"}),
        ({"$defs": {"s": SECRET}, "properties": {"a": {"$ref": "#/$defs/s"}}}, {"a": "top secret"}),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, {"a": "top secret"}),
        ({"allOf": [{"properties": {"a": SECRET}}]}, {"a": "top secret"}),
        ({"patternProperties": {"^a": SECRET}}, {"a": "top secret"}),
        ({"if": {}, "then": {"properties": {"a": SECRET}}}, {"a": "top secret"}),
        ({"properties": {"a": {"$ref": "#"}}, "x-sensitive": True}, {"a": "top secret"}),
        (
            {"$defs": {"s": {"$anchor": "s", **SECRET}}, "properties": {"a": {"$ref": "#s"}}},
            {"a": "top secret"},
        ),
        ({"properties": {"a": {"$dynamicRef": "#s"}}}, {"a": "top secret"}),
        ({"unevaluatedProperties": SECRET}, {"a": "top secret"}),
        ({"properties": {"a": {"unevaluatedItems": SECRET}}}, {"a": ["top secret"]}),
        ({"properties": {"a": {"contains": SECRET}}}, {"a": ["top secret"]}),
        ({"if": {"properties": {"a": SECRET}}}, {"a": "top secret"}),
    ],
)
def test_what_is_sensitive_is_hidden_wherever_it_stands(schema: dict[str, Any], value: Any) -> None:
    shown = redacted(value, schema)

    assert "top secret" not in str(shown)
    assert HIDDEN in str(shown)


def test_what_is_not_sensitive_stays() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": SECRET}}

    assert redacted({"a": "x", "c": [1]}, schema) == {"a": "x", "c": [1]}


def test_equal_arguments_have_one_hash_whatever_their_order() -> None:
    assert params_hash({"a": 1, "b": [2]}) == params_hash({"b": [2], "a": 1})
    assert params_hash({"a": 1}) != params_hash({"a": "1"})


def test_arguments_stay_an_object_where_all_of_them_are_sensitive() -> None:
    assert redacted({"a": 1, "b": {}}, {"x-sensitive": True}) == {"a": HIDDEN, "b": HIDDEN}


def test_without_the_key_arguments_cannot_be_tried_out() -> None:
    assert params_hash({"pin": "1234"}, key=b"k") != params_hash({"pin": "1234"})
