"""seeds/004's client: what it sends and what it gets, word for word."""

from typing import Any

import pytest

from registry.models import ToolInstance, ToolRegistration
from tests.registry.api.client import (
    CAMEL,
    document,
    get_json,
    is_problem,
    pointers,
    post_json,
    register,
    register_all,
)

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-service:send_email:1.2.0"
# What Jackson writes of the seed's ToolRegistration: nulls, a LocalDateTime without zone, Durations.
REGISTRATION: dict[str, Any] = {
    "toolId": TOOL_ID,
    "provider": "mail-service",
    "name": "send_email",
    "version": "1.2.0",
    "displayName": None,
    "description": "发送邮件",
    "parameters": [
        {
            "name": "to",
            "type": "string",
            "description": "Recipient",
            "required": True,
            "defaultValue": None,
            "format": "email",
            "enumValues": None,
        },
        {
            "name": "priority",
            "type": "string",
            "description": None,
            "required": False,
            "defaultValue": "low",
            "format": None,
            "enumValues": ["low", "high"],
        },
        {"name": "link", "type": "string", "required": False, "format": "url"},
    ],
    "endpoint": None,
    "capabilities": {
        "categories": ["communication", "email"],
        "tags": ["async"],
        "costLevel": "LOW",
        "idempotent": False,
        "readOnly": False,
        "avgLatency": None,
    },
    "policy": {"rateLimit": 100, "timeout": "PT5S", "allowedRoles": None, "requiresApproval": False},
    "status": "ACTIVE",
    "registeredAt": "2026-11-30T13:54:40.123456789",
    "lastHeartbeatAt": None,
}
JAVA = {"accept": CAMEL}


def listed(**query) -> list[dict[str, Any]]:
    answer = get_json("/api/tools/available", query=query, headers=JAVA)
    assert answer["Content-Type"] == CAMEL
    rows: list[dict[str, Any]] = answer.json()
    return rows


def test_a_registration_with_nulls_and_a_time_without_zone_is_taken():
    answer = post_json("/api/tools/register", REGISTRATION, headers=JAVA)

    assert answer.status_code == 200
    assert answer["Content-Type"] == CAMEL
    assert answer.json() == [
        {"toolId": TOOL_ID, "outcome": "created", "changes": [], "compatibility": None, "problem": None}
    ]


@pytest.mark.parametrize(
    "registered_at",
    ["2026-11-30T13:54:40", [2026, 11, 30, 13, 54, 40, 123456789], [2026, 11, 30, 13, 54], None],
)
def test_what_the_server_owns_is_ignored_however_it_is_written(registered_at):
    sent = {
        **REGISTRATION,
        "registeredAt": registered_at,
        "lastHeartbeatAt": registered_at,
        "status": "RETIRED",
    }

    post_json("/api/tools/register", sent)

    (row,) = listed()
    assert row["status"] == "ACTIVE"
    assert row["registeredAt"].endswith("Z")
    assert row["lastHeartbeatAt"] is None


def test_the_list_is_a_bare_array_in_the_seeds_spelling():
    post_json("/api/tools/register", REGISTRATION)

    (row,) = listed()

    assert row["toolId"] == TOOL_ID
    assert row["displayName"] == ""
    assert row["parameters"][1] == {
        "name": "priority",
        "type": "string",
        "required": False,
        "defaultValue": "low",
        "enumValues": ["low", "high"],
    }
    assert row["parameters"][2]["format"] == "uri"
    assert row["capabilities"].items() >= {"costLevel": "LOW", "readOnly": False, "avgLatency": None}.items()
    assert (
        row["policy"].items()
        >= {
            "rateLimit": 100,
            "timeout": "PT5S",
            "allowedRoles": [],
            "requiresApproval": False,
        }.items()
    )
    assert not [name for name in row if "_" in name]


def test_what_is_served_in_java_spelling_can_be_sent_back_unchanged():
    post_json("/api/tools/register", REGISTRATION)
    (row,) = listed()

    answer = post_json("/api/tools/register", row, headers=JAVA)

    assert [result["outcome"] for result in answer.json()] == ["unchanged"]


@pytest.mark.parametrize(
    ("sent", "milliseconds", "served"),
    [("PT5S", 5000, "PT5S"), ("PT0.25S", 250, "PT0.25S"), (5.0, 5000, "PT5S"), ("PT1M", 60_000, "PT60S")],
)
def test_durations_are_iso_8601_or_seconds_in_java_and_milliseconds_here(sent, milliseconds, served):
    post_json(
        "/api/tools/register",
        {"name": "x", "policy": {"timeout": sent}, "capabilities": {"avgLatency": sent}},
    )

    ours = get_json("/api/tools/unknown:x:1.0.0").json()
    theirs = get_json("/api/tools/unknown:x:1.0.0", headers=JAVA).json()

    assert ours["policy"]["timeout_ms"] == ours["capabilities"]["avg_latency_ms"] == milliseconds
    assert theirs["policy"]["timeout"] == theirs["capabilities"]["avgLatency"] == served


@pytest.mark.parametrize(
    "timestamp",
    ["2026-11-30T13:54:40.123456789", [2026, 11, 30, 13, 54, 40, 123456789], [2026, 11, 30, 13, 54]],
)
def test_the_seeds_heartbeat_is_taken(timestamp, settings):
    post_json("/api/tools/register", REGISTRATION)
    request = {"toolIds": [TOOL_ID], "providerInstance": "10.0.0.7:8080", "timestamp": timestamp}

    answer = post_json("/api/tools/heartbeat", request, headers=JAVA)

    assert answer.json() == {
        "results": [{"toolId": TOOL_ID, "outcome": "renewed"}],
        "nextBeatSeconds": settings.HEARTBEAT_SECONDS,
    }
    assert ToolInstance.objects.get().provider_instance == "10.0.0.7:8080"


def test_a_heartbeat_of_unknown_tools_is_404_in_the_seeds_spelling_too():
    request = {"toolIds": [TOOL_ID], "providerInstance": "10.0.0.7:8080"}

    answer = post_json("/api/tools/heartbeat", request, headers=JAVA)

    assert answer.status_code == 404
    assert answer["Content-Type"] == CAMEL
    assert answer.json()["results"] == [{"toolId": TOOL_ID, "outcome": "unknown"}]


def test_the_seeds_deregistration_names_tools_alone():
    post_json("/api/tools/register", REGISTRATION)

    answer = post_json("/api/tools/deregister", {"toolIds": [TOOL_ID]}, headers=JAVA)

    assert answer.json() == [{"toolId": TOOL_ID, "outcome": "ended"}]
    assert listed() == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, 1),
        ({"category": "email", "tag": "async", "includeDeprecated": "false"}, 1),
        ({"category": "", "tag": "", "includeDeprecated": ""}, 1),
        ({"category": "files", "tag": "", "includeDeprecated": "true"}, 0),
    ],
)
def test_the_seeds_list_call_works_with_values_and_with_empty_ones(query, found):
    post_json("/api/tools/register", REGISTRATION)

    assert len(listed(**query)) == found


def test_include_deprecated_lists_deprecated_tools():
    post_json("/api/tools/register", REGISTRATION)
    ToolRegistration.objects.update(lifecycle="DEPRECATED")

    assert listed() == []
    assert [row["status"] for row in listed(includeDeprecated="true")] == ["DEPRECATED"]


def test_the_seeds_search_is_a_bare_array_of_tools_with_similarity():
    post_json("/api/tools/register", REGISTRATION)

    answer = post_json("/api/tools/search", {"query": "发送邮件", "topK": 5}, headers=JAVA)

    assert answer["Content-Type"] == CAMEL
    (result,) = answer.json()
    assert result.keys() == {"tool", "similarity", "score", "why", "nearDuplicates"}
    assert result["tool"]["toolId"] == TOOL_ID


def test_single_answers_are_respelled_and_versions_are_a_bare_array():
    post_json("/api/tools/register", REGISTRATION)

    resolved = get_json("/api/tools/resolve", query={"name": "send_email", "version": "^1.0.0"}, headers=JAVA)
    versions = get_json("/api/tools/mail-service/send_email/versions", headers=JAVA)

    assert resolved.json()["toolId"] == TOOL_ID
    assert [row["toolId"] for row in versions.json()] == [TOOL_ID]


def test_a_problem_keeps_the_names_of_rfc_9457_and_points_at_java_names():
    sent = {**REGISTRATION, "policy": {"rateLimit": 0, "timeout": "soon", "requires_approval": 1}}

    problem = is_problem(post_json("/api/tools/register", sent, headers=JAVA), 422, "invalid")

    assert set(pointers(problem)) <= {"/policy/rateLimit", "/policy/timeout", "/policy/requires_approval"}


def test_a_problem_in_a_batch_is_not_respelled():
    answer = post_json("/api/tools/register", [{"name": "no name!"}], headers=JAVA)

    (result,) = answer.json()
    assert result["toolId"] is None
    assert result["problem"]["retry_after_seconds"] is None


def test_names_inside_schemas_are_never_respelled():
    schema = {
        "type": "object",
        "properties": {"display_name": {"type": "object", "properties": {"tool_id": {"type": "string"}}}},
    }
    register("tool", input_schema=schema)

    (row,) = listed()

    assert row["inputSchema"]["properties"] == schema["properties"]
    assert row["parameters"][0]["name"] == "display_name"


def test_a_java_client_gets_all_without_pages_and_a_link_where_it_asked_for_fewer():
    register_all([document(f"tool_{number:03}") for number in range(120)])

    answer = get_json("/api/tools/available", query={"category": "", "limit": "50"}, headers=JAVA)

    assert len(listed()) == 120
    assert len(answer.json()) == 50
    following = answer["Link"].removeprefix("<").removesuffix('>; rel="next"')
    assert get_json(following, headers=JAVA).json()[0]["name"] == "tool_050"


@pytest.mark.parametrize("accept", ["application/json", "application/json, application/*+json", "*/*"])
def test_everyone_else_gets_our_spelling(accept):
    post_json("/api/tools/register", REGISTRATION)

    answer = get_json("/api/tools/available", headers={"accept": accept})

    assert answer["Content-Type"] == "application/json"
    assert answer.json()["results"][0]["tool_id"] == TOOL_ID
