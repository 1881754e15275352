"""Steps that people decide, each with its event, and the states that forbid them."""

import pytest

from registry.models import ToolEvent
from registry.services import lifecycle
from tests.factories import EVERYTHING, at, event_kinds, make_registration
from toolroster.errors import Conflict

pytestmark = pytest.mark.django_db


def test_deprecating_says_why_until_when_and_what_instead():
    row = make_registration()

    lifecycle.deprecate(row.pk, now=at(1), reason="Slow.", sunset_at=at(99), replaced_by="send_email@2.0.0")

    row.refresh_from_db()
    assert (row.lifecycle, row.sunset_at, row.replaced_by, row.deprecation_reason) == (
        "DEPRECATED",
        at(99),
        "send_email@2.0.0",
        "Slow.",
    )
    event = ToolEvent.objects.get(kind="tool:version:deprecated")
    assert (event.occurred_at, event.data) == (
        at(1),
        {"reason": "Slow.", "sunset_at": at(99).isoformat(), "replaced_by": "send_email@2.0.0"},
    )


def test_restoring_takes_a_deprecation_back():
    row = make_registration()
    lifecycle.deprecate(row.pk, now=at(1), reason="Slow.", sunset_at=at(99), replaced_by="x")

    lifecycle.restore(row.pk, now=at(2))

    row.refresh_from_db()
    assert (row.lifecycle, row.sunset_at, row.replaced_by, row.deprecation_reason) == ("ACTIVE", None, "", "")
    assert event_kinds() == ["version:registered", "version:deprecated", "version:restored"]


@pytest.mark.parametrize("is_deprecated", [True, False])
def test_retiring_is_for_good(is_deprecated):
    row = make_registration()
    if is_deprecated:
        lifecycle.deprecate(row.pk, now=at(1))

    lifecycle.retire(row.pk, now=at(2), reason="Unsafe.")

    row.refresh_from_db()
    assert row.lifecycle == "RETIRED"
    assert event_kinds()[-1] == "version:retired"
    assert not type(row).objects.visible_to(EVERYTHING).exists()


@pytest.mark.parametrize(
    ("before", "step", "detail"),
    [
        ([], lifecycle.approve, "Nothing of mail-team:send_email:1.0.0 waits for approval."),
        ([], lifecycle.reject, "Nothing of mail-team:send_email:1.0.0 waits for approval."),
        ([], lifecycle.restore, "mail-team:send_email:1.0.0 is ACTIVE, not DEPRECATED."),
        ([lifecycle.deprecate], lifecycle.deprecate, "mail-team:send_email:1.0.0 is DEPRECATED, not ACTIVE."),
        ([lifecycle.retire], lifecycle.deprecate, "mail-team:send_email:1.0.0 is RETIRED, not ACTIVE."),
        ([lifecycle.retire], lifecycle.restore, "mail-team:send_email:1.0.0 is RETIRED, not DEPRECATED."),
        ([lifecycle.retire], lifecycle.retire, "mail-team:send_email:1.0.0 is retired already."),
    ],
)
def test_a_state_forbids_a_step(before, step, detail):
    row = make_registration()
    for earlier in before:
        earlier(row.pk, now=at(1))
    events_before = event_kinds()

    with pytest.raises(Conflict) as caught:
        step(row.pk, now=at(2))

    assert caught.value.detail == detail
    assert event_kinds() == events_before


def test_what_is_rejected_is_not_rejected_again():
    row = make_registration(review_required=True)
    lifecycle.reject(row.pk, now=at(1))

    with pytest.raises(Conflict, match="waits for approval"):
        lifecycle.reject(row.pk, now=at(2))


def test_a_rejection_says_why():
    row = make_registration(review_required=True)

    lifecycle.reject(row.pk, now=at(1), reason="Too vague.")

    assert ToolEvent.objects.get(kind="tool:version:rejected").data == {"reason": "Too vague."}
