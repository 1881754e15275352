"""Beats and deregistrations: which leases they touch, what they answer, which events they leave."""

from datetime import timedelta

import pytest
from django.db import connection

from registry.models import ToolEvent, ToolInstance, ToolRegistration
from registry.models.instance import ENDED
from registry.services import lifecycle
from tests.factories import (
    EVERYTHING,
    at,
    beat,
    deregister,
    event_kinds,
    health,
    make_other_contract,
    make_owner,
    make_registration,
    outcomes,
    register,
)

pytestmark = pytest.mark.django_db

TOOL_ID = "mail-team:send_email:1.0.0"


def test_the_first_beat_takes_a_lease():
    row = make_registration()

    [result] = beat(seconds=5)

    assert (result.tool_id, result.outcome, health(row)) == (TOOL_ID, "renewed", "HEALTHY")
    assert ToolInstance.objects.get().last_beat_at == at(5)
    assert event_kinds() == ["version:registered"]


def test_a_beat_renews_its_own_lease_alone():
    make_registration(instance="host-1")
    beat(seconds=5, instance="host-2")

    beat(seconds=30, instance="host-2")

    beats = dict(ToolInstance.objects.values_list("provider_instance", "last_beat_at"))
    assert beats == {"host-1": at(0), "host-2": at(30)}


def test_a_beat_never_turns_a_lease_back():
    make_registration(instance="host-1", seconds=30)

    beat(seconds=5)

    assert ToolInstance.objects.get().last_beat_at == at(30)


@pytest.mark.parametrize("sick", ["SUSPECT", "UNAVAILABLE"])
def test_a_beat_restores_a_sick_tool_with_one_event(sick):
    row = make_registration(instance="host-1")
    ToolRegistration.objects.update(health=sick)

    results = beat(seconds=200) + beat(seconds=230)

    assert (outcomes(results), health(row)) == (["recovered", "renewed"], "HEALTHY")
    assert event_kinds() == ["version:registered", "health:recovered"]
    assert ToolEvent.objects.get(kind="tool:health:recovered").occurred_at == at(200)


def test_results_come_in_the_order_they_were_asked_for():
    make_registration(name="b")
    make_registration(name="a")
    asked = ["mail-team:b:1.0.0", "mail-team:none:1.0.0", "MAIL-Team:a:1.0.0", "mail-team:b:1.0.0", "", "::"]

    results = beat(*asked)

    assert [result.tool_id for result in results] == asked
    assert outcomes(results) == ["renewed", "unknown", "renewed", "renewed", "unknown", "unknown"]
    assert ToolInstance.objects.count() == 2


def test_a_retired_version_is_unknown_to_a_beat():
    row = make_registration(instance="host-1")
    lifecycle.retire(row.pk, now=at(1))

    [result] = beat(seconds=30)

    assert result.outcome == "unknown"
    assert ToolInstance.objects.get().last_beat_at == at(0)


def test_a_deprecated_version_goes_on_beating():
    row = make_registration(instance="host-1")
    lifecycle.deprecate(row.pk, now=at(1))

    assert outcomes(beat(seconds=30)) == ["renewed"]


def test_foreign_tools_are_unknown_to_a_beat():
    owner = make_owner()
    make_registration_of_owner = register({"provider": "mail-team", "name": "send_email"}, principal=owner)

    [result] = beat(principal=EVERYTHING)

    assert outcomes(make_registration_of_owner) == ["created"]
    assert result.outcome == "unknown"
    assert not ToolInstance.objects.exists()


def test_the_owner_beats():
    owner = make_owner()
    register({"provider": "mail-team", "name": "send_email"}, principal=owner)

    assert outcomes(beat(principal=owner)) == ["renewed"]


def test_a_tool_without_liveness_stays_unmonitored_whoever_beats():
    row = make_registration(liveness="none")

    [result] = beat()

    assert (result.outcome, health(row)) == ("renewed", "UNMONITORED")
    assert not ToolInstance.objects.exists()


def test_what_is_never_monitored_cannot_be_deregistered():
    row = make_registration(liveness="none")

    known = deregister()

    assert (known, health(row)) == ({TOOL_ID: False}, "UNMONITORED")


def test_the_placeholder_ends_when_an_instance_comes_so_its_end_is_the_tools():
    row = make_registration(liveness="heartbeat")
    beat(instance="host-1", seconds=5)

    deregister(instance="host-1", seconds=10)

    assert health(row) == "UNAVAILABLE"


def test_a_refused_instance_revives_nothing():
    row = make_registration(instance="host-1")
    register(make_other_contract(), provider_instance="host-1")
    ToolRegistration.objects.update(health="UNAVAILABLE")

    [result] = beat(seconds=5)

    assert (result.outcome, health(row)) == ("conflict", "UNAVAILABLE")


def _synchronous_commit() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        return str(cursor.fetchone()[0])


def test_mere_renewals_are_not_waited_for():
    make_registration(instance="host-1")

    beat(seconds=5)

    assert _synchronous_commit() == "off"


@pytest.mark.parametrize("instance", ["host-1", "host-2"])
def test_new_leases_and_recoveries_are_waited_for(instance):
    make_registration(instance="host-1")
    ToolRegistration.objects.update(health="SUSPECT")

    beat(seconds=5, instance=instance)

    assert _synchronous_commit() == "on"


def test_beats_of_ten_healthy_tools_cost_four_queries(django_assert_num_queries):
    ids = [make_registration(name=f"tool_{number}", instance="host-1").tool_id for number in range(10)]

    # Savepoint, writable providers, SET LOCAL, renewal, registrations, release.
    with django_assert_num_queries(6):
        beat(*ids, seconds=5)


def test_first_beats_cost_the_same_for_any_number(django_assert_num_queries):
    ids = [make_registration(name=f"tool_{number}").tool_id for number in range(10)]

    # As above, and: SET LOCAL, locked registrations, placeholders, leases, health.
    with django_assert_num_queries(11):
        beat(*ids, seconds=5)


def test_deregistering_an_instance_ends_its_lease_alone():
    row = make_registration(instance="host-1")
    beat(instance="host-2")

    known = deregister(instance="host-1", seconds=5)

    assert (known, health(row)) == ({TOOL_ID: True}, "HEALTHY")
    beats = dict(ToolInstance.objects.values_list("provider_instance", "last_beat_at"))
    assert beats == {"host-1": ENDED, "host-2": at(0)}
    assert event_kinds() == ["version:registered"]


def test_the_last_instance_that_deregisters_takes_the_tool_away():
    row = make_registration(instance="host-1")
    beat(instance="host-2")

    deregister(instance="host-1", seconds=5)
    deregister(instance="host-2", seconds=6)
    deregister(instance="host-2", seconds=7)

    assert health(row) == "UNAVAILABLE"
    assert event_kinds() == ["version:registered", "health:unavailable"]
    event = ToolEvent.objects.get(kind="tool:health:unavailable")
    assert (event.occurred_at, event.data) == (at(6), {"reason": "deregistered"})


def test_deregistering_without_an_instance_ends_all_leases():
    row = make_registration(instance="host-1")
    beat(instance="host-2")

    deregister(TOOL_ID.upper().replace("SEND_EMAIL", "send_email"), seconds=5)

    assert health(row) == "UNAVAILABLE"
    assert not ToolInstance.objects.fresh(ENDED).exists()


def test_a_refused_instance_does_not_keep_a_deregistered_tool_alive():
    row = make_registration(instance="host-1")
    register(make_other_contract(), provider_instance="host-2")

    deregister(instance="host-1", seconds=5)

    assert health(row) == "UNAVAILABLE"


def test_an_instance_without_a_lease_takes_nothing_away():
    row = make_registration(instance="host-1")

    known = deregister("mail-team:other:1.0.0", TOOL_ID, instance="host-9")

    assert (known, health(row)) == ({TOOL_ID: False}, "HEALTHY")


def test_foreign_tools_are_unknown_to_a_deregistration():
    owner = make_owner()
    register({"provider": "mail-team", "name": "send_email"}, principal=owner, provider_instance="host-1")

    known = deregister(principal=EVERYTHING)

    assert known == {}
    assert ToolInstance.objects.fresh(at(0) - timedelta(seconds=1)).exists()


def test_a_beat_revives_a_deregistered_tool():
    row = make_registration(instance="host-1")
    deregister(seconds=5)

    [result] = beat(seconds=10)

    assert (result.outcome, health(row)) == ("recovered", "HEALTHY")
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]
