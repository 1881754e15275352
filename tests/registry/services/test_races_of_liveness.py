"""Beats, deregistrations and sweeps at the same time: no lost beat, no event twice."""

from collections import Counter
from functools import partial

import pytest
from django.db import transaction

from registry.models import ToolInstance, ToolRegistration
from registry.services import sweep
from registry.services.sweep import SweepReport
from tests.factories import (
    POLICY,
    at,
    beat,
    deregister,
    event_kinds,
    health,
    make_other_contract,
    make_registration,
    register,
)
from tests.racing import at_once, in_background, uncommitted, wait_until_blocked

pytestmark = pytest.mark.django_db(transaction=True)

TOOL_ID = "mail-team:send_email:1.0.0"
ROUNDS = range(5)


def _sweep(seconds: float = 100) -> SweepReport:
    return sweep.sweep(now=at(seconds), policy=POLICY)


def _lapses(tool_id: str = TOOL_ID) -> Counter[str]:
    return Counter(event_kinds(tool_id))


def test_two_sweeps_at_once_make_one_event():
    for number in ROUNDS:
        make_registration(name=f"tool_{number}", instance="host-1")

        reports = at_once(_sweep, _sweep, _sweep)

        assert sum(report.unavailable for report in reports) == 1
        assert _lapses(f"mail-team:tool_{number}:1.0.0")["health:unavailable"] == 1


def test_a_sweep_beside_another_one_does_nothing():
    make_registration(instance="host-1")

    with uncommitted(_sweep):
        report = _sweep()

    assert report == SweepReport()
    assert _lapses()["health:unavailable"] == 1


def test_a_sweep_skips_the_lease_that_a_beat_renews():
    row = make_registration(instance="host-1")

    with uncommitted(lambda: beat(seconds=100)):
        report = _sweep()

    assert (report.unavailable, health(row)) == (0, "HEALTHY")
    assert event_kinds() == ["version:registered"]


def test_a_sweep_counts_the_lease_that_another_instance_renews():
    row = make_registration(instance="host-1")
    beat(seconds=1, instance="host-2")

    with uncommitted(lambda: beat(seconds=100, instance="host-2")):
        report = _sweep()

    assert (report.unavailable, health(row)) == (0, "HEALTHY")


def test_a_beat_behind_a_sweep_recovers_the_tool():
    row = make_registration(instance="host-1")

    with uncommitted(_sweep) as commit, in_background(lambda: beat(seconds=100)) as later:
        wait_until_blocked(later)
        commit()
        [result] = later.result()

    assert (result.outcome, health(row)) == ("recovered", "HEALTHY")
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]


def test_a_beat_in_the_open_transaction_of_a_recovery_is_not_swept():
    row = make_registration(instance="host-1")
    _sweep()

    with uncommitted(lambda: beat(seconds=110)), in_background(lambda: _sweep(111)) as later:
        assert later.result().unavailable == 0

    assert health(row) == "HEALTHY"


def test_the_first_beat_of_a_new_instance_holds_the_sweep():
    row = make_registration(instance="host-1")

    first_beat = uncommitted(lambda: beat(seconds=100, instance="host-2"))
    with first_beat as commit, in_background(_sweep) as later:
        wait_until_blocked(later)
        commit()
        report = later.result()

    assert (report.unavailable, health(row)) == (0, "HEALTHY")


def test_the_first_beat_of_a_new_instance_behind_a_sweep_recovers_the_tool():
    row = make_registration(instance="host-1")
    first_beat = in_background(lambda: beat(seconds=100, instance="host-2"))

    with uncommitted(_sweep) as commit, first_beat as later:
        wait_until_blocked(later)
        commit()
        [result] = later.result()

    assert (result.outcome, health(row)) == ("recovered", "HEALTHY")


def test_an_accepted_registration_behind_a_sweep_recovers_the_tool():
    row = make_registration(instance="host-1")
    register(make_other_contract(), seconds=1, provider_instance="host-1")
    accepted = in_background(lambda: make_registration(seconds=100, instance="host-1"))

    with uncommitted(_sweep) as commit, accepted as later:
        wait_until_blocked(later)
        commit()
        later.result()

    assert health(row) == "HEALTHY"
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]


@pytest.mark.parametrize("instance", ["host-1", "host-2"])
def test_beats_and_sweeps_at_once_never_leave_a_beating_tool_unavailable(instance):
    row = make_registration(instance="host-1")

    for number in ROUNDS:
        moment = 100 * (number + 1)
        at_once(partial(_sweep, moment), partial(beat, seconds=moment, instance=instance))

        assert health(row) == "HEALTHY"
    lapses = _lapses()
    assert lapses["health:unavailable"] + lapses["health:suspect"] == lapses["health:recovered"]


def test_a_deregistration_behind_a_beat_ends_its_lease():
    row = make_registration(instance="host-1")

    with uncommitted(lambda: beat(seconds=10)) as commit, in_background(deregister) as later:
        wait_until_blocked(later)
        commit()
        later.result()

    assert health(row) == "UNAVAILABLE"
    assert not ToolInstance.objects.fresh(at(0)).exists()


def test_a_beat_behind_a_deregistration_recovers_the_tool():
    row = make_registration(instance="host-1")

    with uncommitted(deregister) as commit, in_background(lambda: beat(seconds=10)) as later:
        wait_until_blocked(later)
        commit()
        [result] = later.result()

    assert (result.outcome, health(row)) == ("recovered", "HEALTHY")
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]


def test_a_deregistration_waits_for_the_beat_of_another_instance():
    row = make_registration(instance="host-1")
    beat(instance="host-2")
    deregister(instance="host-2")

    revival = uncommitted(lambda: beat(seconds=10, instance="host-2"))
    last = in_background(lambda: deregister(instance="host-1", seconds=11))
    with revival as commit, last as later:
        wait_until_blocked(later)
        commit()
        later.result()

    assert health(row) == "HEALTHY"
    assert ToolRegistration.objects.alive(at(0)).exists()


def test_a_first_beat_and_a_deregistration_at_once_leave_health_and_lease_in_agreement():
    for number in ROUNDS:
        row = make_registration(name=f"tool_{number}", instance="host-1")

        at_once(
            partial(beat, row.tool_id, seconds=1, instance="host-2"),
            partial(deregister, row.tool_id, seconds=1),
        )

        has_lease = ToolInstance.objects.fresh(at(0)).filter(registration=row).exists()
        assert (health(row) == "HEALTHY") == has_lease


def test_beats_of_many_tools_in_any_order_never_deadlock():
    ids = [make_registration(name=f"tool_{number}", instance="host-1").tool_id for number in range(6)]

    for number in ROUNDS:
        ToolRegistration.objects.update(health="SUSPECT")
        at_once(
            partial(beat, *ids, seconds=1, instance="host-1"),
            partial(beat, *reversed(ids), seconds=1, instance="host-1"),
            partial(beat, *ids, seconds=1, instance=f"new-{number}"),
            partial(_sweep, 60),
        )

    assert set(ToolRegistration.objects.values_list("health", flat=True)) == {"HEALTHY"}


def test_a_first_beat_locks_suspect_and_new_tools_in_one_order():
    low, high = make_registration(name="low", instance="host-1"), make_registration(name="high")
    ToolRegistration.objects.filter(pk=low.pk).update(health="SUSPECT")
    both = in_background(lambda: beat(low.tool_id, high.tool_id, seconds=1, instance="host-1"))

    with uncommitted(lambda: _locked(low)) as commit, both as later:
        wait_until_blocked(later)
        with transaction.atomic():
            high_is_free = bool(_locked(high))
        commit()
        later.result()

    assert high_is_free


def _locked(row: ToolRegistration) -> list[ToolRegistration]:
    return list(ToolRegistration.objects.filter(pk=row.pk).select_for_update(skip_locked=True))


def test_a_sweep_forgets_no_lease_that_beats_again():
    make_registration(instance="host-1")
    beat(seconds=200_000, instance="host-2")

    with uncommitted(lambda: beat(seconds=200_001, instance="host-1")):
        _sweep(200_002)

    assert ToolInstance.objects.count() == 2
