"""Calls that somebody has to approve: asked, decided, used once."""

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.utils import timezone

from consumers.models import Approval
from tests.consumers.agents import Caller, caller
from tests.consumers.calls.tools import invoke, make_agent, make_tool, publish
from tests.toolroster.routing.faulty import FaultyServer

SECRET = {"name": "pin", "type": "string", "x-sensitive": True}


@pytest.fixture
def agent(faulty: FaultyServer) -> Caller:
    publish(make_tool(faulty, "echo", capabilities={}, policy={"requires_approval": True}))
    return make_agent()


@pytest.fixture
def operator(faulty: FaultyServer) -> Caller:
    return caller("operator", "tools:admin")


def ask(agent: Caller, **said: Any) -> str:
    answer = invoke(agent, **said)
    assert answer.status_code == 202, answer.content
    assert answer.headers["location"] == f"/api/approvals/{answer.json()['approval_id']}"
    return str(answer.json()["approval_id"])


def decide(who: Caller, approval: str, act: str = "approve", reason: str = "") -> Any:
    return who.post(f"/api/approvals/{approval}/{act}", {"reason": reason})


def test_a_call_waits_is_approved_and_runs_once(
    agent: Caller, operator: Caller, faulty: FaultyServer
) -> None:
    approval = ask(agent)
    assert not faulty.calls
    decide(operator, approval)

    answer = invoke(agent, approval_id=approval)
    again = invoke(agent, approval_id=approval)

    assert answer.json()["result"] == {"city": "Berlin", "days": 3}
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert faulty.calls == {"echo": 1}


def test_the_same_call_asks_for_one_approval(agent: Caller) -> None:
    assert ask(agent) == ask(agent, params={"city": "Berlin", "days": 3})
    assert Approval.objects.count() == 1


def test_other_arguments_are_another_call(agent: Caller, operator: Caller, faulty: FaultyServer) -> None:
    approval = ask(agent)
    decide(operator, approval)

    answer = invoke(agent, params={"city": "Paris"}, approval_id=approval)

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert not faulty.calls


def test_before_it_is_decided_the_call_still_waits(agent: Caller) -> None:
    approval = ask(agent)

    assert ask(agent, approval_id=approval) == approval


def test_a_refusal_is_told_with_its_reason(agent: Caller, operator: Caller, faulty: FaultyServer) -> None:
    approval = ask(agent)
    decide(operator, approval, "reject", "Not on a Friday.")

    answer = invoke(agent, approval_id=approval)

    assert (answer.status_code, answer.json()["code"]) == (403, "approval_refused")
    assert "Not on a Friday." in answer.json()["detail"]
    assert not faulty.calls


def test_an_approval_ends(agent: Caller, operator: Caller, faulty: FaultyServer) -> None:
    approval = ask(agent)
    decide(operator, approval)
    Approval.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    answer = invoke(agent, approval_id=approval)

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert not faulty.calls


def test_another_agent_cannot_use_it(agent: Caller, operator: Caller, faulty: FaultyServer) -> None:
    approval = ask(agent)
    decide(operator, approval)

    answer = invoke(make_agent("another"), approval_id=approval)

    assert answer.json()["errors"][0]["pointer"] == "/approval_id"
    assert not faulty.calls


def test_of_many_retries_at_once_one_runs(agent: Caller, operator: Caller, faulty: FaultyServer) -> None:
    approval = ask(agent)
    decide(operator, approval)
    threads = [Thread(target=invoke, args=(agent,), kwargs={"approval_id": approval}) for _ in range(6)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faulty.calls == {"echo": 1}


def test_an_approval_counts_again_when_nothing_was_sent(faulty: FaultyServer, operator: Caller) -> None:
    gone = {"url": "http://127.0.0.1:9/gone"}
    publish(make_tool(faulty, "ok", endpoint=gone, capabilities={}, policy={"requires_approval": True}))
    agent = make_agent()
    approval = ask(agent)
    decide(operator, approval)

    answer = invoke(agent, approval_id=approval)

    assert answer.json()["code"] == "tool_unavailable"
    assert Approval.objects.get().state == "APPROVED"


def test_nobody_approves_a_call_of_its_own(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", policy={"requires_approval": True}))
    both = caller("both", "tools:invoke tools:admin")
    approval = ask(both)

    answer = decide(both, approval)

    assert (answer.status_code, answer.json()["code"]) == (403, "permission_missing")


def test_deciding_needs_an_operator_and_happens_once(agent: Caller, operator: Caller) -> None:
    approval = ask(agent)

    assert decide(agent, approval).status_code == 403
    assert decide(operator, approval).status_code == 200
    assert decide(operator, approval, "reject").status_code == 409


def test_the_agent_hears_of_the_decision(agent: Caller, operator: Caller) -> None:
    approval = ask(agent)
    decide(operator, approval)

    (event,) = agent.get("/api/agents/me/events").json()["results"]

    assert event["kind"] == "tool:call:decided"
    assert event["data"] == {"approval_id": approval, "state": "APPROVED", "reason": ""}


def test_people_see_what_would_be_sent_but_nothing_sensitive(faulty: FaultyServer, operator: Caller) -> None:
    document = make_tool(faulty, "ok", policy={"requires_approval": True})
    publish({**document, "parameters": [*document["parameters"], SECRET]})
    ask(make_agent(), params={"city": "Ulm", "pin": "1234"})

    (row,) = operator.get("/api/approvals").json()["results"]

    assert row["params"] == {"city": "Ulm", "days": 3, "pin": "[sensitive]"}
    assert (row["state"], row["tool_id"]) == ("PENDING", "weather-team:forecast:1.0.0")


def test_others_do_not_see_it(agent: Caller) -> None:
    approval = ask(agent)
    other = make_agent("another")

    assert other.get("/api/approvals").json()["results"] == []
    assert other.get(f"/api/approvals/{approval}").status_code == 404
    assert agent.get(f"/api/approvals/{approval}").json()["id"] == approval


def test_a_dry_run_says_that_it_would_have_to_be_approved(agent: Caller) -> None:
    assert invoke(agent, dry_run=True).json()["requires_approval"] is True
    assert not Approval.objects.exists()


def test_a_tool_that_requires_approval_is_no_stand_in(faulty: FaultyServer) -> None:
    dead = make_tool(faulty, "ok", endpoint={"url": "http://127.0.0.1:9/gone"})
    publish(dead, make_tool(faulty, "ok", "outlook", policy={"requires_approval": True}))

    answer = invoke(make_agent())

    assert (answer.status_code, answer.json()["code"]) == (503, "tool_unavailable")
