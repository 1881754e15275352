"""When leases count, and when sweep and readers hold back together."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from registry import conf
from registry.models import LeaseWatch, ToolEvent, ToolRegistration
from registry.models.instance import ENDED
from registry.services import leases, sweep
from registry.services.leases import RecentView
from tests.factories import POLICY, at, beat, deregister, event_kinds, health, make_registration, seen

pytestmark = pytest.mark.django_db


def _fleet(providers: int) -> list[str]:
    return [
        make_registration(provider=f"team-{team}", instance="host-1").tool_id for team in range(providers)
    ]


def _swept_fleet(providers: int) -> list[str]:
    ids = _fleet(providers)
    _sweep(1)
    return ids


def _sweep(seconds: float, *, force: bool = False) -> sweep.SweepReport:
    return sweep.sweep(now=at(seconds), policy=POLICY, force=force)


def _alive(seconds: float) -> int:
    return ToolRegistration.objects.alive(seen(seconds).cutoff).count()


def test_one_silent_provider_is_no_outage():
    _fleet(1)

    view = seen(60)

    assert (view.is_held, view.silent, view.silent_providers) == (False, 1, 1)
    assert (view.cutoff, view.suspect_cutoff) == (at(-30), at(15))


@pytest.mark.parametrize(
    ("providers", "beating", "is_held"),
    [(5, 0, True), (4, 0, False), (10, 5, True), (11, 6, False), (5, 1, False)],
)
def test_share_and_providers_together_make_an_outage(providers, beating, is_held):
    ids = _fleet(providers)
    beat(*ids[:beating], seconds=60) if beating else None

    assert seen(60).is_held == is_held


def test_sweep_and_readers_hold_back_together():
    ids = _swept_fleet(5)

    report = _sweep(100)

    assert (report.is_held, report.unavailable, _alive(100)) == (True, 0, len(ids))
    assert seen(100).cutoff == ENDED
    assert set(ToolRegistration.objects.values_list("health", flat=True)) == {"HEALTHY"}


def test_a_hold_raises_one_alarm():
    _fleet(5)

    for seconds in (60, 120, 180):
        _sweep(seconds)

    event = ToolEvent.objects.get(kind="registry:sweep:held")
    assert (event.occurred_at, event.data) == (at(60), {"silent_leases": 5, "silent_providers": 5})
    assert LeaseWatch.objects.get().held_since == at(60)


def test_a_hold_lasts_while_the_leases_stay_silent():
    _swept_fleet(5)
    _sweep(60)

    assert _sweep(86_400).is_held


def test_a_hold_by_the_first_sweep_ever_lasts_too():
    _fleet(5)
    _sweep(60)

    assert _sweep(86_400).is_held


def test_a_hold_is_released_once_most_beat_again():
    ids = _swept_fleet(5)
    _sweep(100)
    beat(*ids[:3], seconds=110)

    report = _sweep(120)

    assert (report.is_held, report.unavailable) == (False, 2)
    assert LeaseWatch.objects.get().held_since is None
    assert event_kinds("") == ["registry:sweep:held", "registry:sweep:released"]


def test_force_overrules_a_hold():
    _swept_fleet(5)
    _sweep(100)

    report = _sweep(101, force=True)

    assert (report.unavailable, _alive(101)) == (5, 0)
    assert event_kinds("") == ["registry:sweep:held", "registry:sweep:released"]
    assert not _sweep(102).is_held


def test_replaced_instances_are_no_outage():
    ids = _fleet(6)
    beat(*ids, seconds=50, instance="host-2")

    view = seen(60)

    assert (view.is_held, view.silent) == (False, 0)


def test_the_lease_of_a_registration_beside_a_beating_instance_is_no_outage():
    ids = [make_registration(provider=f"team-{team}", liveness="heartbeat").tool_id for team in range(6)]
    beat(*ids, seconds=50)

    assert not seen(60).is_held


def test_tools_that_died_before_the_last_sweep_do_not_count():
    _fleet(4)
    _sweep(100)
    make_registration(provider="late", instance="host-1", seconds=150)

    view = seen(200)

    assert (view.is_held, view.silent) == (False, 1)


def test_leases_that_were_given_back_do_not_count():
    ids = _fleet(5)
    deregister(*ids, seconds=10)

    assert seen(60).silent == 0


def test_a_registry_that_was_away_grants_a_grace_period():
    row = make_registration(instance="host-1")

    was_away = leases.begin(now=at(3600), policy=POLICY)

    assert was_away
    assert LeaseWatch.objects.get().grace_until == at(3690)
    assert _alive(3600) == 1
    assert (_sweep(3689), health(row)) == (sweep.SweepReport(), "HEALTHY")


def test_grace_ends_by_itself():
    row = make_registration(instance="host-1")
    leases.begin(now=at(3600), policy=POLICY)

    _sweep(3690)

    assert (health(row), _alive(3690)) == ("UNAVAILABLE", 0)


def test_force_overrules_grace():
    row = make_registration(instance="host-1")
    leases.begin(now=at(3600), policy=POLICY)

    _sweep(3601, force=True)

    assert health(row) == "UNAVAILABLE"


def test_a_restart_beside_a_beating_registry_changes_nothing():
    make_registration(instance="host-1", name="silent")
    make_registration(instance="host-1", name="beating", seconds=3590)

    assert not leases.begin(now=at(3600), policy=POLICY)
    assert not LeaseWatch.objects.exists()


def test_an_empty_registry_needs_no_grace():
    assert not leases.begin(now=at(0), policy=POLICY)


def test_a_recent_view_is_shared_for_its_seconds(django_assert_num_queries):
    recent = RecentView(seconds=2)
    first = recent.at(now=at(0), policy=POLICY)

    with django_assert_num_queries(0):
        same = recent.at(now=at(1.9), policy=POLICY)

    assert same is first
    assert recent.at(now=at(2), policy=POLICY) is not first


@pytest.mark.parametrize(("cost", "age"), [(0.0, 2), (0.1, 2), (0.4, 8), (0.75, 15), (60.0, 15)])
def test_a_dear_view_is_shared_for_longer(monkeypatch, cost, age):
    clock = iter([100.0, 100.0 + cost, 200.0, 200.0])
    monkeypatch.setattr(leases, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    recent = RecentView(seconds=2)
    first = recent.at(now=at(0), policy=POLICY)

    assert recent.at(now=at(age - 0.1), policy=POLICY) is first
    assert recent.at(now=at(age), policy=POLICY) is not first


def test_a_clock_that_was_set_back_does_not_freeze_the_view():
    recent = RecentView(seconds=2)
    recent.at(now=at(100), policy=POLICY)

    assert recent.at(now=at(0), policy=POLICY).now == at(0)


def test_a_forgotten_view_is_looked_at_again():
    recent = RecentView(seconds=2)
    first = recent.at(now=at(0), policy=POLICY)

    recent.forget()

    assert recent.at(now=at(0), policy=POLICY) is not first


def test_a_policy_is_read_from_the_settings(settings):
    settings.LEASE_SECONDS = 77

    assert timedelta(seconds=conf.lease_policy().lease_seconds) == timedelta(seconds=77)
