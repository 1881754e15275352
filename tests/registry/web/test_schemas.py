"""JSON Schemas in words."""

from typing import Any

import pytest

from registry.web.schemas import limits_of, rows_of, type_of


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, "any"),
        (True, "any"),
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "array", "items": {"type": "integer"}}, "array of integer"),
        ({"type": "array"}, "array"),
        ({"$ref": "#/components/schemas/Problem"}, "Problem"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "string"}]}, "string | null"),
    ],
)
def test_type_is_told_in_words(schema: Any, text: str) -> None:
    assert type_of(schema) == text


def test_type_of_deep_schemas_ends() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(90):
        schema = {"type": "array", "items": schema}

    assert type_of(schema) == "array of array of array of array of array of any"


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({}, ""),
        ({"enum": ["a", 1, None]}, 'one of "a", 1, null'),
        ({"minimum": 0, "maximum": 9}, "≥ 0; ≤ 9"),
        ({"format": "email", "maxLength": 5}, "email; at most 5 characters"),
    ],
)
def test_limits_are_told_in_words(schema: dict[str, Any], text: str) -> None:
    assert limits_of(schema) == text


def test_rows_follow_nested_objects_and_lists_in_order() -> None:
    inner = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    schema = {"properties": {"z": inner, "a": {"type": "array", "items": inner}}, "required": ["a"]}

    rows = [(row.name, row.is_required) for row in rows_of(schema)]

    assert rows == [("z", False), ("z.city", True), ("a", True), ("a[].city", True)]


def test_row_names_the_shape_that_a_list_holds() -> None:
    schema = {"properties": {"results": {"type": "array", "items": {"$ref": "#/components/schemas/Tool"}}}}

    assert [(row.type, row.refers_to) for row in rows_of(schema)] == [("array of Tool", "Tool")]
