"""The story of seeds/004 over HTTP: two versions, three agents, a migration refused, one done, taken back."""

from dataclasses import dataclass

import pytest

from tests.consumers.agents import CC, TO, Caller, caller, owner
from tests.registry.api.client import get_json, is_problem

# The outbox is read behind every open transaction: what a test has not committed is not settled.
pytestmark = pytest.mark.django_db(transaction=True)
MIGRATIONS = "/api/tools/mail-team/send_email/migrations"
OLD = "/api/tools/mail-team:send_email:1.0.0"


@dataclass(frozen=True)
class Cast:
    """A team, and agents that declared a range, an exact version, and nothing but the name."""

    team: Caller
    caret: Caller
    pinned: Caller
    latest: Caller

    def migrate(self, new: str, **more):
        return self.team.post(MIGRATIONS, {"old": "1.0.0", "new": new, **more})


@pytest.fixture
def cast() -> Cast:
    found = Cast(owner(), caller("caret"), caller("pinned"), caller("latest"))
    found.team.publish("1.0.0", TO, CC)
    for agent, ref in (
        (found.caret, "send_email@^1.0"),
        (found.pinned, "mail-team:send_email:1.0.0"),
        (found.latest, "mail-team/send_email"),
    ):
        assert agent.declare(ref).status_code == 200
    found.team.publish("1.1.0", TO, CC, {"name": "bcc", "type": "string"})
    found.team.publish("2.0.0", TO)
    return found


def test_an_incompatible_migration_is_refused_with_the_reasons(cast):
    problem = is_problem(cast.migrate("2.0.0"), 409, "incompatible_version")

    [change] = problem["compatibility"]["breaking_changes"]
    assert (change["kind"], change["path"]) == ("param_removed", "cc")
    assert "cc" in problem["errors"][0]["detail"]
    assert cast.caret.bound() == {"mail-team/send_email@^1.0": "1.0.0"}
    assert (cast.caret.inbox(), get_json(OLD).json()["status"]) == ([], "ACTIVE")


def test_a_dry_run_says_what_would_be_and_changes_nothing(cast):
    planned = cast.migrate("1.1.0", dry_run=True).json()

    assert (planned["moved"], planned["stayed"], planned["deprecated"], planned["id"]) == (2, 1, True, None)
    assert cast.caret.bound() == {"mail-team/send_email@^1.0": "1.0.0"}
    assert (cast.caret.inbox(), get_json(OLD).json()["status"]) == ([], "ACTIVE")


def test_a_compatible_migration_moves_whom_it_may(cast):
    done = cast.migrate("1.1.0").json()

    assert (done["moved"], done["stayed"], done["deprecated"]) == (2, 1, True)
    assert {one["name"]: one["reason"] for one in done["agents"]} == {
        "caret": None,
        "pinned": "out_of_range",
        "latest": None,
    }
    assert cast.caret.bound() == {"mail-team/send_email@^1.0": "1.1.0"}
    assert cast.latest.bound() == {"mail-team/send_email": "1.1.0"}
    assert cast.pinned.bound() == {"mail-team/send_email@1.0.0": "1.0.0"}
    old = get_json(OLD).json()
    assert (old["status"], old["replaced_by"]) == ("DEPRECATED", "mail-team/send_email@1.1.0")


def test_each_agent_reads_one_event_in_its_inbox(cast):
    cast.migrate("1.1.0")

    assert cast.caret.inbox() == cast.latest.inbox() == [("binding:moved", "1.1.0")]
    assert cast.pinned.inbox() == [("version:deprecated", "1.0.0"), ("binding:left_behind", "1.0.0")]


def test_a_second_run_changes_nothing(cast):
    cast.migrate("1.1.0")

    again = cast.migrate("1.1.0").json()

    assert (again["id"], again["moved"], again["deprecated"]) == (None, 0, False)
    assert cast.caret.inbox() == [("binding:moved", "1.1.0")]


def test_a_migration_is_taken_back_once(cast):
    done = cast.migrate("1.1.0").json()

    back = cast.team.post(f"{MIGRATIONS}/{done['id']}/rollback", {}).json()
    second = cast.team.post(f"{MIGRATIONS}/{done['id']}/rollback", {}).json()

    assert ({one["name"] for one in back["agents"]}, second["moved"]) == ({"caret", "latest"}, 0)
    assert cast.caret.bound() == {"mail-team/send_email@^1.0": "1.0.0"}
    assert get_json(OLD).json()["status"] == "ACTIVE"
    told = [event for event in cast.caret.inbox() if event[0].startswith("binding")]
    assert told == [("binding:moved", "1.1.0"), ("binding:moved", "1.0.0")]
