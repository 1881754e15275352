"""The platform's own OpenAPI description as what the docs page shows."""

import json
import re
import shlex
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from drf_spectacular.generators import SchemaGenerator

from registry.web.examples import BODIES, PATHS, QUERIES
from registry.web.schemas import Row, row_of, rows_of, type_of

_GENERATING = threading.Lock()
_MEDIA = ("application/json", "application/problem+json")
_METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Shape:
    """An object of a request or an answer. `name` is empty for one without a name."""

    name: str
    description: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back under a status; `shape` names the shape, `type` says it in words."""

    status: str
    shape: str
    type: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One call: where, with what, what comes back, and a command line that makes it."""

    name: str
    method: str
    path: str
    description: str
    parameters: list[Row]
    body: str
    answers: list[Answer]
    example_body: str

    def curl(self, base_url: str) -> str:
        """Return a command line that calls it."""
        query = QUERIES.get(self.name)
        path = re.sub(r"\{(\w+)\}", lambda part: PATHS.get(part[1], part[0]), self.path)
        url = base_url + path + (f"?{urlencode(query, safe='/@^')}" if query else "")
        if self.method == "GET":
            return f"curl {shlex.quote(url)}"
        sent = f" -H 'Content-Type: application/json' \\\n  -d {shlex.quote(self.example_body)}"
        return f"curl -X {self.method} {shlex.quote(url)} \\\n {sent}"


def schema() -> dict[str, Any]:
    """Return the OpenAPI document, generated once a process: it depends on the code alone."""
    with _GENERATING:  # the generator keeps state of its own between its steps
        return _generated()


@cache
def _generated() -> dict[str, Any]:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # drf-spectacular is untyped in part
    document: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


def operations() -> list[Operation]:
    """Return every call, by path."""
    return [
        _operation(path, method, described)
        for path, methods in schema()["paths"].items()
        for method, described in methods.items()
        if method in _METHODS
    ]


def shapes() -> list[Shape]:
    """Return every named shape."""
    found = schema().get("components", {}).get("schemas", {})
    return [Shape(name, one.get("description", ""), list(rows_of(one))) for name, one in found.items()]


def _operation(path: str, method: str, described: dict[str, Any]) -> Operation:
    sent = _json_in(described.get("requestBody", {}))
    name = described["operationId"]
    return Operation(
        name=name,
        method=method.upper(),
        path=path,
        description=described.get("description", ""),
        parameters=[
            row_of(one["name"], _said_of(one), is_required=one.get("required", False))
            for one in described.get("parameters", [])
            if one["name"] != "format"  # DRF's own way to ask for a renderer
        ],
        body=type_of(sent) if sent else "",
        answers=list(_answers(described)),
        example_body=json.dumps(BODIES.get(name, {}), ensure_ascii=False),
    )


def _said_of(parameter: dict[str, Any]) -> dict[str, Any]:
    place = "in the path. " if parameter["in"] == "path" else ""
    said = (place + parameter.get("description", "")).strip()
    return {**parameter.get("schema", {}), "description": said[:1].upper() + said[1:]}


def _answers(described: dict[str, Any]) -> Iterator[Answer]:
    for status, answer in described.get("responses", {}).items():
        shape = _json_in(answer)
        yield Answer(status, type_of(shape) if "$ref" in shape else "", type_of(shape) if shape else "")


def _json_in(described: dict[str, Any]) -> dict[str, Any]:
    content = described.get("content", {})
    found = [content[media]["schema"] for media in _MEDIA if "schema" in content.get(media, {})]
    return found[0] if found else {}
