"""Events: for everybody by the one rule, and each agent's inbox with its acknowledgement."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from consumers.services import inbox
from consumers.services.inbox import Place
from registry.models import ToolEvent, ToolRegistration
from registry.services import events, lifecycle
from tests.consumers.agents import CC, TO, Caller, caller, owner
from tests.factories import NOW
from tests.registry.api.client import get_json, is_problem, pointers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Caller:
    found = owner()
    found.publish("1.0.0", TO, CC)
    return found


def _kinds(answer) -> list[str]:
    return [event["kind"] for event in answer.json()["results"]]


def test_everybody_reads_what_happened_to_what_they_see(team):
    team.publish("1.0.0", name="vault", scopes=["vault:use"])
    keeper = caller("keeper", "vault:use")

    named = [event["tool_id"] for event in get_json("/api/events").json()["results"]]
    kept = [event["tool_id"] for event in keeper.get("/api/events").json()["results"]]

    assert kept == ["mail-team:send_email:1.0.0", "mail-team:vault:1.0.0"]
    assert named == kept  # without a token everything is seen here, in development


def test_nobody_reads_about_what_they_may_not_see(team):
    team.publish("1.0.0", name="vault", scopes=["vault:use"])
    team.publish("1.0.0", name="ward", policy={"allowed_roles": ["nurse"]})
    events.record_for_registry(ToolEvent.Kind.HELD, now=NOW, data={})
    stranger, operator = caller("stranger", "other:use"), caller("operator", "tools:admin")

    assert [one["tool_id"] for one in stranger.get("/api/events").json()["results"]] == [
        "mail-team:send_email:1.0.0"
    ]
    assert "registry:sweep:held" in _kinds(operator.get("/api/events"))
    assert "registry:sweep:held" not in _kinds(stranger.get("/api/events"))


def test_what_is_for_one_agent_is_read_by_it_alone(team):
    mine, other = caller("mine"), caller("other")
    mine.declare("send_email")
    team.publish("1.1.0", TO, CC)
    team.post("/api/tools/mail-team/send_email/migrations", {"old": "1.0.0", "new": "1.1.0"})

    assert "tool:binding:moved" in _kinds(mine.get("/api/events"))
    assert "tool:binding:moved" not in _kinds(other.get("/api/events"))
    assert "tool:binding:moved" not in _kinds(get_json("/api/events"))


def test_a_reader_goes_on_where_it_stopped(team):
    for number in range(1, 8):
        team.publish(f"1.0.{number}", TO, CC)
    found, place = [], ""

    for _ in range(5):
        answer = get_json("/api/events", query={"limit": 3} | ({"after": place} if place else {})).json()
        found += [event["tool_id"] for event in answer["results"]]
        place = answer["next"]

    assert found == [f"mail-team:send_email:1.0.{number}" for number in range(8)]


def test_a_late_commit_is_never_skipped(team):
    """An event with a lower id that commits later is read later, not lost."""
    row = ToolRegistration.objects.get()
    place = get_json("/api/events").json()["next"]

    def in_another_transaction() -> list[str]:
        try:
            lifecycle.deprecate(row.pk, now=NOW)
            return _kinds(get_json(f"/api/events?after={place}"))
        finally:
            connection.close()

    with transaction.atomic():
        events.record_for_registry(ToolEvent.Kind.HELD, now=NOW, data={})
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(in_another_transaction).result() == []
    operator = caller("operator", "tools:admin")

    assert _kinds(operator.get("/api/events", after=place))[:2] == [
        "registry:sweep:held",
        "tool:version:deprecated",
    ]


def test_an_inbox_holds_what_happens_to_versions_that_an_agent_is_bound_to(team):
    agent, other = caller("agent"), caller("other")
    agent.declare("send_email@1.0.0")
    team.publish("1.1.0", TO, CC)
    team.post("/api/tools/mail-team:send_email:1.0.0/deprecate", {"reason": "Slow."})
    team.post("/api/tools/mail-team:send_email:1.1.0/deprecate", {})

    [event] = agent.get("/api/agents/me/events").json()["results"]

    assert (event["kind"], event["data"]) == ("tool:version:deprecated", {"reason": "Slow."})
    assert other.inbox() == []


def test_a_reader_of_nothing_goes_on_at_the_end(team):
    """What is not for somebody is looked through once."""
    agent = caller("agent", "other:use")
    for number in range(3):
        team.publish(f"1.0.{number + 1}", TO, CC)

    empty = agent.get("/api/agents/me/events").json()
    agent.declare("send_email@1.0.0")
    team.post("/api/tools/mail-team:send_email:1.0.0/deprecate", {})
    later = agent.get("/api/agents/me/events", after=empty["next"]).json()

    last = ToolEvent.objects.filter(kind="tool:version:registered").latest("pk")
    assert empty["results"] == []
    assert int(empty["next"].split("-")[0]) > last.transaction_id
    assert [event["kind"] for event in later["results"]] == ["tool:version:deprecated"]
    assert agent.get("/api/agents/me/events", after="999999999999-5").json()["next"] == "999999999999-5"


def test_two_who_acknowledge_at_once_leave_the_later_place(team):
    application = caller("agent").application

    def acknowledge(number: int) -> None:
        try:
            inbox.acknowledge(application, Place(number, 0), now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(acknowledge, [3, 9, 1, 7, 8, 2, 6, 5]))

    assert inbox.acknowledged(application) == Place(9, 0)


def test_what_was_acknowledged_does_not_come_again(team):
    agent = caller("agent")
    agent.declare("send_email@1.0.0")
    for step in ("deprecate", "restore", "yank"):
        team.post(f"/api/tools/mail-team:send_email:1.0.0/{step}", {})
    first = agent.get("/api/agents/me/events", limit=2).json()

    left = agent.post("/api/agents/me/events/ack", {"upto": first["next"]}).json()

    assert [event["kind"] for event in left["results"]] == ["tool:version:yanked"]
    assert agent.inbox() == [("version:yanked", "1.0.0")]
    agent.post("/api/agents/me/events/ack", {"upto": "1-1"})  # nothing comes back
    assert agent.inbox() == [("version:yanked", "1.0.0")]
    assert len(agent.inbox(after="0-0")) == 3
    agent.post("/api/agents/me/events/ack", {"upto": left["next"]})
    assert agent.inbox() == []


@pytest.mark.parametrize("place", ["x", "1", "1-", "-1", "1-2-3", "٣-1", "1-99999999999999999999"])
def test_a_place_that_was_never_handed_out_is_told(team, place):
    agent = caller("agent")

    assert pointers(is_problem(agent.get("/api/events", after=place), 422)) == ["/after"]
    answer = agent.post("/api/agents/me/events/ack", {"upto": place})
    assert pointers(is_problem(answer, 422)) == ["/upto"]
