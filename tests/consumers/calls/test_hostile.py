"""What a hostile agent, a hostile provider or bad luck must not bring about."""

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone

from consumers import conf
from consumers.models import Approval, RepeatableCall, ToolCall
from consumers.services import recording
from oauth.models import User
from registry.models import ToolRegistration
from registry.services import failing, lifecycle
from tests.consumers.agents import Caller, caller
from tests.consumers.calls.test_approving import ask, decide
from tests.consumers.calls.test_repeating import send
from tests.consumers.calls.test_usage import make_call
from tests.consumers.calls.tools import invoke, make_agent, make_tool, publish
from tests.factories import NOW, at, make_registration, make_token
from tests.registry.api.client import post_json
from tests.toolroster.routing.faulty import FaultyServer

APPROVED = {"requires_approval": True}
MUTATES: dict[str, Any] = {"categories": ["weather"], "tags": ["forecast"]}


def test_a_call_with_a_strange_name_is_noted_like_any_other(faulty: FaultyServer, written: Any) -> None:
    agent = make_agent()

    for path in ("/call/a:b%00", "/call/a:b%2500", "/call/a%255F%255Fb"):
        assert post_json(path, {}, headers=agent.headers).status_code in {404, 422}

    assert len(written()) == 3


@pytest.mark.django_db(transaction=True)
def test_a_call_that_cannot_be_noted_holds_up_no_other() -> None:
    log = conf.call_log()
    calls = [make_call() for _ in range(5)]
    calls[2] = make_call(params={"n": 10**400})

    for call in calls:
        log._calls.append(call)
    log.flush()

    assert ToolCall.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_calls_wait_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    log = recording.CallLog(timezone.now)
    log._calls.append(make_call())

    def away(*_: Any, **__: Any) -> None:
        raise DatabaseError("away")

    with monkeypatch.context() as patched:
        patched.setattr(recording, "write", away)
        with pytest.raises(DatabaseError):
            log.flush()
    log.flush()

    assert ToolCall.objects.count() == 1


def test_a_token_does_not_go_around_an_approval(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["weather:read"], policy=APPROVED))
    agent = make_agent(scope="tools:invoke weather:read")

    answer = agent.post("/api/tools/weather-team:forecast:1.0.0/token", {})

    assert (answer.status_code, answer.json()["code"]) == (403, "permission_missing")


def test_a_token_is_asked_for_once(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["weather:read"]))
    agent = make_agent(scope="tools:invoke weather:read")
    path = "/api/tools/weather-team:forecast:1.0.0/token"

    assert agent.post(path, {}).json()["access_token"] == agent.post(path, {}).json()["access_token"]


@pytest.mark.parametrize("scope", ["tools:admin", "tools:invoke", "tools:register", "introspection"])
def test_no_tool_gets_a_token_with_the_platform_s_own_scopes(faulty: FaultyServer, scope: str) -> None:
    publish(make_tool(faulty, "ok", scopes=[scope]))

    answer = invoke(make_agent(scope=f"tools:invoke {scope}"))

    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
    assert not faulty.calls


def test_an_approval_is_for_no_other_version(faulty: FaultyServer) -> None:
    dead = {"url": "http://127.0.0.1:9/gone"}
    publish(make_tool(faulty, "ok", capabilities=MUTATES))
    publish(make_tool(faulty, "ok", version="2.0.0", endpoint=dead, capabilities=MUTATES, policy=APPROVED))
    agent, operator = make_agent(), caller("operator", "tools:admin")
    approval = ask(agent, version_constraint=">=1.0.0")
    decide(operator, approval)

    answer = invoke(agent, version_constraint=">=1.0.0", approval_id=approval)

    assert answer.json()["code"] == "tool_unavailable"
    assert not faulty.calls
    assert Approval.objects.get().state == "APPROVED"


def test_an_approval_is_not_burned_where_nothing_was_sent(faulty: FaultyServer) -> None:
    one_at_once = {**APPROVED, "max_concurrent_calls": 1}
    publish(make_tool(faulty, "slow", policy=one_at_once, scopes=["weather:read"]))
    agent, operator = make_agent(scope="tools:invoke weather:read"), caller("operator", "tools:admin")
    approvals = {city: ask(agent, params={"city": city}) for city in ("Ulm", "Rom")}
    for approval in approvals.values():
        decide(operator, approval)

    told = at_once(
        *(
            partial(invoke, agent, params={"city": city}, approval_id=approval)
            for city, approval in approvals.items()
        )
    )

    assert sorted(told) == [200, 429]
    assert sorted(Approval.objects.values_list("state", flat=True)) == ["APPROVED", "USED"]
    assert faulty.calls == {"slow": 1}


def at_once(*calls: Callable[[], Any]) -> list[int]:
    """Return the statuses of calls that threads make at the same moment."""
    told: list[int] = []
    threads = [threading.Thread(target=lambda call=call: told.append(call().status_code)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def test_equal_calls_at_once_ask_for_one_approval(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", policy=APPROVED))
    agent = make_agent()

    assert at_once(*[partial(invoke, agent)] * 5) == [202] * 5
    assert Approval.objects.count() == 1


def test_an_approval_that_ended_can_be_asked_for_again(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", policy=APPROVED))
    agent = make_agent()
    first = ask(agent)
    Approval.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert ask(agent) != first
    assert sorted(Approval.objects.values_list("state", flat=True)) == ["EXPIRED", "PENDING"]


def test_arguments_that_are_sensitive_as_a_whole_are_an_object_still(faulty: FaultyServer) -> None:
    schema = {"type": "object", "properties": {"pin": {"type": "string"}}, "x-sensitive": True}
    publish(make_tool(faulty, "ok", parameters=[], input_schema=schema, policy=APPROVED))
    ask(make_agent(), params={"pin": "1234"})

    assert Approval.objects.get().params == {"pin": "[sensitive]"}


def _person(agent: Caller, name: str) -> Caller:
    user = User.objects.create_user(name)
    return Caller(agent.application, make_token("tools:invoke", application=agent.application, user=user))


def test_people_behind_one_client_share_neither_keys_nor_approvals(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"), make_tool(faulty, "ok", "delicate", policy=APPROVED))
    agent = make_agent()
    ann, bob = _person(agent, "ann"), _person(agent, "bob")

    send(ann)
    send(bob)
    approval = ask(ann, tool="delicate")

    assert faulty.calls == {"echo": 2}
    assert bob.get(f"/api/approvals/{approval}").status_code == 404
    assert bob.get("/api/approvals").json()["results"] == []


def test_a_key_of_a_call_that_was_never_made_is_free(faulty: FaultyServer) -> None:
    agent = make_agent()

    before = send(agent)
    publish(make_tool(faulty, "echo"))
    after = send(agent)

    assert (before.status_code, after.status_code) == (404, 200)


def test_an_answer_that_is_too_large_is_not_kept(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "huge"))
    agent = make_agent()

    first, second = send(agent), send(agent)

    assert (first.status_code, second.status_code) == (200, 409)
    assert RepeatableCall.objects.get().answer is None
    assert faulty.calls == {"huge": 1}


def test_a_retired_version_is_served_by_what_it_declares(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", alternatives=[{"ref": "outlook"}]), make_tool(faulty, "echo", "outlook"))
    row = ToolRegistration.objects.get(tool_id="weather-team:forecast:1.0.0")
    lifecycle.retire(row.pk, now=timezone.now())
    agent = make_agent()

    by_id = invoke(agent, "weather-team:forecast:1.0.0").json()
    by_version = invoke(agent, "forecast", version_constraint="1.0.0").json()

    assert by_id["tool_id"] == by_version["tool_id"] == "weather-team:outlook:1.0.0"
    assert "declares outlook" in by_id["why"]


@pytest.mark.django_db
def test_a_tool_recovers_when_all_of_its_instances_do() -> None:
    row = make_registration()

    for instance in ("a", "b"):
        failing.suspect(row.tool_id, instance=instance, until=at(60), now=NOW)
    failing.recovered(row.tool_id, instance="a", now=NOW)
    row.refresh_from_db()
    assert row.failing_until == at(60)
    failing.recovered(row.tool_id, instance="b", now=NOW)

    row.refresh_from_db()
    assert row.failing_until is None


def test_arguments_of_a_refused_call_are_not_kept(faulty: FaultyServer, written: Any, settings: Any) -> None:
    settings.RECORD_ARGUMENTS = True
    publish(make_tool(faulty, "ok"))

    invoke(make_agent(), params={"pasword": str(uuid.uuid4())})

    assert written()[0].params is None
