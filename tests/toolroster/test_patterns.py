"""Patterns of strangers."""

import time

import pytest

from toolroster import arguments, patterns


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^a+$", "aaa", True),
        ("^a+$", "aab", False),
        ("b", "abc", True),
        (r"^\d{4}-\d{2}$", "2026-12", True),
        (r"^\p{L}+$", "Grün", True),
        (r"^(?=.*x)", "abc", True),  # RE2 does not know it: nothing is forbidden
        (r"(", "abc", True),
    ],
)
def test_a_pattern_matches_anywhere(pattern: str, text: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert patterns.matches(pattern, text) is expected


EVIL = "^(a+)+$"
CALLS = [
    ({"properties": {"x": {"pattern": EVIL}}}, {"x": "a" * 40 + "!"}),
    ({"patternProperties": {EVIL: {"type": "integer"}}}, {"a" * 40 + "!": 1}),
    ({"patternProperties": {EVIL: True}, "additionalProperties": False}, {"a" * 40 + "!": 1}),
    ({"propertyNames": {"pattern": EVIL}}, {"a" * 40 + "!": 1}),
    ({"patternProperties": {EVIL: True}, "unevaluatedProperties": False}, {"a" * 40 + "!": 1}),
]


@pytest.mark.parametrize(("schema", "call"), CALLS)
def test_no_pattern_takes_forever(schema: dict[str, object], call: dict[str, object]) -> None:
    began = time.process_time()

    arguments.faults(call, schema)

    assert time.process_time() - began < 5  # by Python's own matching: hours


def test_properties_that_a_pattern_knows_are_not_additional() -> None:
    schema = {
        "properties": {"a": {}},
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
    }

    assert arguments.faults({"a": 1, "x-b": 2}, schema) == []
    assert [fault.pointer for fault in arguments.faults({"x-b": "2", "c": 1}, schema)] == ["/c", "/x-b"]


def test_additional_properties_may_have_a_schema() -> None:
    schema = {"additionalProperties": {"type": "integer"}}

    assert [fault.pointer for fault in arguments.faults({"a": 1, "b": "x"}, schema)] == ["/b"]
