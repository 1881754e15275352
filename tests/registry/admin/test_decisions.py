"""Approve, reject, deprecate, restore, retire: through the services, with every refusal said."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from registry.admin import decisions
from registry.models import ToolRegistration
from tests.factories import event_kinds, make_document, make_registration, register
from tests.registry.admin.pages import decide, page_of, said, text_of

pytestmark = pytest.mark.django_db


def state(row: ToolRegistration) -> tuple[str, str]:
    row.refresh_from_db()
    return row.review, row.lifecycle


def test_approve_publishes_what_waits(admin_client: Client) -> None:
    row = make_registration(review_required=True)

    answer = decide(admin_client, "approve", row)

    assert state(row) == ("APPROVED", "ACTIVE")
    assert said(answer) == ["Approved one registration."]


def test_approve_has_the_new_words_embedded(
    admin_client: Client, sent: Any, django_capture_on_commit_callbacks: Any
) -> None:
    row = make_registration()
    register(make_document(description="Send a letter."), review_required=True)

    with django_capture_on_commit_callbacks(execute=True):
        decide(admin_client, "approve", row)

    row.refresh_from_db()
    assert row.document["description"] == "Send a letter."
    assert sent() == [("registry.tasks.embed", [[row.pk]])]


def test_conflict_of_one_row_does_not_stop_the_others(admin_client: Client) -> None:
    decided = make_registration(name="decided")
    waiting = make_registration(name="waiting", review_required=True)

    answer = decide(admin_client, "approve", decided, waiting)

    assert state(waiting) == ("APPROVED", "ACTIVE")
    assert said(answer) == [
        "Nothing of mail-team:decided:1.0.0 waits for approval.",
        "Approved one registration.",
    ]


def test_reject_keeps_the_reason_in_the_event(admin_client: Client) -> None:
    row = make_registration(review_required=True)

    decide(admin_client, "reject", row, confirmed="yes", reason="Too broad.")

    assert state(row) == ("REJECTED", "ACTIVE")
    assert event_kinds()[-1] == "version:rejected"


def test_deprecate_asks_first(admin_client: Client) -> None:
    row = make_registration()

    page = decide(admin_client, "deprecate", row)

    assert state(row) == ("APPROVED", "ACTIVE")
    assert "Deprecate one registration?" in text_of(page)
    assert "mail-team:send_email:1.0.0" in text_of(page)


def test_deprecate_writes_reason_sunset_and_successor(admin_client: Client) -> None:
    row = make_registration()
    said_with = {
        "reason": "Slow.",
        "replaced_by": "send_mail@^2",
        "sunset_at_0": "2031-01-01",
        "sunset_at_1": "00:00",
    }

    decide(admin_client, "deprecate", row, confirmed="yes", **said_with)

    assert state(row) == ("APPROVED", "DEPRECATED")
    assert (row.deprecation_reason, row.replaced_by) == ("Slow.", "send_mail@^2")
    assert f"{row.sunset_at:%Y-%m-%d %z}" == "2031-01-01 +0000"


def test_deprecate_refuses_a_successor_that_is_no_reference(admin_client: Client) -> None:
    row = make_registration()

    page = decide(admin_client, "deprecate", row, confirmed="yes", replaced_by="not a tool")

    assert state(row) == ("APPROVED", "ACTIVE")
    assert "is no tool name" in text_of(page)


def test_restore_undoes_a_deprecation(admin_client: Client) -> None:
    row = make_registration()
    decide(admin_client, "deprecate", row, confirmed="yes")

    decide(admin_client, "restore", row)

    assert state(row) == ("APPROVED", "ACTIVE")


def test_retire_says_that_it_is_for_good(admin_client: Client) -> None:
    row = make_registration()

    page = decide(admin_client, "retire", row)

    assert "This is for good" in text_of(page)
    assert state(row) == ("APPROVED", "ACTIVE")


def test_retire_is_done_once(admin_client: Client) -> None:
    row = make_registration()
    decide(admin_client, "retire", row, confirmed="yes", reason="Gone.")

    again = decide(admin_client, "retire", row, confirmed="yes")

    assert state(row) == ("APPROVED", "RETIRED")
    assert said(again) == ["mail-team:send_email:1.0.0 is retired already."]


def test_decision_is_in_the_history_with_its_reason(admin_client: Client) -> None:
    row = make_registration()

    decide(admin_client, "retire", row, confirmed="yes", reason="Gone.")

    assert [entry.get_change_message() for entry in LogEntry.objects.all()] == ["Retired. Gone."]


@pytest.mark.parametrize("action", ["approve", "retire"])
def test_too_many_rows_at_once_are_refused(
    action: str, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MOST_AT_ONCE", 1)
    rows = [make_registration(name=f"tool{number}", review_required=True) for number in range(2)]

    answer = decide(admin_client, action, *rows, confirmed="yes")

    assert said(answer) == ["Choose at most 1 registrations at once; nothing was changed."]
    assert {state(row) for row in rows} == {("PENDING", "ACTIVE")}


@pytest.mark.parametrize(
    ("lifecycle", "offered"),
    [
        ("ACTIVE", ["deprecate", "retire"]),
        ("DEPRECATED", ["restore", "retire"]),
        ("RETIRED", []),
    ],
)
def test_page_offers_the_decisions_that_the_state_allows(
    lifecycle: str, offered: list[str], admin_client: Client
) -> None:
    row = make_registration()
    ToolRegistration.objects.update(lifecycle=lifecycle)

    page = admin_client.get(page_of(row)).content.decode()

    names = ["approve", "reject", "deprecate", "restore", "retire"]
    assert [name for name in names if f'value="{name}"' in page] == offered
