"""The bad input table, continued: fields around documents, queries, paths, methods and headers."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from consumers.api import urls as consumers
from registry.api.urls import urlpatterns
from tests.registry.api.client import (
    document,
    everything_stored,
    get_json,
    is_problem,
    pointers,
    post_json,
    register_all,
)

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-team:send_email:1.0.0"
REGISTER, BEAT = "/api/tools/register", "/api/tools/heartbeat"
DEREGISTER, SEARCH, SEED = "/api/tools/deregister", "/api/tools/search", "/tools/register"
AVAILABLE, RESOLVE = "/api/tools/available", "/api/tools/resolve"
FORM = {"tools": [document()]}
SIGN = {"tool_ids": [TOOL_ID], "provider_instance": "mail-1"}
END = {"tool_ids": [TOOL_ID]}
WISH = {"query": "send an email"}
HUGE = "x" * 100_000


@pytest.fixture
def _nothing_is_lost() -> Iterator[None]:
    """Check that what is stored stays as it was."""
    register_all([document()], provider_instance="mail-1")
    before = everything_stored()

    yield

    assert everything_stored() == before


# Fields around documents


@pytest.mark.usefixtures("_nothing_is_lost")
@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        (REGISTER, {**FORM, "tools": []}, "/tools"),
        (REGISTER, {**FORM, "tools": [{}] * 501}, "/tools"),
        (REGISTER, {**FORM, "tools": document()}, "/tools"),
        (REGISTER, {**FORM, "tools": None}, "/tools"),
        (REGISTER, {**FORM, "provider_instance": ""}, "/provider_instance"),
        (REGISTER, {**FORM, "provider_instance": "x" * 201}, "/provider_instance"),
        (REGISTER, {**FORM, "providerInstance": 5}, "/providerInstance"),
        (REGISTER, {**FORM, "instance_endpoint": "localhost"}, "/instance_endpoint"),
        (REGISTER, {**FORM, "instanceEndpoint": "http://" + HUGE}, "/instanceEndpoint"),
        (REGISTER, [], ""),
        (REGISTER, [{}] * 501, ""),
        (BEAT, {}, "/tool_ids"),
        (BEAT, {"tool_ids": [TOOL_ID]}, "/provider_instance"),
        (BEAT, {**SIGN, "tool_ids": []}, "/tool_ids"),
        (BEAT, {**SIGN, "tool_ids": [TOOL_ID] * 5001}, "/tool_ids"),
        (BEAT, {**SIGN, "tool_ids": TOOL_ID}, "/tool_ids"),
        (BEAT, {"toolIds": [TOOL_ID, 5], "providerInstance": "x"}, "/toolIds/1"),
        (BEAT, {"toolIds": [""], "providerInstance": "x"}, "/toolIds/0"),
        (BEAT, {"toolIds": [None], "providerInstance": "x"}, "/toolIds/0"),
        (BEAT, {"toolIds": [HUGE], "providerInstance": "x"}, "/toolIds/0"),
        (BEAT, {**SIGN, "provider_instance": ""}, "/provider_instance"),
        (BEAT, {**SIGN, "provider_instance": None}, "/provider_instance"),
        (BEAT, {**SIGN, "provider_instance": "x" * 201}, "/provider_instance"),
        (BEAT, {**SIGN, "providerInstance": "y"}, "/providerInstance"),
        (BEAT, {**SIGN, "timestamp": True}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": {}}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": "yesterday"}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": ""}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": "2026-13-45T99:00"}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": [2026, 13, 45]}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": [2026]}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": []}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": [2**63, 1, 1]}, "/timestamp"),
        (BEAT, {**SIGN, "timestamp": "2" * 100_000}, "/timestamp"),
        (DEREGISTER, {}, "/tool_ids"),
        (DEREGISTER, {"toolIds": []}, "/toolIds"),
        (DEREGISTER, {"toolIds": [TOOL_ID] * 5001}, "/toolIds"),
        (DEREGISTER, {**END, "provider_instance": ""}, "/provider_instance"),
        (SEARCH, {}, "/query"),
        (SEARCH, {"query": ""}, "/query"),
        (SEARCH, {"query": " \n\u3000"}, "/query"),
        (SEARCH, {"query": None}, "/query"),
        (SEARCH, {"query": 5}, "/query"),
        (SEARCH, {"query": "x" * 2001}, "/query"),
        (SEARCH, {**WISH, "top_k": 0}, "/top_k"),
        (SEARCH, {**WISH, "topK": -1}, "/topK"),
        (SEARCH, {**WISH, "topK": 101}, "/topK"),
        (SEARCH, {**WISH, "topK": 2**63}, "/topK"),
        (SEARCH, {**WISH, "top_k": "5"}, "/top_k"),
        (SEARCH, {**WISH, "top_k": 5.5}, "/top_k"),
        (SEARCH, {**WISH, "top_k": True}, "/top_k"),
        (SEARCH, {**WISH, "max_tokens": 0}, "/max_tokens"),
        (SEARCH, {**WISH, "maxTokens": -5}, "/maxTokens"),
        (SEARCH, {**WISH, "maxTokens": 10**18}, "/maxTokens"),
        (SEARCH, {**WISH, "category": 5}, "/category"),
        (SEARCH, {**WISH, "category": ["mail", 5]}, "/category/1"),
        (SEARCH, {**WISH, "tag": [""]}, "/tag/0"),
        (SEARCH, {**WISH, "tag": ["x"] * 51}, "/tag"),
        (SEARCH, {**WISH, "cost_level": "FREE"}, "/cost_level"),
        (SEARCH, {**WISH, "costLevel": "low"}, "/costLevel"),
        (SEARCH, {**WISH, "readOnly": "true"}, "/readOnly"),
        (SEARCH, {**WISH, "idempotent": 1}, "/idempotent"),
        (SEARCH, {**WISH, "includeDeprecated": "yes"}, "/includeDeprecated"),
        (SEARCH, {**WISH, "provider": HUGE}, "/provider"),
        (SEARCH, {**WISH, "top_k": 1, "topK": 1}, "/topK"),
    ],
)
def test_a_wrong_field_is_422_and_named_as_it_was_sent(path, body, pointer):
    problem = is_problem(post_json(path, body), 422, "invalid")

    assert pointer in pointers(problem), problem


@pytest.mark.usefixtures("_nothing_is_lost")
@pytest.mark.parametrize(
    ("path", "body", "pointer", "nearest"),
    [
        (REGISTER, document(descripton="x"), "/descripton", "description"),
        (REGISTER, document(capabilities={"tag": []}), "/capabilities/tag", "tags"),
        (REGISTER, document(endpoint={"url": "http://h", "uri": "x"}), "/endpoint/uri", "url"),
        (REGISTER, {**FORM, "provider_instances": "x"}, "/provider_instances", "provider_instance"),
        (BEAT, {**SIGN, "tool_id": TOOL_ID}, "/tool_id", "tool_ids"),
        (DEREGISTER, {**END, "instance": "x"}, "/instance", "provider_instance"),
        (SEARCH, {**WISH, "topk": 5}, "/topk", "top_k"),
        (SEARCH, {**WISH, "a/b~c": 5}, "/a~1b~0c", None),
        (SEED, {"name": "x", "endpoint": "/x", "scopes": [], "descripton": ""}, "/descripton", "description"),
        (BEAT, {**SIGN, "int": 5}, "/int", None),
        (BEAT, {**SIGN, "": 5}, "/", None),
    ],
)
def test_an_unknown_field_is_422_and_the_nearest_names_are_said(path, body, pointer, nearest):
    problem = is_problem(post_json(path, body), 422, "invalid")

    assert pointers(problem) == [pointer]
    assert problem["errors"][0]["code"] == "unknown_field"
    assert nearest is None or nearest in problem["nearest"]


def test_a_huge_unknown_field_is_refused_at_once():
    is_problem(post_json(SEARCH, {**WISH, HUGE * 10: 1}), 422, "invalid")


def test_fifty_faults_are_listed_at_most():
    problem = is_problem(post_json(BEAT, {**SIGN, "tool_ids": [None] * 1000}), 422, "invalid")

    assert len(problem["errors"]) == 50


# Queries


@pytest.mark.parametrize(
    ("path", "query", "pointer"),
    [
        (AVAILABLE, "limit=0", "/limit"),
        (AVAILABLE, "limit=-1", "/limit"),
        (AVAILABLE, "limit=1001", "/limit"),
        (AVAILABLE, "limit=1.5", "/limit"),
        (AVAILABLE, "limit=ten", "/limit"),
        (AVAILABLE, "limit=" + "9" * 400, "/limit"),
        (AVAILABLE, "limit=" + "9" * 5000, "/limit"),
        (AVAILABLE, "limit=1&limit=2", "/limit"),
        (AVAILABLE, "read_only=maybe", "/read_only"),
        (AVAILABLE, "readOnly=maybe", "/readOnly"),
        (AVAILABLE, "cost_level=low", "/cost_level"),
        (AVAILABLE, "includeDeprecated=2", "/includeDeprecated"),
        (AVAILABLE, "includeDeprecated=1&include_deprecated=1", "/include_deprecated"),
        (AVAILABLE, "category=" + HUGE, "/category/0"),
        (AVAILABLE, "&".join(["tag=x"] * 51), "/tag"),
        (AVAILABLE, "provider=" + "x" * 64, "/provider"),
        (AVAILABLE, "cursor=%F0%9F%92%A9", "/cursor"),
        (AVAILABLE, "cursor=" + HUGE, "/cursor"),
        (AVAILABLE, "cursor=!!!", "/cursor"),
        (AVAILABLE, "cursor=abc", "/cursor"),
        (AVAILABLE, "cursor=AA==", "/cursor"),
        (AVAILABLE, "cursor=YQBi", "/cursor"),
        (AVAILABLE, "cursor=gICA", "/cursor"),
        (AVAILABLE, "cursor=7aCA", "/cursor"),
        (AVAILABLE, "cursor=bWFpbC10ZWFtOnNlbmRfZW1haWw6MS4wLjA", "/cursor"),
        (AVAILABLE, "cursor=a&cursor=b", "/cursor"),
        (RESOLVE, "ref=" + HUGE, "/ref"),
        (RESOLVE, "ref=" + "x" * 500_000, "/ref"),
        (RESOLVE, "name=send_email&version=" + "1" * 1025, "/version"),
        (RESOLVE, "name=send_email&version=" + HUGE, "/version"),
        (RESOLVE, "name=send_email&version=latest%20!", "/version"),
        (RESOLVE, "name=send_email&version=" + "1%20||" * 300, "/version"),
        (RESOLVE, "ref=send_email@" + "%5E" * 1000, "/ref"),
        (RESOLVE, "ref=send_email@99999999999999999999.0.0", "/ref"),
        (RESOLVE, "ref=send_email@1.0.0-01", "/ref"),
        (RESOLVE, "ref=a/b/c", "/ref"),
        (RESOLVE, "ref=@1", "/ref"),
        (RESOLVE, "name=" + HUGE, "/name"),
    ],
)
def test_a_wrong_query_parameter_is_422_and_named_as_it_was_sent(path, query, pointer):
    problem = is_problem(get_json(f"{path}?{query}"), 422)

    assert pointers(problem) == [pointer]
    assert problem["code"] in {"invalid", "range_invalid", "reference_invalid"}


@pytest.mark.parametrize(
    ("path", "query", "pointer", "nearest"),
    [
        (AVAILABLE, "categories=x", "/categories", ["category"]),
        (AVAILABLE, "format=xml", "/format", []),
        (AVAILABLE, "a%2Fb~=1", "/a~1b~0", []),
        (AVAILABLE, HUGE + "=", "/" + HUGE, []),
        (RESOLVE, "range=^1", "/range", ["ref"]),
        (f"/api/tools/{TOOL_ID}", "versions=1", "/versions", []),
        ("/api/tools/mail-team/send_email/versions", "limit=1", "/limit", []),
        ("/api/stats", "a=", "/a", []),
    ],
)
def test_an_unknown_query_parameter_is_422(path, query, pointer, nearest):
    problem = is_problem(get_json(f"{path}?{query}"), 422, "invalid")

    assert pointers(problem) == [pointer]
    assert problem["nearest"] == nearest


@pytest.mark.parametrize("path", [AVAILABLE, RESOLVE, "/api/stats", f"/api/tools/{TOOL_ID}"])
@pytest.mark.parametrize("query", ["tag=%FF", "%ED%A0%80=x", "tag=%C0%80", "&".join(["tag=x"] * 1001)])
def test_a_query_that_cannot_be_parsed_is_400(path, query):
    is_problem(get_json(f"{path}?{query}"), 400, "malformed")


@pytest.mark.parametrize(
    ("path", "name"),
    [(AVAILABLE, "tag"), (AVAILABLE, "cursor"), (AVAILABLE, "limit"), (RESOLVE, "ref"), (RESOLVE, "version")],
)
def test_nul_in_a_query_is_400_and_names_the_parameter(path, name):
    problem = is_problem(get_json(f"{path}?{name}=a%00b"), 400, "malformed")

    assert pointers(problem) == [f"/{name}"]


# Paths, methods, headers

BAD_SEGMENTS = [
    "%ED%A0%80",
    "%FF",
    "%C0%80",
    "%25",
    "%F0%9F%92%A9",
    "x" * 10_000,
    "..%5C..",
    "'%20OR%201=1",
    "%2e",
]


@pytest.mark.parametrize("segment", BAD_SEGMENTS)
def test_a_strange_path_is_404(segment):
    for path in (
        f"/api/tools/{segment}",
        f"/api/tools/{segment}/x/versions",
        f"/api/tools/x/{segment}/versions",
    ):
        is_problem(get_json(path), 404, "tool_not_found")
    is_problem(get_json(f"/tools/{segment}"), 404, "tool_not_found")


@pytest.mark.parametrize("path", ["/api/tools/a%00b", "/api/tools/%00/x/versions", "/tools/%00"])
def test_nul_in_a_path_is_400(path):
    is_problem(get_json(path), 400, "malformed")


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere",
        "/api",
        "/api/",
        "/api/tools",
        "/api/tools/",
        "/api/tools/register/",
        "/api/tools/available/",
        "/api/stats/",
        "/tools/",
        "/stats/",
        "/health/",
        "/api//tools/available",
        "/%00",
        "/%FF",
        "/API/tools/available",
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_address_and_a_trailing_slash_are_404(path, method):
    is_problem(getattr(Client(enforce_csrf_checks=True), method)(path), 404, "not_found")


_METHODS = ("get", "post", "put", "delete")


def addresses() -> list[tuple[str, set[str]]]:
    """Return every address of the REST interface with its methods."""
    filled = {
        "<str:tool_id>": TOOL_ID,
        "<str:provider>": "mail-team",
        "<str:name>": "send_email",
        "<str:channel>": "stable",
        "<int:migration>": "1",
        "<uuid:approval>": "00000000-0000-0000-0000-000000000001",
        "<str:session_id>": "s1",
    }
    found = []
    for route in [*urlpatterns, *consumers.urlpatterns]:
        path = "/" + str(route.pattern)
        for converter, value in filled.items():
            path = path.replace(converter, value)
        callback: Any = route.callback
        found.append((path, {name for name in _METHODS if hasattr(callback.view_class, name)}))
    return found


@pytest.mark.usefixtures("_nothing_is_lost")
@pytest.mark.parametrize(("path", "allowed"), addresses())
def test_a_wrong_method_is_405_and_says_the_right_ones(path, allowed):
    for method in {"get", "post", "put", "patch", "delete"} - allowed:
        answer = getattr(Client(enforce_csrf_checks=True), method)(path)

        is_problem(answer, 405, "method_not_allowed")
        assert {name.lower() for name in answer["Allow"].split(", ")} - {"head", "options"} == allowed


@pytest.mark.parametrize("accept", ["text/xml", "image/*", "application/yaml", ";;", "x"])
@pytest.mark.parametrize("path", [AVAILABLE, "/stats", "/health", f"/api/tools/{TOOL_ID}"])
def test_an_accept_that_cannot_be_met_is_406(path, accept):
    is_problem(get_json(path, headers={"accept": accept}), 406, "not_acceptable")


@pytest.mark.parametrize("host", ["evil.example", "a b", "[::1", "localhost/../x", "\u00e9"])
def test_an_unknown_host_is_400(host):
    is_problem(get_json(AVAILABLE, headers={"host": host}), 400, "malformed")
