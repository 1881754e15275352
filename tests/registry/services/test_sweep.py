"""The sweep: each transition by missed beats, once, with one event."""

from datetime import timedelta

import pytest

from registry.models import LeaseWatch, ToolEvent, ToolInstance, ToolRegistration
from registry.models.instance import ENDED
from registry.services import sweep
from registry.services.sweep import SweepReport
from tests.factories import (
    POLICY,
    at,
    beat,
    cutoff,
    deregister,
    event_kinds,
    health,
    make_other_contract,
    make_registration,
    register,
)

pytestmark = pytest.mark.django_db

DAY = 86_400


def _sweep(seconds: float, *, force: bool = False) -> SweepReport:
    return sweep.sweep(now=at(seconds), policy=POLICY, force=force)


@pytest.mark.parametrize(
    ("seconds", "expected", "event"),
    [
        (44, "HEALTHY", []),
        (45, "SUSPECT", ["health:suspect"]),
        (89, "SUSPECT", ["health:suspect"]),
        (90, "UNAVAILABLE", ["health:unavailable"]),
    ],
)
def test_silence_makes_suspect_and_then_unavailable(seconds, expected, event):
    row = make_registration(instance="host-1")

    report = _sweep(seconds)

    assert health(row) == expected
    assert event_kinds() == ["version:registered", *event]
    assert (report.suspect, report.unavailable) == (expected == "SUSPECT", expected == "UNAVAILABLE")


def test_each_transition_makes_one_event_however_often_it_is_swept():
    make_registration(instance="host-1")

    reports = [_sweep(seconds) for seconds in (50, 51, 95, 96, 200)]

    assert [(one.suspect, one.unavailable) for one in reports] == [(1, 0), (0, 0), (0, 1), (0, 0), (0, 0)]
    assert event_kinds() == ["version:registered", "health:suspect", "health:unavailable"]
    event = ToolEvent.objects.get(kind="tool:health:suspect")
    assert (event.occurred_at, event.data) == (at(50), {"reason": "missed heartbeats"})


def test_a_whole_life_leaves_one_event_for_each_turn():
    make_registration(instance="host-1")

    _sweep(50)
    beat(seconds=60)
    _sweep(61)
    _sweep(160)
    beat(seconds=170)

    assert event_kinds()[1:] == [
        "health:suspect",
        "health:recovered",
        "health:unavailable",
        "health:recovered",
    ]


@pytest.mark.parametrize("document", [{}, {"liveness": "none"}])
def test_what_never_beat_is_left_alone(document):
    row = make_registration(**document)

    _sweep(10 * DAY)

    assert health(row) == "UNMONITORED"


def test_a_tool_that_asked_for_heartbeats_and_never_beat_runs_out():
    row = make_registration(liveness="heartbeat")

    _sweep(90)

    assert health(row) == "UNAVAILABLE"


def test_one_beating_instance_keeps_the_tool_healthy():
    row = make_registration(instance="host-1")
    beat(seconds=80, instance="host-2")

    _sweep(95)

    assert health(row) == "HEALTHY"


def test_the_newest_of_several_silent_leases_decides():
    row = make_registration(instance="host-1")
    beat(seconds=40, instance="host-2")

    _sweep(95)

    assert health(row) == "SUSPECT"


def test_a_lease_that_was_given_back_does_not_count():
    row = make_registration(instance="host-1")
    beat(seconds=10, instance="host-2")
    deregister(instance="host-2", seconds=20)

    _sweep(90)

    assert health(row) == "UNAVAILABLE"


def test_a_refused_instance_keeps_nothing_from_the_sweep():
    row = make_registration(instance="host-1")
    register(make_other_contract(), seconds=1, provider_instance="host-2")
    beat(seconds=90, instance="host-2")

    _sweep(91)

    assert health(row) == "UNAVAILABLE"


def test_a_tool_whose_instances_were_all_refused_becomes_unavailable():
    row = make_registration(instance="host-1")
    register(make_other_contract(), seconds=1, provider_instance="host-1")
    beat(seconds=2)

    _sweep(3)

    assert health(row) == "UNAVAILABLE"
    assert event_kinds() == ["version:registered", "health:unavailable"]


def test_a_refused_instance_takes_nothing_from_healthy_ones():
    row = make_registration(instance="host-1")
    register(make_other_contract(), seconds=1, provider_instance="host-2")

    _sweep(3)

    assert health(row) == "HEALTHY"


def test_the_server_clock_alone_decides():
    row = make_registration(instance="host-1")
    ToolInstance.objects.update(last_beat_at=at(3600))

    _sweep(60)

    assert health(row) == "HEALTHY"
    assert ToolRegistration.objects.alive(cutoff(60)).exists()


def test_a_sweep_notes_when_it_was():
    _sweep(7)

    assert LeaseWatch.objects.get().swept_at == at(7)


def test_long_expired_leases_beside_a_newer_one_are_forgotten():
    make_registration(instance="host-1")
    beat(seconds=2 * DAY, instance="host-2")
    beat(seconds=2 * DAY - 60, instance="host-3")

    _sweep(2 * DAY + 1)

    assert set(ToolInstance.objects.values_list("provider_instance", flat=True)) == {"host-2", "host-3"}


def test_the_only_lease_is_never_forgotten():
    make_registration(instance="host-1")

    _sweep(30 * DAY)

    assert ToolInstance.objects.count() == 1


def test_a_lease_that_was_given_back_is_remembered():
    make_registration(instance="host-1")
    deregister(instance="host-1")
    beat(seconds=30 * DAY, instance="host-2")

    _sweep(30 * DAY + 1)

    assert set(ToolInstance.objects.values_list("last_beat_at", flat=True)) == {ENDED, at(30 * DAY)}


def test_a_sweep_costs_the_same_for_any_number_of_tools(django_assert_num_queries):
    for number in range(10):
        make_registration(name=f"tool_{number}", instance="host-1")
    LeaseWatch.objects.create(swept_at=at(0) - timedelta(seconds=1))

    # Savepoint, advisory lock, watch, silent leases, watch, release of a hold; stale leases, registrations,
    # other leases, health, events; forgotten leases, the time, release.
    with django_assert_num_queries(14):
        _sweep(95)
