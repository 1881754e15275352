"""Uses: counted in Valkey, written once, never in the way of a request."""

import pytest
from redis import Redis
from redis.exceptions import RedisError

from registry import conf
from registry.models import ToolUse
from registry.services import usage
from tests.factories import EVERYTHING, at, make_application, make_principal, make_registration
from tests.racing import at_once

pytestmark = pytest.mark.django_db

RESOLVE, DESCRIBE = ToolUse.Kind.RESOLVE, ToolUse.Kind.DESCRIBE


@pytest.fixture(autouse=True)
def store() -> Redis:
    store = conf.store()
    store.delete("tr:use", "tr:use:taken", "tr:use:flushing")
    return store


@pytest.fixture
def closed() -> Redis:
    """A client of a port where nothing listens."""
    return Redis.from_url("redis://127.0.0.1:1/0")


def _counts() -> list[tuple[str, int | None, int]]:
    return list(ToolUse.objects.order_by("kind", "pk").values_list("kind", "application_id", "count"))


def test_uses_are_counted_by_registration_caller_and_kind(store):
    row, agent = make_registration(), make_principal(application=make_application())
    for principal in (agent, agent, EVERYTHING):
        usage.note(RESOLVE, row.pk, principal=principal, store=store)
    usage.note(DESCRIBE, row.pk, principal=agent, store=store)

    written = usage.flush(now=at(0), store=store)

    assert written == 3
    assert set(_counts()) == {
        ("RESOLVE", agent.application_id, 2),
        ("RESOLVE", None, 1),
        ("DESCRIBE", agent.application_id, 1),
    }


def test_counts_add_up_over_flushes(store):
    row = make_registration()
    for seconds in (0, 60):
        usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)
        usage.flush(now=at(seconds), store=store)

    use = ToolUse.objects.get()

    assert (use.count, use.first_at, use.last_at, str(use)) == (2, at(0), at(60), "RESOLVE (2)")


def test_a_late_flush_turns_no_time_back(store):
    row = make_registration()
    for seconds in (60, 0):
        usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)
        usage.flush(now=at(seconds), store=store)

    assert ToolUse.objects.get().last_at == at(60)


def test_without_uses_nothing_is_written(store):
    assert usage.flush(now=at(0), store=store) == 0
    assert not store.exists("tr:use:flushing")


def test_what_a_dead_flush_took_is_written_first_and_new_counts_after_it(store):
    row = make_registration()
    usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)
    store.rename("tr:use", "tr:use:taken")
    usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)

    usage.flush(now=at(0), store=store)
    after_first = _counts()
    usage.flush(now=at(60), store=store)

    assert (after_first, _counts()) == ([("RESOLVE", None, 1)], [("RESOLVE", None, 2)])


def test_counts_of_deleted_rows_are_dropped(store):
    row, gone = make_registration(), make_registration(name="gone")
    application = make_application()
    for key in (row.pk, gone.pk):
        usage.note(RESOLVE, key, principal=make_principal(application=application), store=store)
        usage.note(RESOLVE, key, principal=EVERYTHING, store=store)
    gone.delete()
    application.delete()

    written = usage.flush(now=at(0), store=store)

    assert (written, _counts()) == (1, [("RESOLVE", None, 1)])
    assert not store.exists("tr:use", "tr:use:taken")


def test_a_flush_beside_another_one_does_nothing(store):
    row = make_registration()
    usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)
    store.set("tr:use:flushing", "1")

    assert usage.flush(now=at(0), store=store) == 0
    assert store.exists("tr:use")


@pytest.mark.django_db(transaction=True)
def test_flushes_at_once_count_once(store):
    row = make_registration()
    for _ in range(3):
        usage.note(RESOLVE, row.pk, principal=EVERYTHING, store=store)

    at_once(*[lambda: usage.flush(now=at(0), store=store)] * 3)

    assert ToolUse.objects.get().count == 3


def test_a_dead_flush_blocks_its_successors_for_two_minutes_at_most(store):
    usage.note(RESOLVE, 1, principal=EVERYTHING, store=store)

    class Dying(Redis):
        """Dies with the counts in its hands, as a killed process does: nothing is cleaned up."""

        def hgetall(self, name):
            raise SystemExit

        def delete(self, *names):
            return 0

    dying = Dying(connection_pool=store.connection_pool)
    with pytest.raises(SystemExit):
        usage.flush(now=at(0), store=dying)

    assert 0 < store.ttl("tr:use:flushing") <= 120
    assert store.hgetall("tr:use:taken") == {b"RESOLVE:1:": b"1"}


def test_with_valkey_down_a_use_is_not_counted_and_nobody_notices(closed, caplog):
    usage.note(RESOLVE, 1, principal=EVERYTHING, store=closed)

    assert "a use was not counted" in caplog.text


def test_with_valkey_down_a_flush_says_so(closed):
    with pytest.raises(RedisError):
        usage.flush(now=at(0), store=closed)
