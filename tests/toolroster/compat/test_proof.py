"""The prover against the pairs of other projects, and pairs of our own."""

from collections import Counter

import pytest

from tests.toolroster.compat.cases import pairs
from toolroster.compat.proof import included
from toolroster.compat.proof.patterns import are_apart, is_universal, least_length
from toolroster.compat.samples import example

DRAFT_4 = {"ibm-jsonsubschema:test_numeric.TestCompositeNumericSubtype.test_enum4:in"}
"""2.0 is no integer in draft 4, and one since draft 6."""


def test_no_break_is_missed_and_few_alarms_are_false():
    verdicts: Counter[str] = Counter()
    missed = set()
    for case in pairs("all-verified"):
        refused = included(case["sub"], case["sup"])
        if refused is None and not case["included"]:
            missed.add(case["id"])
        elif refused is not None and case["included"]:
            verdicts["false alarm" if refused.is_certain else "not proved"] += 1

    assert missed == DRAFT_4
    assert verdicts["false alarm"] <= 4
    assert verdicts["not proved"] <= 4


def test_inputs_of_tools_are_judged_as_closed():
    alarms = missed = 0
    for case in pairs("tool-policy-input"):
        is_refused = included(case["old"], case["new"], is_closed=True) is not None
        missed += case["breaking"] and not is_refused
        alarms += is_refused and not case["breaking"]

    assert (missed, alarms) == (0, 2)


STR, INT, NUM = {"type": "string"}, {"type": "integer"}, {"type": "number"}
LINKED = {
    "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}},
    "$ref": "#/$defs/n",
}
YES = [
    (INT, NUM),
    ({"enum": [1, 2]}, INT),
    (
        {"type": "integer", "minimum": 1, "maximum": 8},
        {"anyOf": [{"maximum": 4}, {"minimum": 5}], "type": "integer"},
    ),
    (
        {"type": "integer", "minimum": 0},
        {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "integer", "minimum": 11}]},
    ),
    ({"type": "number", "minimum": 4, "maximum": 4}, INT),
    ({"type": "integer", "multipleOf": 6}, {"multipleOf": 3}),
    ({"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "type": "integer"}, {"multipleOf": 12}),
    ({"type": "string", "pattern": ".{2,}"}, {"type": "string", "minLength": 2}),
    (STR, {"type": "string", "pattern": "^a*"}),
    ({"type": "string", "minLength": 3}, {"not": {"type": "string", "maxLength": 2}}),
    ({"not": {"not": STR}}, STR),
    ({"not": STR}, {"type": ["null", "boolean", "number", "array", "object"]}),
    ({"oneOf": [STR, {"maxLength": 5}]}, {"oneOf": [{"maxLength": 5}, STR]}),
    (LINKED, LINKED),
    ({"$ref": "#/definitions/a", "definitions": {"a": STR}}, STR),
    ({"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "string"}}}, STR),
    ({"type": "object", "required": ["a", "b"]}, {"type": "object", "required": ["a"], "minProperties": 2}),
    (
        {"type": "object", "properties": {"a": INT}, "additionalProperties": False},
        {"type": "object", "propertyNames": {"pattern": "^a"}},
    ),
    (
        {"type": "object", "patternProperties": {"^a": INT}},
        {"type": "object", "patternProperties": {"^a": NUM}},
    ),
    (
        {"type": "object", "dependentRequired": {"a": ["b", "c"]}},
        {"type": "object", "dependentRequired": {"a": ["b"]}},
    ),
    ({"type": "array", "items": INT}, {"type": "array", "prefixItems": [NUM], "items": NUM}),
    ({"type": "array", "contains": INT, "minContains": 2}, {"type": "array", "contains": NUM}),
    ({"type": "array", "maxItems": 1}, {"type": "array", "uniqueItems": True}),
    (False, STR),
    (STR, True),
    ({"if": STR, "then": {"minLength": 3}}, {"if": STR, "then": {"minLength": 2}}),
]
NO = [
    (NUM, INT),
    (STR, {"enum": ["a"]}),
    ({"enum": [1, True]}, {"enum": [1]}),
    ({}, {"type": "object"}),
    (
        {"type": "integer", "minimum": 0},
        {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "integer", "minimum": 12}]},
    ),
    ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}),
    (STR, {"oneOf": [STR, {"maxLength": 5}]}),
    ({"type": "object", "properties": {"a": INT}}, {"type": "object", "properties": {"a": STR}}),
    ({"type": "object"}, {"type": "object", "additionalProperties": False}),
    (
        {"type": "object", "patternProperties": {"^a": STR}},
        {"type": "object", "patternProperties": {"^a": INT}},
    ),
    (STR, {"$ref": "https://elsewhere.test/schema"}),
    (STR, {"not": {"minLength": 3}}),
    ({"type": "array"}, {"type": "array", "contains": INT}),
    ({"type": "object"}, {"type": "object", "dependentRequired": {"a": ["b"]}}),
    ({"type": "object"}, {"type": "object", "unevaluatedProperties": False}),
    ({"if": STR, "then": {"minLength": 2}}, {"if": STR, "then": {"minLength": 3}}),
    (
        {"type": "object", "patternProperties": {"^(a)": {}}, "additionalProperties": False},
        {"type": "object", "additionalProperties": False},
    ),
]


@pytest.mark.parametrize(("smaller", "larger"), YES)
def test_what_is_included(smaller, larger):
    assert included(smaller, larger) is None


@pytest.mark.parametrize(("smaller", "larger"), NO)
def test_what_is_not_included(smaller, larger):
    assert included(smaller, larger) is not None


def test_a_refusal_shows_a_value():
    refused = included({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 2})

    assert refused is not None
    assert (refused.value, refused.reason) == (1, "minimum")


def test_hostile_schemas_are_given_up():
    deep: dict = {}
    for _ in range(3000):
        deep = {"type": "array", "items": deep}
    wide = {"anyOf": [{"anyOf": [{"minLength": a * b} for a in range(1, 60)]} for b in range(1, 60)]}
    circle = {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}

    assert included(deep, {**deep, "minItems": 1}) is not None
    assert included({"not": wide}, wide) is not None
    assert included(circle, {"type": "string"}) is not None


@pytest.mark.parametrize(
    ("pattern", "is_one"),
    [("", True), (".*", True), ("^.*", True), ("a*", True), ("^.*$", False), ("a", False), ("\\b", False)],
)
def test_patterns_that_everything_has(pattern, is_one):
    assert is_universal(pattern) is is_one


def test_what_is_known_of_patterns():
    assert least_length("ab{2,3}[cd]") == 4
    assert are_apart("^S_", "^I_")
    assert not are_apart("^S_", "^S_x")
    assert not are_apart("S_", "^I_")
    assert example("^[A-Z]{3}-\\d+(x|y)?$") == "AAA-1"
