"""Who sees which registration, and what is alive: the one rule of every read path."""

from datetime import datetime

import pytest

from oauth.principal import Principal
from registry.models import ToolRegistration
from tests.factories import (
    EVERYTHING,
    NOBODY,
    at,
    beat,
    cutoff,
    deregister,
    make_other_contract,
    make_principal,
    make_registration,
    register,
)

pytestmark = pytest.mark.django_db


def _sees(principal: Principal) -> bool:
    return ToolRegistration.objects.visible_to(principal).exists()


@pytest.mark.parametrize(
    ("needs", "has", "is_seen"),
    [
        ([], [], True),
        ([], ["mail"], True),
        (["mail"], [], False),
        (["mail"], ["sms"], False),
        (["mail"], ["mail"], True),
        (["mail", "sms"], ["sms", "other"], True),
        (["mail"], ["mail:use"], False),
        (["mail"], ["MAIL"], False),
    ],
)
def test_any_shared_scope_opens_a_tool(needs, has, is_seen):
    make_registration(scopes=needs)

    assert _sees(make_principal(scopes=has)) == is_seen


@pytest.mark.parametrize(
    ("names", "has", "is_seen"),
    [
        ([], [], True),
        ([], ["clerk"], True),
        (["clerk"], [], False),
        (["clerk"], ["chief"], False),
        (["clerk", "chief"], ["chief"], True),
    ],
)
def test_any_shared_role_opens_a_tool(names, has, is_seen):
    make_registration(policy={"allowed_roles": names})

    assert _sees(make_principal(roles=has)) == is_seen


@pytest.mark.parametrize(
    ("scopes", "roles", "is_seen"),
    [
        (["mail"], ["clerk"], True),
        (["mail"], [], False),
        ([], ["clerk"], False),
        (["clerk"], ["mail"], False),
    ],
)
def test_scopes_and_roles_must_both_open(scopes, roles, is_seen):
    make_registration(scopes=["mail"], policy={"allowed_roles": ["clerk"]})

    assert _sees(make_principal(scopes=scopes, roles=roles)) == is_seen


def test_reach_goes_before_scopes_and_roles():
    make_registration(scopes=["mail"], policy={"allowed_roles": ["clerk"]})

    assert (_sees(EVERYTHING), _sees(NOBODY)) == (True, False)


@pytest.mark.parametrize("principal", [EVERYTHING, make_principal()])
@pytest.mark.parametrize(
    ("column", "value", "is_seen"),
    [
        ("review", "DRAFT", False),
        ("review", "PENDING", False),
        ("review", "REJECTED", False),
        ("review", "APPROVED", True),
        ("lifecycle", "ACTIVE", True),
        ("lifecycle", "DEPRECATED", True),
        ("lifecycle", "RETIRED", False),
        ("health", "UNAVAILABLE", True),
    ],
)
def test_review_and_lifecycle_hide_from_everybody(principal, column, value, is_seen):
    make_registration()
    ToolRegistration.objects.update(**{column: value})

    assert _sees(principal) == is_seen


@pytest.mark.parametrize(
    ("health", "beat_at", "is_alive"),
    [
        ("UNMONITORED", None, True),
        ("UNMONITORED", -1000, True),
        ("HEALTHY", 0, True),
        ("HEALTHY", -89, True),
        ("HEALTHY", -90, False),
        ("HEALTHY", None, False),
        ("SUSPECT", -60, True),
        ("SUSPECT", -90, False),
        ("UNAVAILABLE", 0, False),
    ],
)
def test_health_and_the_newest_beat_say_what_is_alive(health, beat_at, is_alive):
    row = make_registration()
    if beat_at is not None:
        beat(seconds=beat_at)
    ToolRegistration.objects.filter(pk=row.pk).update(health=health)

    assert ToolRegistration.objects.alive(cutoff()).exists() == is_alive


def _last_beat() -> datetime | None:
    found: datetime | None = vars(ToolRegistration.objects.with_last_beat().get())["last_beat_at"]
    return found


def test_the_newest_beat_of_a_serving_instance_is_told():
    make_registration(instance="host-1")
    beat(seconds=7, instance="host-2")
    register(make_other_contract(), seconds=30, provider_instance="host-3")

    assert _last_beat() == at(7)


def test_what_never_beat_has_no_last_beat():
    make_registration()
    deregister()

    assert _last_beat() is None


def test_versions_order_by_precedence():
    for version in ("1.10.0", "1.9.0", "1.10.0-rc.1", "2.0.0-0", "1.10.0-rc.11", "1.10.0-rc.2"):
        make_registration(version=version)

    newest_first = ToolRegistration.objects.newest_first().values_list("version", flat=True)

    assert list(newest_first) == ["2.0.0-0", "1.10.0", "1.10.0-rc.11", "1.10.0-rc.2", "1.10.0-rc.1", "1.9.0"]


def test_a_document_is_read_once():
    row = make_registration()

    assert row.document is row.document
    assert row.definition.tool_id == str(row)
