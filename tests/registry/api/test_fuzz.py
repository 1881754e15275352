"""Whatever is sent, the answer is below 500, and a refusal is a complete problem."""

import json
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consumers.api import session_shapes
from consumers.api import shapes as consumer_shapes
from registry.api import shapes
from tests.registry.api.client import CAMEL, Answer, document, post_bytes, register, well_formed
from toolroster.definition import ToolDefinition

pytestmark = pytest.mark.django_db
MODERATE = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,  # the same on every machine
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TOOL_ID = "mail-team:send_email:1.0.0"
JAVA = ["toolIds", "topK", "providerInstance", "costLevel", "readOnly", "includeDeprecated", "policy", "int"]
SHAPES = {
    "/api/tools/register": [*ToolDefinition.model_fields, "tools", "provider_instance"],
    "/api/tools/heartbeat": list(shapes.Heartbeat.model_fields),
    "/api/tools/deregister": list(shapes.Deregistration.model_fields),
    "/api/tools/search": list(shapes.SearchRequest.model_fields),
    "/tools/register": list(shapes.SeedTool.model_fields),
    "/api/tools/compatibility": list(shapes.Comparison.model_fields),
    f"/api/tools/{TOOL_ID}/deprecate": list(shapes.Deprecation.model_fields),
    "/api/tools/mail-team/send_email/consumers": list(consumer_shapes.Impact.model_fields),
    "/api/tools/mail-team/send_email/migrations": list(consumer_shapes.Migration.model_fields),
    "/api/agents/me/events/ack": list(consumer_shapes.Acknowledgement.model_fields),
    "/api/memory/store_memory": list(session_shapes.Memory.model_fields),
    "/api/memory/get_compressed_memory": list(session_shapes.Remembering.model_fields),
}
QUERIES = {
    "/api/tools/available": list(shapes.ListQuery.model_fields),
    "/api/tools/resolve": list(shapes.ResolveQuery.model_fields),
    f"/api/tools/{TOOL_ID}": ["tool_id"],
    "/api/tools/mail-team/send_email/versions": ["limit"],
    "/api/tools/mail-team/send_email/channels": ["limit"],
    "/api/events": list(consumer_shapes.EventQuery.model_fields),
    "/api/agents/me/events": list(consumer_shapes.EventQuery.model_fields),
    "/api/sessions": list(session_shapes.SessionsQuery.model_fields),
    "/api/sessions/s1": ["session_id"],
    "/api/stats": ["name"],
    "/": ["name"],
    "/stats": ["name"],
    "/tools/send_email": ["name"],
    "/health/live": ["name"],
}

TELLING = f"""{TOOL_ID}|send_email|mail-team|1.0.0|^1|1 - 2|latest|PT5S|true|5|/x|http://h:1/x|https://h|object|
string|$ref|#| ||é|e\u0301|\U0001f4a9|\u2028|a\x00"""
KEYWORDS = "name|type|url|required|default|enum|properties|$ref|items|pattern|minimum|anyOf|description"

numbers = st.integers(-(2**65), 2**65) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers
texts = st.sampled_from(TELLING.split("|")) | st.text(max_size=20)
names = st.sampled_from(KEYWORDS.split("|")) | texts
latin = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_categories=["Cc"]), max_size=30)


def objects(known: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw objects that use the fields of a shape more often than others."""
    inner = st.recursive(
        scalars | texts,
        lambda below: st.lists(below, max_size=4) | st.dictionaries(names, below, max_size=4),
        max_leaves=8,
    )
    return st.dictionaries(st.sampled_from(known) | st.sampled_from(JAVA) | texts, inner, max_size=6)


def is_answered(answer: Answer) -> None:
    """Assert that an answer is no failure, and that a refusal is a complete problem."""
    assert answer.status_code < 500 or answer.status_code == 503, answer.content
    assert answer["X-Request-Id"]
    body = json.loads(answer.content)
    if answer.status_code >= 400 and "results" not in body:
        assert answer["Content-Type"] == "application/problem+json"
        assert well_formed(body), body
    elif answer.status_code < 400:
        assert answer["Content-Type"] in {"application/json", CAMEL}


@pytest.mark.parametrize("path", SHAPES)
@MODERATE
@given(data=st.data())
def test_any_json_body_is_answered(path, data):
    sent = data.draw(objects(SHAPES[path]))
    valid = {
        "/api/tools/register": document(),
        "/tools/register": {"name": "x", "endpoint": "/x", "scopes": []},
    }
    body = data.draw(st.sampled_from([sent, {**valid.get(path, {}), **sent}, [sent], {"tools": [sent]}]))
    headers = data.draw(st.sampled_from([{}, {"accept": CAMEL}]))

    is_answered(post_bytes(path, json.dumps(body).encode(), headers=headers))


@pytest.mark.parametrize("path", SHAPES)
@MODERATE
@given(body=st.binary(max_size=50))
def test_any_bytes_are_answered(path, body):
    is_answered(post_bytes(path, body))


@pytest.mark.parametrize("path", QUERIES)
@MODERATE
@given(data=st.data())
def test_any_query_string_is_answered(path, data):
    known = st.sampled_from(QUERIES[path] + JAVA)
    pairs = st.lists(st.tuples(known | texts, texts), max_size=4).map(urlencode)
    query = data.draw(pairs | st.binary(max_size=30).map(quote_from_bytes) | st.text("%&=+;ab0", max_size=20))
    headers = data.draw(st.sampled_from([{}, {"accept": CAMEL}, {"accept": "application/json"}]))

    is_answered(Client(raise_request_exception=False).get(f"{path}?{query}", headers=headers))


@pytest.mark.parametrize("path", ["/api/tools/{}", "/api/tools/{}/x/versions", "/tools/{}", "/{}"])
@MODERATE
@given(segment=st.binary(min_size=1, max_size=20))
def test_any_path_is_answered(path, segment):
    address = path.format(quote_from_bytes(segment, safe=""))

    answer = Client(raise_request_exception=False).get(address, headers={"accept": "application/json"})

    is_answered(answer)


@MODERATE
@given(header=latin)
def test_any_authorization_header_is_401(header):
    answer = Client(raise_request_exception=False).get("/api/stats", headers={"authorization": header})

    is_answered(answer)
    assert answer.status_code == 401


def test_the_registry_still_serves_after_it_all():
    assert register()["outcome"] == "created"
