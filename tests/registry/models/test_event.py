"""The outbox: append-only, and read in an order that skips nothing."""

import pytest
from django.db import Error, transaction

from registry.models import ToolEvent, ToolRegistration
from registry.services import events
from tests.factories import NOW, make_registration
from tests.racing import uncommitted


def _write(*tool_ids: str) -> None:
    rows = [ToolRegistration(tool_id=tool_id) for tool_id in tool_ids]
    events.record(ToolEvent.Kind.UPDATED, rows, now=NOW)


def _settled() -> list[str]:
    return list(ToolEvent.objects.settled().in_order().values_list("tool_id", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["update", "delete"])
def test_the_database_refuses_to_change_an_event(change):
    _write("a")
    events_now = ToolEvent.objects.all()

    with pytest.raises(Error, match="events are append-only"), transaction.atomic():
        events_now.update(tool_id="b") if change == "update" else events_now.delete()

    assert ToolEvent.objects.get().tool_id == "a"


@pytest.mark.django_db
def test_an_event_outlives_what_it_tells_of():
    row = make_registration()

    row.delete()

    assert ToolEvent.objects.get().tool_id == "mail-team:send_email:1.0.0"


@pytest.mark.django_db
def test_an_event_says_what_and_of_which():
    _write("a")

    assert str(ToolEvent.objects.get()) == "tool:version:updated a"


@pytest.mark.django_db(transaction=True)
def test_committed_events_are_settled_in_their_order():
    _write("b", "a")
    _write("c")

    assert _settled() == ["b", "a", "c"]


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_begins_first_and_commits_last_is_not_skipped():
    with uncommitted(lambda: _write("early")) as commit:
        _write("late")
        before = _settled()
        commit()

    assert (before, _settled()) == ([], ["early", "late"])


@pytest.mark.django_db(transaction=True)
def test_the_transaction_goes_before_the_number_of_the_event():
    high = ToolEvent(pk=10_000, kind=ToolEvent.Kind.UPDATED, tool_id="early", occurred_at=NOW)

    with uncommitted(high.save):
        _write("late")

    assert _settled() == ["early", "late"]


@pytest.mark.django_db(transaction=True)
def test_a_reader_goes_on_behind_the_last_event_it_saw_and_misses_none():
    _write("first")
    last = ToolEvent.objects.settled().in_order().get()
    with uncommitted(lambda: _write("early")) as commit:
        _write("late", "later")
        assert not ToolEvent.objects.settled().behind(last.transaction_id, last.pk).exists()
        commit()

    behind = ToolEvent.objects.settled().behind(last.transaction_id, last.pk).in_order()

    assert [event.tool_id for event in behind] == ["early", "late", "later"]
    assert [
        event.tool_id for event in ToolEvent.objects.behind(behind[1].transaction_id, behind[1].pk).in_order()
    ] == ["later"]


@pytest.mark.django_db(transaction=True)
def test_events_in_savepoints_carry_the_id_of_the_whole_transaction():
    with transaction.atomic():
        with transaction.atomic():
            _write("inner")
        _write("outer")

    assert ToolEvent.objects.values("transaction_id").distinct().count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_gives_up_delays_nobody():
    with transaction.atomic():
        _write("lost")
        transaction.set_rollback(True)
    _write("kept")

    assert _settled() == ["kept"]
