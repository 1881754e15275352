"""What registering does to leases: first beats, revivals, and refusals that are remembered."""

import pytest

from registry.models import ToolInstance, ToolRegistration
from registry.services import lifecycle
from registry.services.heartbeat import REGISTRATION_LEASE
from tests.factories import (
    EVERYTHING,
    at,
    beat,
    cutoff,
    deregister,
    event_kinds,
    health,
    make_document,
    make_other_contract,
    make_owner,
    make_registration,
    outcomes,
    register,
)

pytestmark = pytest.mark.django_db


def _is_alive(seconds: float = 0) -> bool:
    return ToolRegistration.objects.alive(cutoff(seconds)).exists()


@pytest.mark.parametrize(
    ("liveness", "instance", "lease", "expected"),
    [
        (None, None, None, "UNMONITORED"),
        (None, "host-1", "host-1", "HEALTHY"),
        ("heartbeat", None, REGISTRATION_LEASE, "HEALTHY"),
        ("heartbeat", "host-1", "host-1", "HEALTHY"),
        ("none", None, None, "UNMONITORED"),
        ("none", "host-1", None, "UNMONITORED"),
    ],
)
def test_liveness_and_instance_decide_about_the_first_lease(liveness, instance, lease, expected):
    row = make_registration(liveness=liveness, instance=instance)

    assert row.health == expected
    assert [one.provider_instance for one in ToolInstance.objects.all()] == ([lease] if lease else [])


def test_an_instances_registration_counts_as_its_beat():
    make_registration(instance="host-1")

    register(make_document(), seconds=60, provider_instance="host-1", instance_endpoint="http://host-1/")

    lease = ToolInstance.objects.get()
    assert (lease.last_beat_at, lease.endpoint) == (at(60), "http://host-1/")


@pytest.mark.parametrize("instance", ["host-1", "host-2", None])
def test_registering_again_revives_what_was_unavailable(instance):
    row = make_registration(instance="host-1")
    deregister(seconds=1)

    register(make_document(), seconds=2, provider_instance=instance)

    assert (health(row), _is_alive(2)) == ("HEALTHY", True)
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]


def test_registering_again_revives_a_deregistered_tool_that_never_beat():
    row = make_registration()
    deregister(seconds=1)

    register(make_document(), seconds=2)

    assert health(row) == "UNMONITORED"
    assert event_kinds() == ["version:registered", "health:unavailable", "health:recovered"]


def test_registering_again_without_an_instance_leaves_a_tool_that_never_beat_unmonitored():
    row = make_registration()

    register(make_document(), seconds=1)

    assert health(row) == "UNMONITORED"
    assert not ToolInstance.objects.exists()


def test_a_tool_that_asks_for_no_heartbeats_any_more_is_unmonitored():
    row = make_registration(instance="host-1")

    register(make_document(liveness="none"), provider_instance="host-1")

    assert health(row) == "UNMONITORED"
    assert event_kinds() == ["version:registered", "version:updated"]


def test_a_refused_instance_keeps_nothing_alive():
    make_registration(instance="host-1")
    register(make_other_contract(), seconds=10, provider_instance="host-1")

    [result] = beat(seconds=20)

    assert result.outcome == "conflict"
    assert not _is_alive(20)
    assert ToolInstance.objects.filter(refusal__code="contract_changed").exists()


def test_a_refusal_does_not_touch_other_instances():
    make_registration(instance="host-1")
    register(make_other_contract(), seconds=10, provider_instance="host-2")

    assert outcomes(beat(seconds=20, instance="host-1")) == ["renewed"]
    assert outcomes(beat(seconds=20, instance="host-2")) == ["conflict"]
    assert _is_alive(20)


def test_a_refusal_without_an_instance_is_nobodys():
    make_registration(instance="host-1")

    register(make_other_contract(), seconds=10)

    assert outcomes(beat(seconds=20)) == ["renewed"]


def test_an_accepted_document_ends_the_refusal():
    make_registration(instance="host-1")
    register(make_other_contract(), seconds=10, provider_instance="host-1")

    register(make_document(), seconds=20, provider_instance="host-1")

    assert ToolInstance.objects.get().refusal is None
    assert outcomes(beat(seconds=30)) == ["renewed"]
    assert _is_alive(30)


def test_strangers_are_refused_without_a_trace():
    owner = make_owner()
    register(make_document(), principal=owner, provider_instance="host-1")

    [outcome] = register(make_document(), principal=EVERYTHING, provider_instance="host-1")

    assert outcome.problem.code == "permission_missing"
    assert ToolInstance.objects.get().refusal is None


def test_an_instance_that_registers_a_retired_version_gets_no_lease():
    row = make_registration()
    lifecycle.retire(row.pk, now=at(1))

    [outcome] = register(make_document(), provider_instance="host-1")

    assert outcome.outcome == "refused"
    assert not ToolInstance.objects.serving().exists()


def test_an_instance_whose_document_is_invalid_is_in_conflict():
    make_registration(instance="host-1")

    [outcome] = register(
        make_document(parameters=[{"name": "to", "type": "nope"}]), provider_instance="host-1"
    )
    [result] = beat(instance="host-1", seconds=5)

    assert (outcome.tool_id, outcome.outcome) == ("mail-team:send_email:1.0.0", "refused")
    assert result.outcome == "conflict"
