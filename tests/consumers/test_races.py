"""Two at once: migrations, and a declaration beside one."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Timer
from typing import Any

import pytest
from django.db import connection, transaction

from consumers.models import ToolBinding, VersionMigration
from consumers.services import bindings, migrating, principals
from consumers.services.migrating import Asked
from oauth.models import Application
from registry.models import ToolEvent, ToolRegistration
from tests.consumers.agents import CC, TO, caller, owner
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)


def _prepare(agents: int) -> Asked:
    team = owner()
    team.publish("1.0.0", TO, CC)
    for number in range(agents):
        caller(f"agent {number}").declare("send_email")
    team.publish("1.1.0", TO, CC)
    old, new = (ToolRegistration.objects.get(version=version) for version in ("1.0.0", "1.1.0"))
    return Asked(old, new)


def _at_once(*acts: Any) -> list[Any]:
    def run(act: Any) -> Any:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_of_two_migrations_at_once_one_moves():
    asked = _prepare(agents=6)

    outcomes = _at_once(*[lambda: migrating.migrate(asked, now=NOW)] * 4)

    assert sorted(outcome.moved for outcome in outcomes) == [0, 0, 0, 6]
    assert VersionMigration.objects.count() == 1
    assert ToolEvent.objects.filter(kind="tool:binding:moved").count() == 6
    assert ToolEvent.objects.filter(kind="tool:version:deprecated").count() == 1


def test_of_two_rollbacks_at_once_one_moves_back():
    asked = _prepare(agents=3)
    done = migrating.migrate(asked, now=NOW)
    assert done.migration is not None
    number = done.migration.pk

    outcomes = _at_once(*[lambda: migrating.roll_back(number, now=NOW)] * 3)

    assert sorted(len(rows) for rows in outcomes) == [0, 0, 3]
    assert set(ToolBinding.objects.values_list("bound__version", flat=True)) == {"1.0.0"}


def test_migrations_there_and_back_at_once_end_in_one_of_the_two():
    asked = _prepare(agents=4)
    back = Asked(asked.new, asked.old)

    _at_once(*[lambda: _try(asked)] * 2, *[lambda: _try(back)] * 2)

    assert len(set(ToolBinding.objects.values_list("bound__version", flat=True))) == 1


def test_a_declaration_beside_a_migration_does_not_take_its_move_back():
    asked = _prepare(agents=1)
    binding = ToolBinding.objects.get()
    reached, go_on = Event(), Event()

    def migrate() -> None:
        with transaction.atomic():
            migrating.migrate(asked, now=NOW)
            reached.set()
            go_on.wait(10)

    def declare() -> None:
        reached.wait(10)
        application = Application.objects.get(pk=binding.application_id)
        Timer(0.5, go_on.set).start()  # it waits for the migration by then
        [principal] = principals.of([application]).values()
        bindings.declare(["send_email@^1"], application=application, principal=principal, now=NOW)

    _at_once(migrate, declare)

    assert ToolBinding.objects.get().bound.version == "1.1.0"


def _try(asked: Asked) -> None:
    try:
        migrating.migrate(asked, now=NOW)
    except Exception as error:  # noqa: BLE001 - the old version may be deprecated already
        assert "not active" in str(error)  # noqa: PT017
