"""docs/configuration.md says what config/env.py reads, with the same values and defaults."""

import re
from typing import Any

from config.env import CHECKOUT, Environment

TABLE = (CHECKOUT / "docs/configuration.md").read_text("utf-8").partition("## Read by others")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" |")]
    for line in TABLE.splitlines()
    if line.startswith("| `")
]
SCHEMA: dict[str, dict[str, Any]] = Environment.model_json_schema()["properties"]


def documented() -> dict[str, tuple[str, str]]:
    return {row[0].strip("`"): (row[1], row[3].strip("`")) for row in ROWS}


def values(schema: dict[str, Any]) -> str:
    """Return how the table writes the values of a variable."""
    schema = next((one for one in schema.get("anyOf", []) if one["type"] != "null"), schema)
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if schema["type"] in {"integer", "number"}:
        return _range(schema)
    plain = {"boolean": "true, false", "array": "list", "string": "text", "object": "JSON object"}
    return {"path": "path", "password": "secret"}.get(schema.get("format", ""), plain[schema["type"]])


def _range(schema: dict[str, Any]) -> str:
    low = f"over {schema['exclusiveMinimum']}," if "exclusiveMinimum" in schema else str(schema["minimum"])
    if "maximum" not in schema:
        return f"at least {low}"
    return f"{low} at most {schema['maximum']}" if low.endswith(",") else f"{low} to {schema['maximum']}"


def default(name: str) -> str:
    """Return how the table writes a default."""
    value = Environment.model_fields[name].default
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if value not in (None, "", []) else "not set"


def test_every_variable_has_one_row_and_every_row_a_variable():
    assert [row[0].strip("`").lower() for row in ROWS] == list(Environment.model_fields)


def test_rows_name_values_and_defaults_of_the_code():
    expected = {name.upper(): (values(SCHEMA[name]), default(name)) for name in Environment.model_fields}

    assert documented() == expected


def test_every_row_says_what_its_variable_means():
    assert [row[0] for row in ROWS if len(row) != 5 or len(row[4]) < 10] == []


def test_rows_mark_what_production_demands():
    production = (CHECKOUT / "config/settings/production.py").read_text("utf-8")
    demanded = set(re.findall(r'^        "([A-Z_]+)": ENV\.', production, re.MULTILINE))

    assert {row[0].strip("`") for row in ROWS if "**Set in production**" in row[4]} == demanded
