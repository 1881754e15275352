"""Channels over HTTP: what they follow, where they are pinned, and that they never fall back silently."""

import pytest
from django.test import Client

from registry.models import ToolEvent, ToolInstance, ToolRegistration
from tests import factories
from tests.registry.api.client import get_json, is_problem, make_token, pointers, post_json, register

pytestmark = pytest.mark.django_db
CHANNELS = "/api/tools/mail-team/send_email/channels"


@pytest.fixture(autouse=True)
def _versions():
    for version in ("1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1"):
        register(version=version)


def pin(channel: str, version: object, **headers: str):
    client = Client(raise_request_exception=False)
    body = {"version": version}
    return client.put(f"{CHANNELS}/{channel}", body, content_type="application/json", headers=headers)


def free(channel: str):
    return Client().delete(f"{CHANNELS}/{channel}")


def resolved(text: str) -> str:
    answer = get_json("/api/tools/resolve", query={"ref": f"send_email@{text}"})
    return answer.json()["version"] if answer.status_code == 200 else answer.json()["code"]


def pointing() -> dict[str, str]:
    return {row["channel"]: row["version"] for row in get_json(CHANNELS).json()["results"]}


def test_channels_that_follow_mean_the_highest_version():
    assert pointing() == {"latest": "2.0.0", "next": "2.1.0-rc.1", "stable": "2.0.0"}
    assert (resolved("latest"), resolved("stable"), resolved("next")) == ("2.0.0", "2.0.0", "2.1.0-rc.1")


def test_a_pinned_channel_stays_where_it_is():
    answer = pin("stable", "1.1.0")
    register(version="2.2.0")

    assert (answer.json()["version"], answer.json()["pinned_at"] is not None) == ("1.1.0", True)
    assert (resolved("stable"), resolved("latest")) == ("1.1.0", "2.2.0")
    assert pointing()["stable"] == "1.1.0"


def test_a_pinned_latest_is_what_a_bare_name_means():
    pin("latest", "1.0.0")

    assert get_json("/api/tools/resolve?ref=send_email").json()["version"] == "1.0.0"
    assert get_json("/api/tools/resolve?name=send_email&version=latest").json()["version"] == "1.0.0"
    assert resolved("^1") == "1.1.0"  # a range is not a channel


def test_a_channel_of_ones_own():
    assert resolved("canary") == "no_matching_version"

    pin("canary", "2.1.0-rc.1")

    assert resolved("canary") == "2.1.0-rc.1"
    assert free("canary").json()["results"][0]["channel"] == "latest"
    assert resolved("canary") == "no_matching_version"


def test_a_freed_channel_follows_again():
    pin("stable", "1.0.0")

    free("stable")

    assert resolved("stable") == "2.0.0"
    assert {event.kind for event in ToolEvent.objects.order_by("-pk")[:2]} == {
        "tool:channel:pinned",
        "tool:channel:freed",
    }


def test_a_channel_and_a_range_must_both_hold():
    pin("canary", "1.1.0")

    assert resolved("canary ^1") == "1.1.0"
    assert resolved("canary ^2") == "no_matching_version"
    assert (resolved("latest ^1"), resolved("stable 1.0")) == ("1.1.0", "1.0.0")
    pin("stable", "1.1.0")
    assert (resolved("stable ^1"), resolved("stable ~1.0")) == ("1.1.0", "no_matching_version")


@pytest.mark.parametrize("step", ["deprecate", "yank", "retire"])
def test_a_channel_never_falls_back_silently(step):
    pin("stable", "1.1.0")
    post_json(f"/api/tools/mail-team:send_email:1.1.0/{step}", {})

    problem = is_problem(get_json("/api/tools/resolve?ref=send_email@stable"), 404, "no_matching_version")

    assert "channel stable" in problem["detail"]


def test_a_channel_whose_version_is_not_alive_says_so():
    pin("stable", "1.1.0")
    post_json(
        "/api/tools/heartbeat", {"tool_ids": ["mail-team:send_email:1.1.0"], "provider_instance": "host-1"}
    )
    ToolInstance.objects.update(last_beat_at="2001-01-01T00:00:00Z")

    assert (resolved("stable"), resolved("latest")) == ("tool_unavailable", "2.0.0")


def test_what_the_caller_may_not_see_is_told_of_no_channel():
    register(version="3.0.0", scopes=["vault:use"])
    pin("vault", "3.0.0")
    _, token = make_token(scopes="mail:use")
    headers = {"authorization": f"Bearer {token}"}

    found = Client().get(CHANNELS, headers=headers).json()["results"]
    problem = is_problem(
        Client().get("/api/tools/resolve?ref=send_email@vault", headers=headers), 404, "no_matching_version"
    )

    assert "vault" not in {row["channel"] for row in found}
    assert "3.0.0" not in problem["detail"]


@pytest.mark.parametrize(
    ("channel", "version", "status", "where"),
    [
        ("Stable", "1.0.0", 422, "/channel"),
        ("x", "1.0.0", 422, "/channel"),
        ("v1", "1.0.0", 422, "/channel"),
        ("stable", "2.1.0-rc.1", 422, "/version"),
        ("latest", "2.1.0-rc.1", 422, "/version"),
        ("stable", None, 422, "/version"),
        ("stable", 1, 422, "/version"),
    ],
)
def test_what_cannot_be_pinned_is_told(channel, version, status, where):
    assert pointers(is_problem(pin(channel, version), status)) == [where]


def test_only_versions_in_use_are_pinned():
    post_json("/api/tools/mail-team:send_email:1.1.0/deprecate", {})

    is_problem(pin("stable", "1.1.0"), 409, "conflict")
    assert is_problem(pin("stable", "9.9.9"), 404, "no_matching_version")["nearest"][0] == "2.1.0-rc.1"
    assert is_problem(free("stable"), 404, "no_matching_version")["nearest"] == ["latest", "next", "stable"]


@pytest.mark.parametrize("review", ["PENDING", "REJECTED"])
def test_only_approved_versions_are_pinned(review):
    ToolRegistration.objects.filter(version="1.1.0").update(review=review)

    is_problem(pin("latest", "1.1.0"), 409, "conflict")
    assert resolved("latest") == "2.0.0"


def test_channels_of_hidden_versions_are_not_named():
    register(version="3.0.0", scopes=["vault:use"])
    pin("vault", "3.0.0")
    pin("canary", "1.1.0")
    headers = {"authorization": f"Bearer {factories.make_token('mail:use')}"}

    answer = Client().get("/api/tools/resolve?ref=send_email@nosuch", headers=headers)

    assert is_problem(answer, 404)["nearest"] == ["canary", "latest", "next", "stable"]


def test_an_event_names_no_version_that_its_reader_may_not_see():
    register(version="3.0.0", scopes=["vault:use"])
    pin("vault", "3.0.0")
    pin("vault", "1.1.0")

    assert ToolEvent.objects.latest("pk").data == {"channel": "vault", "to": "1.1.0"}


def test_the_same_pin_again_is_no_event():
    pin("stable", "1.1.0")
    before = ToolEvent.objects.count()

    assert pin("stable", "1.1.0").status_code == 200
    assert ToolEvent.objects.count() == before


def test_only_owners_and_operators_pin():
    agent, operator = factories.make_token("mail:use"), factories.make_token("tools:admin")

    is_problem(pin("stable", "1.1.0", authorization=f"Bearer {agent}"), 403, "insufficient_scope")
    assert pin("stable", "1.1.0", authorization=f"Bearer {operator}").status_code == 200
