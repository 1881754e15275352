"""Who calls what."""

import uuid
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from consumers.models import ToolCall, ToolCallUsage
from consumers.services import partitions, recording
from tests.consumers.agents import Caller, caller, owner
from tests.factories import NOW, at, make_document
from tests.registry.api.client import register_all
from toolroster import DiskCache, DynamicToolAgent
from toolroster.routing.calls import CallOutcome, CallRecord

pytestmark = pytest.mark.django_db


def make_call(**said: Any) -> CallRecord:
    fields: dict[str, Any] = {
        "call_id": str(uuid.uuid4()),
        "called_at": NOW,
        "agent": "agent-1",
        "ref": "send_email",
        "outcome": CallOutcome.OK,
        "tool_id": "mail-team:send_email:1.0.0",
        "attempts": 1,
        "duration_ms": 10.0,
        "request_bytes": 5,
        "response_bytes": 7,
    }
    return CallRecord(**{**fields, **said})


def write(*calls: CallRecord) -> None:
    recording.write(calls, now=NOW)


@pytest.fixture
def operator() -> Caller:
    return caller("operator", "tools:admin")


def usage(who: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = who.get("/api/stats/usage", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def test_calls_are_summed_by_tool(operator: Caller) -> None:
    write(make_call(), make_call(duration_ms=30.0), make_call(tool_id="mail-team:read_mail:1.0.0"))

    first, second = usage(operator)

    assert (first["name"], first["calls"], second["name"], second["calls"]) == (
        "send_email",
        2,
        "read_mail",
        1,
    )
    assert (first["mean_duration_ms"], first["longest_duration_ms"]) == (20.0, 30.0)
    assert (first["request_bytes"], first["response_bytes"]) == (10, 14)


def test_a_row_that_comes_twice_counts_once(operator: Caller) -> None:
    call = make_call()

    write(call, make_call())
    write(call)

    assert usage(operator)[0]["calls"] == 2
    assert ToolCall.objects.count() == 2


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("version", [("1.0.0", 2), ("2.0.0", 1)]),
        ("agent", [("agent-1", 2), ("agent-2", 1)]),
        ("provider", [("mail-team", 3)]),
        ("outcome", [("OK", 2), ("FAILED", 1)]),
        ("hour", [("2030-01-01T12:00:00Z", 2), ("2030-01-01T13:00:00Z", 1)]),
        ("day", [("2030-01-01T00:00:00Z", 3)]),
    ],
)
def test_calls_are_summed_by_what_is_asked_for(operator: Caller, group: str, expected: list[Any]) -> None:
    other = {"tool_id": "mail-team:send_email:2.0.0", "agent": "agent-2", "outcome": CallOutcome.FAILED}
    write(make_call(), make_call(), make_call(called_at=at(3600), **other))

    assert [(row[group], row["calls"]) for row in usage(operator, group_by=group)] == expected


def test_sums_are_narrowed(operator: Caller) -> None:
    write(make_call(), make_call(called_at=at(7200)), make_call(tool_id="other:send_email:1.0.0"))

    assert usage(operator, tool="mail-team/send_email", since="2030-01-01T13:00:00Z")[0]["calls"] == 1
    assert usage(operator, provider="other")[0]["calls"] == 1
    assert usage(operator, until="2030-01-01T13:00:00Z", tool="mail-team/send_email")[0]["calls"] == 1


def test_a_call_that_nothing_served_counts_for_what_was_asked_for(operator: Caller) -> None:
    write(make_call(tool_id="", tool_id_asked="mail-team:send_email:1.0.0", outcome=CallOutcome.UNAVAILABLE))

    assert (usage(operator)[0]["calls"], usage(operator)[0]["failed"]) == (1, 1)


def test_agents_see_their_own_calls_and_owners_those_of_their_tools() -> None:
    agent, team = caller("agent"), owner()
    mine = {"agent_id": agent.application.pk, "agent": agent.application.client_id}
    write(make_call(**mine), make_call(), make_call(tool_id="other:t:1.0.0"))

    assert [row["calls"] for row in usage(agent)] == [1]
    assert [(row["provider"], row["calls"]) for row in usage(team)] == [("mail-team", 2)]


@pytest.mark.parametrize(
    "query",
    [{"group_by": "colour"}, {"since": "2030-01-01"}, {"since": "soon"}, {"limit": "0"}, {"grup_by": "tool"}],
)
def test_a_question_that_is_none_is_refused(operator: Caller, query: dict[str, str]) -> None:
    assert operator.get("/api/stats/usage", **query).status_code == 422


def test_what_nobody_calls_is_told(operator: Caller) -> None:
    register_all([make_document(), make_document(name="read_mail")])
    from registry.models import ToolRegistration  # noqa: PLC0415

    ToolRegistration.objects.update(registered_at=NOW.replace(year=2020))
    write(make_call(called_at=at(0).replace(year=2099)))

    answer = operator.get("/api/stats/unused", days=10)

    assert [row["tool_id"] for row in answer.json()["results"]] == ["mail-team:read_mail:1.0.0"]


def test_an_agent_reports_the_calls_that_it_made_itself(operator: Caller) -> None:
    register_all([make_document(), make_document(name="read_mail")])
    statistics = {
        "agent": "safecracker",
        "total_tools_available": 2,
        "total_tool_calls": 15,
        "usage_by_tool": {"send_email": 12, "read_mail": 3},
        "most_used_tool": "send_email",
    }

    answer = caller("safecracker").post("/api/agents/me/usage", statistics)

    assert answer.json() == {"calls": 15}
    rows = usage(operator, group_by="outcome", tool="send_email")
    assert rows == [
        {
            "outcome": "REPORTED",
            "calls": 12,
            "failed": 0,
            "mean_duration_ms": None,
            "longest_duration_ms": None,
            "request_bytes": 0,
            "response_bytes": 0,
        }
    ]


def test_a_report_of_a_tool_that_is_none_adds_nothing(operator: Caller) -> None:
    register_all([make_document()])

    answer = caller("agent").post(
        "/api/agents/me/usage", {"usage_by_tool": {"send_email": 1, "send_emal": 2}}
    )

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/usage_by_tool/send_emal"
    assert not ToolCallUsage.objects.exists()


def test_days_of_calls_are_made_ahead_once() -> None:
    made, dropped = partitions.maintain(now=NOW, keep_days=2)

    assert (made, dropped) == (partitions.AHEAD_DAYS + 1, 0)
    assert {"consumers_toolcall_20300101", "consumers_toolcall_20300108"} <= _tables()
    assert partitions.maintain(now=NOW, keep_days=2) == (0, 0)


def test_a_day_that_is_over_goes_with_its_calls() -> None:
    partitions.maintain(now=NOW, keep_days=2)
    write(make_call(), make_call(called_at=NOW + timedelta(days=1)))

    partitions.maintain(now=NOW + timedelta(days=4), keep_days=3)

    assert "consumers_toolcall_20300101" not in _tables()
    assert [call.called_at for call in ToolCall.objects.all()] == [NOW + timedelta(days=1)]
    assert ToolCallUsage.objects.count() == 2  # the sums stay


def test_a_call_of_a_day_without_a_partition_is_kept_as_well() -> None:
    write(make_call(called_at=NOW.replace(year=2040)))

    made, _ = partitions.maintain(now=NOW.replace(year=2040), keep_days=10)

    assert made == partitions.AHEAD_DAYS  # the day itself lies in the default partition, and stays there
    assert ToolCall.objects.count() == 1


def test_a_day_begins_at_midnight_utc() -> None:
    partitions.maintain(now=NOW, keep_days=2)
    write(make_call(called_at=NOW.replace(hour=0, minute=0, tzinfo=UTC)))

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM consumers_toolcall_20300101")
        assert cursor.fetchone() == (1,)


def _tables() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'consumers_toolcall_2%'")
        return {name for (name,) in cursor.fetchall()}


class ThroughDjango(httpx.BaseTransport):
    """Brings requests of the library to Django's test client."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        kind = request.headers.get("content-type", "")
        headers = {"authorization": request.headers["authorization"]}
        answer = Client().generic(request.method, request.url.path, request.read(), kind, headers=headers)
        return httpx.Response(answer.status_code, headers=dict(answer.items()), content=answer.content)


def test_the_agent_of_the_seed_tells_what_came_since_it_told_last(operator: Caller, tmp_path: Path) -> None:
    register_all([make_document(), make_document(name="read_mail")])
    who = caller("safecracker")
    transport, cache = ThroughDjango(), DiskCache(tmp_path)
    agent = DynamicToolAgent("safecracker", who.token, "http://testserver", cache=cache, transport=transport)

    agent.tool_usage_count.update({"send_email": 2})
    assert agent.report_usage() == 2
    agent.tool_usage_count.update({"send_email": 1, "read_mail": 1})
    assert (agent.report_usage(), agent.report_usage()) == (2, 0)

    assert [row["calls"] for row in usage(operator)] == [3, 1]


def test_a_call_of_a_day_without_a_partition_goes_in_its_time() -> None:
    write(make_call(called_at=NOW))

    partitions.maintain(now=NOW + timedelta(days=9), keep_days=8)

    assert not ToolCall.objects.exists()


@pytest.mark.parametrize(
    "act", ["UPDATE consumers_toolcall SET outcome = 'OK'", "DELETE FROM consumers_toolcall"]
)
def test_nobody_changes_what_was_noted(act: str) -> None:
    write(make_call())

    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(act)

    assert ToolCall.objects.count() == 1
