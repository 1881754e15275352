"""Deprecate, yank, restore and retire over HTTP, and what every answer says of such a version."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.http import parse_http_date

from registry.models import ToolEvent, ToolRegistration
from registry.services import lifecycle
from tests.factories import make_application, make_token
from tests.registry.api.client import (
    beat,
    get_json,
    is_problem,
    pointers,
    post_bytes,
    post_json,
    register,
)

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-team:send_email:1.0.0"


def decide(step: str, tool_id: str = TOOL_ID, **said):
    return post_json(f"/api/tools/{tool_id}/{step}", said)


def listed(**query) -> list[str]:
    answer = get_json("/api/tools/available", query=query).json()
    return [row["tool_id"] for row in answer["results"]]


@pytest.fixture(autouse=True)
def _two_versions():
    register()
    register(version="1.1.0")


def test_a_deprecated_version_says_so_wherever_it_is_served():
    sunset = (timezone.now() + timedelta(days=30)).replace(microsecond=0)

    answer = decide("deprecate", reason="Slow.", sunset_at=sunset.isoformat(), replaced_by="send_email@^1.1")

    for found in (
        answer,
        get_json(f"/api/tools/{TOOL_ID}"),
        get_json("/api/tools/resolve?ref=send_email@1.0.0"),
    ):
        row = found.json()
        assert (row["status"], row["deprecation_reason"], row["replaced_by"]) == (
            "DEPRECATED",
            "Slow.",
            "send_email@^1.1",
        )
        assert row["sunset_at"] == sunset.isoformat().replace("+00:00", "Z")
        assert parse_http_date(found["Sunset"]) == int(sunset.timestamp())
        assert abs(int(found["Deprecation"].removeprefix("@")) - timezone.now().timestamp()) < 60
        link = '</api/tools/resolve?ref=send_email%40%5E1.1>; rel="successor-version"'
        assert found["Link"] == link


def test_times_are_told_in_utc():
    assert (
        decide("deprecate", sunset_at="2090-01-01T02:00:00+02:00").json()["sunset_at"]
        == "2090-01-01T00:00:00Z"
    )


@pytest.mark.parametrize("step", ["deprecate", "yank", "restore"])
def test_the_answer_to_a_decision_tells_the_health_of_now(step):
    beat(TOOL_ID)
    if step == "restore":
        decide("deprecate")

    row = decide(step).json()

    assert (row["health"], row["last_heartbeat_at"] is not None) == ("HEALTHY", True)


def test_what_is_over_tonight_can_still_be_yanked():
    decide("deprecate", sunset_at=(timezone.now() + timedelta(hours=1)).isoformat())
    ToolRegistration.objects.filter(tool_id=TOOL_ID).update(sunset_at=timezone.now() - timedelta(seconds=5))

    assert decide("yank").status_code == 200


def test_nothing_has_to_be_sent_to_restore():
    decide("deprecate")

    assert post_bytes(f"/api/tools/{TOOL_ID}/restore", b"").json()["status"] == "ACTIVE"


def test_a_version_that_is_not_deprecated_has_no_such_headers():
    answer = get_json(f"/api/tools/{TOOL_ID}")

    assert not {"Deprecation", "Sunset", "Link"} & set(answer.headers)
    assert answer.json()["deprecated_at"] is None


def test_deprecated_versions_leave_ranges_and_come_last_in_lists():
    register("a_tool")
    decide("deprecate", "mail-team:a_tool:1.0.0")

    assert listed() == [TOOL_ID, "mail-team:send_email:1.1.0"]
    assert listed(include_deprecated="true") == [*listed(), "mail-team:a_tool:1.0.0"]
    is_problem(get_json("/api/tools/resolve?ref=a_tool@^1"), 404, "no_matching_version")


def test_pages_go_on_from_those_in_use_to_the_deprecated_ones():
    for name in ("a", "b", "c"):
        register(name)
        decide("deprecate", f"mail-team:{name}:1.0.0")
    found: list[str] = []
    cursor: str | None = ""

    while cursor is not None:
        query = {"include_deprecated": "true", "limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = get_json("/api/tools/available", query=query).json()
        assert len(answer["results"]) <= 2
        found += [row["tool_id"].split(":")[1] for row in answer["results"]]
        cursor = answer["next"]

    assert found == ["send_email", "send_email", "a", "b", "c"]


def test_a_yanked_version_is_in_no_list_and_works_where_it_is_pinned():
    answer = decide("yank", reason="It leaks addresses.", replaced_by="mail-team:send_email:1.1.0")

    row = answer.json()
    assert (row["status"], row["yanked_at"] is not None) == ("DEPRECATED", True)
    assert listed(include_deprecated="true") == ["mail-team:send_email:1.1.0"]
    assert get_json("/api/tools/resolve?ref=send_email@~1.0").status_code == 404
    pinned = get_json("/api/tools/resolve?ref=send_email@1.0.0")
    assert pinned.json()["deprecation_reason"] == "It leaks addresses."
    assert "Deprecation" in pinned.headers


@pytest.mark.parametrize("step", ["deprecate", "yank"])
def test_both_are_undone(step):
    decide(step, reason="A mistake.")

    row = decide("restore").json()

    assert (row["status"], row["yanked_at"], row["deprecated_at"], row["deprecation_reason"]) == (
        "ACTIVE",
        None,
        None,
        None,
    )
    assert TOOL_ID in listed()


def test_retiring_is_for_good():
    assert decide("retire", reason="Gone.").json()["status"] == "RETIRED"

    is_problem(get_json(f"/api/tools/{TOOL_ID}"), 404, "tool_not_found")
    is_problem(decide("restore"), 409, "conflict")
    is_problem(decide("retire"), 409, "conflict")


def test_after_its_sunset_a_version_is_retired():
    soon = timezone.now() + timedelta(hours=1)
    decide("deprecate", sunset_at=soon.isoformat())

    assert lifecycle.retire_after_sunset(now=soon - timedelta(seconds=1)) == 0
    assert lifecycle.retire_after_sunset(now=soon) == 1
    assert lifecycle.retire_after_sunset(now=soon) == 0
    assert ToolRegistration.objects.get(tool_id=TOOL_ID).lifecycle == "RETIRED"
    assert ToolEvent.objects.latest("pk").data == {"reason": "sunset"}


def test_an_event_tells_who_decided():
    application = make_application("operator")
    token = make_token("tools:admin", application=application)

    answer = post_json(f"/api/tools/{TOOL_ID}/deprecate", {}, headers={"authorization": f"Bearer {token}"})

    assert answer.status_code == 200
    event = ToolEvent.objects.latest("pk")
    assert (event.kind, event.actor) == ("tool:version:deprecated", f"client:{application.client_id}")


@pytest.mark.parametrize(
    ("step", "said", "status", "where"),
    [
        ("deprecate", {"sunset_at": "2001-01-01"}, 422, "/sunset_at"),
        ("deprecate", {"sunset_at": "soon"}, 422, "/sunset_at"),
        ("deprecate", {"sunset_at": 7}, 422, "/sunset_at"),
        ("deprecate", {"sunset_at": "9999-12-31T23:59:59-23:59"}, 422, "/sunset_at"),  # UTC has no such year
        ("deprecate", {"sunset_at": "0001-01-01T00:00:00+05:00"}, 422, "/sunset_at"),
        ("deprecate", {"replaced_by": "nothing_of_this_name"}, 404, "/replaced_by"),
        ("deprecate", {"replaced_by": "send_email@^9"}, 404, "/replaced_by"),
        ("deprecate", {"replaced_by": "!"}, 422, "/replaced_by"),
        ("deprecate", {"because": "x"}, 422, "/because"),
        ("yank", {"sunset_at": "2090-01-01"}, 422, "/sunset_at"),
        ("yank", {"reason": "x" * 1001}, 422, "/reason"),
        ("restore", {"reason": "x"}, 422, "/reason"),
        ("retire", {"reason": None, "replaced_by": ""}, 422, "/replaced_by"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_decided(step, said, status, where):
    assert where in pointers(is_problem(decide(step, **said), status))
    assert set(ToolRegistration.objects.values_list("lifecycle", flat=True)) == {"ACTIVE"}


@pytest.mark.parametrize("step", ["deprecate", "yank", "restore", "retire"])
def test_a_version_that_there_is_not_is_told(step):
    is_problem(decide(step, "mail-team:send_email:9.9.9"), 404, "tool_not_found")


@pytest.mark.parametrize(
    ("step", "again"), [("deprecate", "deprecate"), ("yank", "yank"), ("yank", "deprecate")]
)
def test_a_decision_is_taken_once(step, again):
    decide(step)

    is_problem(decide(again), 409, "conflict")


def test_what_is_deprecated_can_be_yanked_and_keeps_its_reason():
    decide("deprecate", reason="Slow.")

    row = decide("yank").json()

    assert (row["deprecation_reason"], row["yanked_at"] is not None) == ("Slow.", True)
