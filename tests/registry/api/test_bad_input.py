"""The bad input table: each a 4xx problem that points at what was sent, nothing lost, never a 500."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.registry.api.client import (
    document,
    everything_stored,
    is_problem,
    pointers,
    post_bytes,
    post_json,
    register_all,
)

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-team:send_email:1.0.0"
REGISTER, BEAT = "/api/tools/register", "/api/tools/heartbeat"
DEREGISTER, SEARCH, SEED = "/api/tools/deregister", "/api/tools/search", "/tools/register"
POSTS = [REGISTER, BEAT, DEREGISTER, SEARCH, SEED]
VALID: dict[str, dict[str, Any]] = {
    REGISTER: document(),
    BEAT: {"tool_ids": [TOOL_ID], "provider_instance": "mail-1"},
    DEREGISTER: {"tool_ids": [TOOL_ID]},
    SEARCH: {"query": "send an email"},
    SEED: {"name": "weather", "endpoint": "/tools/weather", "scopes": []},
}


@pytest.fixture(autouse=True)
def _nothing_is_lost() -> Iterator[None]:
    """Every test of this table leaves what is stored as it was."""
    register_all([document()], provider_instance="mail-1")
    before = everything_stored()

    yield

    assert everything_stored() == before


# Bodies that cannot be parsed


def nested(levels: int) -> bytes:
    return b'{"query":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


MALFORMED = {
    "empty": b"",
    "blank": b" \n ",
    "words": b"hello",
    "form": b"query=x&top_k=1",
    "truncated": b'{"query": "send an em',
    "trailing comma": b'{"query": "x",}',
    "two values": b'{"query": "x"} {"query": "x"}',
    "single quotes": b"{'query': 'x'}",
    "utf-16": '{"query": "x"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"query": "x"}',
    "not utf-8": b'{"query": "\xff"}',
    "encoded surrogate": b'{"query": "\xed\xa0\x80"}',
    "escaped surrogate": b'{"query": "\\ud800"}',
    "surrogates in the wrong order": b'{"query": "\\udc00\\ud800"}',
    "surrogate in a name": b'{"\\udfff": 1}',
    "nul": b'{"query": "a\\u0000b"}',
    "nul in a name": b'{"qu\\u0000ery": "x"}',
    "bare nul": b'{"query": "a\x00b"}',
    "nan": b'{"query": NaN}',
    "infinity": b'{"query": -Infinity}',
    "1e999": b'{"query": 1e999}',
    "2^70": b'{"query": 1180591620717411303424}',
    "-2^70": b'{"query": [-1180591620717411303424]}',
    "5000 digits": b'{"query": ' + b"1" * 5000 + b"}",
    "a name twice": b'{"query": "x", "query": "y"}',
    "an inner name twice": b'{"query": {"a": 1, "a": 2}}',
    "101 levels": nested(101),
    "100,000 levels": nested(100_000),
    "a million open brackets": b"[" * 1_000_000,
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_a_body_that_cannot_be_parsed_is_400(body):
    for path in POSTS:
        is_problem(post_bytes(path, body), 400, "malformed")


def test_a_hundred_levels_are_parsed():
    for path in POSTS:
        is_problem(post_bytes(path, nested(100)), 422)


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "multipart/form-data",
        "text/plain",
        "application/xml",
        "application/jsonp",
        "json",
        ";;",
    ],
)
def test_another_content_type_is_415(content_type):
    for path in POSTS:
        answer = post_bytes(path, json.dumps(VALID[path]).encode(), content_type=content_type)

        is_problem(answer, 415, "unsupported_media_type")


def test_a_body_over_the_limit_is_413(settings):
    settings.MAX_BODY_BYTES = 2000

    for path in POSTS:
        body = json.dumps(VALID[path]).encode()

        is_problem(post_bytes(path, body.ljust(2001)), 413, "body_too_large")


@pytest.mark.parametrize("value", [None, True, 5, 0.5, "text"])
def test_a_body_that_is_no_object_is_422_and_points_at_the_whole(value):
    for path in POSTS:
        assert pointers(is_problem(post_json(path, value), 422, "invalid")) == [""]


@pytest.mark.parametrize("value", [[], [{}], [[]]])
def test_a_list_where_an_object_belongs_is_422(value):
    for path in (BEAT, DEREGISTER, SEARCH, SEED):
        assert pointers(is_problem(post_json(path, value), 422, "invalid")) == [""]


def test_a_list_in_a_list_is_refused_by_itself():
    answer = post_json(REGISTER, [[document("other")], "text", None])

    assert [result["outcome"] for result in answer.json()["results"]] == ["refused"] * 3


# Fields of the document

NO_TEXT: list[Any] = [5, True, [], {}, ["x"]]
NO_LIST: list[Any] = ["text", 5, True, {"a": 1}]
NO_OBJECT: list[Any] = ["text", 5, False, [1]]
NO_NUMBER: list[Any] = ["5", True, [], 0.5]
NO_TRUTH: list[Any] = ["true", 1, 0, [], {}]
WRONG_TYPES = {
    "provider": NO_TEXT,
    "name": NO_TEXT,
    "version": NO_TEXT,
    "display_name": NO_TEXT,
    "displayName": NO_TEXT,
    "description": NO_TEXT,
    "returns": NO_TEXT,
    "examples": NO_LIST,
    "examples/0": [5, None, []],
    "parameters": NO_LIST,
    "parameters/0": [5, "text", None, []],
    "parameters/0/name": NO_TEXT,
    "parameters/0/type": [5, True, {}],
    "parameters/0/description": NO_TEXT,
    "parameters/0/required": NO_TRUTH,
    "parameters/0/format": NO_TEXT,
    "parameters/0/enum": NO_LIST,
    "parameters/0/enumValues": NO_LIST,
    "input_schema": NO_OBJECT,
    "inputSchema": NO_OBJECT,
    "output_schema": NO_OBJECT,
    "scopes": NO_LIST,
    "scopes/0": [5, None, "", "two words", "\u00e9", "x" * 201],
    "endpoint": NO_OBJECT,
    "endpoint/url": [
        *NO_TEXT,
        "",
        "ftp://h",
        "http://",
        "http://h:99999/",
        "http://[::1/",
        "//h",
        "x" * 3000,
    ],
    "endpoint/transport": [*NO_TEXT, "grpc"],
    "endpoint/method": [*NO_TEXT, "post", "BREW"],
    "endpoint/audience": NO_TEXT,
    "capabilities": NO_OBJECT,
    "capabilities/categories": NO_LIST,
    "capabilities/categories/0": [5, None, "", "x" * 101],
    "capabilities/tags": NO_LIST,
    "capabilities/cost_level": [*NO_TEXT, "low", "FREE"],
    "capabilities/costLevel": [*NO_TEXT, "low", "FREE"],
    "capabilities/idempotent": NO_TRUTH,
    "capabilities/readOnly": NO_TRUTH,
    "capabilities/destructive": NO_TRUTH,
    "capabilities/avg_latency_ms": [*NO_NUMBER, -1, 2**63],
    "capabilities/avgLatency": [True, [], -1, 1e300, "5", "PT", "P1Y", "PT-5S", "P" + "1" * 100_000 + "D"],
    "policy": NO_OBJECT,
    "policy/rate_limit_per_minute": [*NO_NUMBER, 0, -1],
    "policy/rateLimit": [*NO_NUMBER, 0, 2**53],
    "policy/timeout_ms": [*NO_NUMBER, 0],
    "policy/timeout": [True, {}, 0, "PT0S", "soon"],
    "policy/maxConcurrentCalls": [*NO_NUMBER, 0],
    "policy/allowedRoles": NO_LIST,
    "policy/requiresApproval": NO_TRUTH,
    "alternatives": NO_LIST,
    "alternatives/0": [5, "text", []],
    "alternatives/0/ref": [*NO_TEXT, ""],
    "alternatives/0/arguments": NO_OBJECT,
    "liveness": [*NO_TEXT, "pulse"],
}


def with_value(where: str, value: Any) -> dict[str, Any]:
    """Return a document of another tool that has a value at a pointer."""
    for step in reversed(where.split("/")):
        value = [value] if step == "0" else {step: value}
    return {**document("other"), **value}


@pytest.mark.parametrize("where", WRONG_TYPES)
def test_a_wrong_value_in_a_document_is_422_and_named_as_it_was_sent(where):
    for value in WRONG_TYPES[where]:
        problem = is_problem(post_json(REGISTER, with_value(where, value)), 422, "invalid")

        assert f"/{where}" in {shortened(found, where) for found in pointers(problem)}, (value, problem)


def shortened(pointer: str, where: str) -> str:
    """Cut what a pointer says of the inside of a wrong value."""
    return f"/{where}" if pointer.startswith(f"/{where}/") else pointer
