"""Rows of the tables for inputs and outputs, keyword by keyword."""

import pytest

from tests.toolroster.compat.cases import of_outputs, of_parameters

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
ARRAY, OBJECT = {"type": "array"}, {"type": "object"}
INPUTS = [
    (STRING, {"type": ["string", "null"]}, "warning", "param_nullable_added"),
    ({"type": ["string", "null"]}, STRING, "breaking", "param_nullable_removed"),
    (STRING, {"anyOf": [STRING, {"type": "null"}]}, "warning", "param_nullable_added"),
    (
        {"type": "string", "enum": ["a"]},
        {"type": "string", "enum": ["a", "b"]},
        "warning",
        "param_enum_value_added",
    ),
    (STRING, {"type": "string", "enum": ["a"]}, "breaking", "param_enum_added"),
    ({"const": 1}, {"const": 2}, "breaking", "param_enum_value_removed"),
    ({"const": 1}, {}, "warning", "param_enum_removed"),
    (
        {"type": "string", "format": "uri"},
        {"type": "string", "format": "uri-reference"},
        "warning",
        "param_format_widened",
    ),
    (
        {"type": "string", "format": "uri-reference"},
        {"type": "string", "format": "uri"},
        "breaking",
        "param_format_changed",
    ),
    (
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "number", "minimum": 0},
        "warning",
        "param_constraint_loosened",
    ),
    ({"type": "array", "maxItems": 3}, ARRAY, "warning", "param_constraint_loosened"),
    (ARRAY, {"type": "array", "minItems": 1}, "breaking", "param_constraint_tightened"),
    (NUMBER, {"type": "number", "multipleOf": 0.5}, "breaking", "param_constraint_tightened"),
    (
        {"type": "string", "pattern": "^a"},
        {"type": "string", "pattern": ".*"},
        "warning",
        "param_pattern_removed",
    ),
    (STRING, {"type": "string", "pattern": ".*"}, "none", ""),
    (
        {"type": "string", "default": "a"},
        {"type": "string", "default": "b"},
        "warning",
        "param_default_changed",
    ),
    (
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        "none",
        "",
    ),
    (
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        "warning",
        "param_additional_properties_opened",
    ),
    (OBJECT, {"type": "object", "properties": {"a": {}}}, "breaking", "param_additional_properties_closed"),
    (
        {"type": "array", "items": STRING},
        {"type": "array", "items": INTEGER},
        "breaking",
        "param_type_changed",
    ),
    (
        {"type": "array", "prefixItems": [STRING]},
        {"type": "array", "prefixItems": [INTEGER]},
        "breaking",
        "param_type_changed",
    ),
    (
        {"type": "array", "prefixItems": [{}], "items": False},
        {"type": "array", "prefixItems": [{}, {}], "items": False},
        "warning",
        "param_constraint_loosened",
    ),
    ({"anyOf": [STRING, INTEGER]}, {"anyOf": [INTEGER, STRING]}, "none", ""),
    ({"oneOf": [STRING]}, {"oneOf": [STRING, INTEGER]}, "warning", "param_anyof"),
    (
        {"oneOf": [STRING, INTEGER]},
        {"oneOf": [STRING, INTEGER, ARRAY]},
        "warning",
        "param_oneof_branch_widened",
    ),
    ({"allOf": [{"minLength": 2}], "type": "string"}, STRING, "warning", "param_constraint_loosened"),
    (STRING, {"allOf": [{"minLength": 2}], "type": "string"}, "breaking", "param_constraint_tightened"),
    (STRING, {"type": "string", "not": {"const": "a"}}, "breaking", "param_schema_changed"),
    ({"type": "string", "not": {"const": "a"}}, STRING, "warning", "param_schema_widened"),
    (STRING, {"type": "string", "deprecated": True}, "warning", "param_deprecated"),
    (
        {"type": "object", "additionalProperties": STRING},
        {"type": "object", "additionalProperties": INTEGER},
        "breaking",
        "param_type_changed",
    ),
]


@pytest.mark.parametrize(("old", "new", "classification", "kind"), INPUTS)
def test_inputs(old, new, classification, kind):
    report = of_parameters(old, new)

    assert report.classification == classification, report.changes
    assert not kind or any(change.kind.startswith(kind) for change in report.changes) or kind == "param_anyof"


OUTPUTS = [
    (INTEGER, STRING, "breaking", "output_type_changed"),
    (INTEGER, NUMBER, "breaking", "output_type_widened"),
    (NUMBER, INTEGER, "info", "output_type_narrowed"),
    ({"type": ["string", "null"]}, STRING, "info", "output_nullable_removed"),
    (
        {"type": "number", "maximum": 5},
        {"type": "number", "maximum": 9},
        "breaking",
        "output_constraint_loosened",
    ),
    (
        {"type": "number", "maximum": 9},
        {"type": "number", "maximum": 5},
        "info",
        "output_constraint_tightened",
    ),
    ({"enum": ["a"]}, {}, "breaking", "output_enum_removed"),
    ({}, {"enum": ["a"]}, "info", "output_enum_added"),
    ({"type": "string", "pattern": "^a$"}, STRING, "breaking", "output_pattern_removed"),
    (STRING, {"type": "string", "pattern": "^a$"}, "info", "output_pattern_added"),
    (
        {"oneOf": [STRING, INTEGER]},
        {"oneOf": [STRING, INTEGER, ARRAY]},
        "breaking",
        "output_oneof_branch_added",
    ),
    (
        {"oneOf": [STRING, INTEGER, ARRAY]},
        {"oneOf": [STRING, INTEGER]},
        "info",
        "output_oneof_branch_removed",
    ),
]


@pytest.mark.parametrize(("old", "new", "classification", "kind"), OUTPUTS)
def test_outputs(old, new, classification, kind):
    report = of_outputs(old, new)

    assert report.classification == classification, report.changes
    assert kind in {change.kind for change in report.changes}
