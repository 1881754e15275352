"""What agents declare, and which version that binds them to."""

import pytest
from django.test import Client

from consumers.models import ToolBinding
from registry.models import ToolRegistration
from tests.consumers.agents import TO, Caller, caller, owner
from tests.registry.api.client import is_problem, pointers

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Caller:
    found = owner()
    found.publish("1.0.0", TO)
    return found


@pytest.fixture
def agent(team) -> Caller:
    return caller("agent")


def test_a_range_binds_to_the_highest_version_in_it(team, agent):
    team.publish("1.1.0", TO)
    team.publish("2.0.0")

    agent.declare("send_email@^1")

    assert agent.bound() == {"mail-team/send_email@^1": "1.1.0"}


def test_a_version_stays_like_that_of_a_lock_file(team, agent):
    agent.declare("send_email@^1")
    team.publish("1.1.0", TO)

    agent.declare("send_email@>=1.0.0 <3")

    assert agent.bound() == {"mail-team/send_email@>=1.0.0 <3": "1.0.0"}


@pytest.mark.parametrize("state", [{"lifecycle": "DEPRECATED"}, {"lifecycle": "RETIRED"}])
def test_a_version_that_is_on_its_way_out_does_not_stay(team, agent, state):
    agent.declare("send_email@^1")
    team.publish("1.1.0", TO)
    ToolRegistration.objects.filter(version="1.0.0").update(**state)

    agent.declare("send_email@^1")

    assert agent.bound() == {"mail-team/send_email@^1": "1.1.0"}


def test_a_range_that_leaves_the_version_moves_it(team, agent):
    agent.declare("send_email@1.0.0")
    team.publish("2.0.0")

    agent.declare("send_email@^2")

    assert agent.bound() == {"mail-team/send_email@^2": "2.0.0"}


def test_a_channel_binds_to_what_it_points_at(team, agent):
    team.publish("1.1.0", TO)
    pinned = "/api/tools/mail-team/send_email/channels/canary"
    for version in ("1.0.0", "1.1.0"):
        body = {"version": version}
        answer = Client().put(pinned, body, content_type="application/json", headers=team.headers)
        assert answer.status_code == 200
        agent.declare("send_email@canary")
        assert agent.bound() == {"mail-team/send_email@canary": version}


def test_a_range_may_be_long(team, agent):
    ref = "mail-team/send_email@latest >=1.0.0" + " " * 1011 + "<2.0.0"

    assert agent.declare(ref).status_code == 200
    assert list(agent.bound().values()) == ["1.0.0"]


def test_a_declaration_is_the_whole(team, agent):
    team.publish("1.0.0", name="send_sms")
    agent.declare("send_email", "send_sms@latest")
    assert agent.bound() == {"mail-team/send_email": "1.0.0", "mail-team/send_sms": "1.0.0"}

    agent.declare("send_sms")
    assert agent.bound() == {"mail-team/send_sms": "1.0.0"}

    assert agent.declare().json() == {"results": []}
    assert not ToolBinding.objects.exists()


def test_declarations_of_agents_are_their_own(team, agent):
    other = caller("other")
    agent.declare("send_email")

    assert other.bound() == {}
    other.declare()
    assert agent.bound() == {"mail-team/send_email": "1.0.0"}


@pytest.mark.parametrize(
    ("refs", "status", "where"),
    [
        (["send_email", "nothing"], 404, "/refs/1"),
        (["send_email", "mail-team:send_email:1.0.0"], 422, "/refs/1"),
        (["send_email@^7"], 404, "/refs/0"),
        (["send_email@not a range"], 422, "/refs/0"),
        (["!"], 422, "/refs/0"),
        ([""], 422, "/refs/0"),
        ([7], 422, "/refs/0"),
    ],
)
def test_a_wrong_reference_is_told_and_nothing_changed(team, agent, refs, status, where):
    agent.declare("send_email@^1")

    assert pointers(is_problem(agent.declare(*refs), status))[0] == where
    assert agent.bound() == {"mail-team/send_email@^1": "1.0.0"}


def test_what_an_agent_may_not_see_it_cannot_declare(team, agent):
    team.publish("1.0.0", name="vault", scopes=["vault:use"])

    is_problem(agent.declare("vault"), 404, "tool_not_found")
    assert caller("keeper", "vault:use").declare("vault").status_code == 200


@pytest.mark.parametrize("path", ["/api/agents/me/bindings", "/api/agents/me/events"])
def test_it_is_about_the_agent_that_asks(path):
    is_problem(Client().get(path), 403, "permission_missing")
