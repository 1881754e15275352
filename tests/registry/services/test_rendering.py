"""The registration as it is served: facts of the moment beside the document."""

from datetime import UTC, datetime

import pytest

from registry.models import ToolRegistration
from registry.services import rendering
from tests.factories import at, deregister, make_document, make_registration, seen

pytestmark = pytest.mark.django_db


def _rendered(seconds: float = 0) -> dict:
    row = ToolRegistration.objects.with_last_beat().get()
    return rendering.registration(row, seen=seen(seconds))


def test_the_document_and_the_facts_stand_side_by_side():
    make_registration(instance="host-1", display_name="Send")

    answer = _rendered(1)

    assert (answer["tool_id"], answer["display_name"], answer["status"]) == (
        "mail-team:send_email:1.0.0",
        "Send",
        "ACTIVE",
    )
    assert answer["registered_at"] == answer["last_heartbeat_at"] == "2030-01-01T12:00:00Z"
    assert list(answer)[1 : 1 + len(make_document())][:3] == ["provider", "name", "version"]


@pytest.mark.parametrize(
    ("seconds", "health", "status"),
    [(44, "HEALTHY", "ACTIVE"), (45, "SUSPECT", "ACTIVE"), (90, "UNAVAILABLE", "UNAVAILABLE")],
)
def test_health_is_judged_now_and_not_by_the_last_sweep(seconds, health, status):
    make_registration(instance="host-1")

    answer = _rendered(seconds)

    assert (answer["health"], answer["status"]) == (health, status)


def test_what_was_given_back_is_unavailable_and_has_no_last_beat():
    make_registration(instance="host-1")
    deregister()

    answer = _rendered(1)

    assert (answer["health"], answer["last_heartbeat_at"]) == ("UNAVAILABLE", None)


def test_what_never_beat_is_unmonitored():
    make_registration()

    assert (_rendered()["health"], _rendered()["status"]) == ("UNMONITORED", "ACTIVE")


@pytest.mark.parametrize(
    ("lifecycle", "health", "status"),
    [
        ("ACTIVE", "HEALTHY", "ACTIVE"),
        ("ACTIVE", "SUSPECT", "ACTIVE"),
        ("ACTIVE", "UNAVAILABLE", "UNAVAILABLE"),
        ("DEPRECATED", "UNMONITORED", "DEPRECATED"),
        ("DEPRECATED", "UNAVAILABLE", "UNAVAILABLE"),
        ("RETIRED", "UNAVAILABLE", "RETIRED"),
    ],
)
def test_the_seeds_status_is_derived(lifecycle, health, status):
    assert rendering.status(lifecycle, health) == status


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (None, None),
        (datetime(2030, 1, 1, tzinfo=UTC), "2030-01-01T00:00:00Z"),
        (at(0.5), "2030-01-01T12:00:00.500000Z"),
    ],
)
def test_times_are_rfc_3339_in_utc(moment, text):
    assert rendering.timestamp(moment) == text
