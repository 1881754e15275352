"""Registering where people review: what waits, what is served meanwhile."""

import pytest

from registry.models import ToolPresentation, ToolRegistration
from registry.services import lifecycle
from tests.factories import EVERYTHING, at, event_kinds, make_document, make_registration, register

pytestmark = pytest.mark.django_db

NEW_WORDS = "Send a letter."


def _send(description: str, *, review_required: bool = True) -> ToolRegistration:
    register(make_document(description=description), review_required=review_required)
    return ToolRegistration.objects.get()


def _served(row: ToolRegistration) -> str:
    return ToolRegistration.objects.get(pk=row.pk).document["description"]


def test_a_new_registration_waits_unseen():
    row = make_registration(review_required=True)

    assert row.review == "PENDING"
    assert (row.pending_presentation.revision, row.approved_presentation) == (1, None)
    assert not ToolRegistration.objects.visible_to(EVERYTHING).exists()


def test_approval_serves_what_waited():
    row = make_registration(review_required=True)

    lifecycle.approve(row.pk, now=at(1))

    row.refresh_from_db()
    assert (row.review, row.approved_presentation.revision, row.pending_presentation) == ("APPROVED", 1, None)
    assert event_kinds() == ["version:registered", "version:approved"]


def test_old_words_are_served_while_new_ones_wait():
    row = make_registration()

    _send(NEW_WORDS)

    row.refresh_from_db()
    assert (row.review, _served(row)) == ("APPROVED", "Send an email.")
    assert (row.approved_presentation.revision, row.pending_presentation.revision) == (1, 2)
    assert event_kinds() == ["version:registered"]


def test_the_rest_of_the_document_changes_while_words_wait():
    make_registration()

    [outcome] = register(
        make_document(description=NEW_WORDS, endpoint={"url": "http://localhost:1/"}), review_required=True
    )

    row = ToolRegistration.objects.get()
    assert outcome.changes == ["/description", "/endpoint"]
    assert (row.document["description"], row.document["endpoint"]["url"]) == (
        "Send an email.",
        "http://localhost:1/",
    )


def test_the_same_waiting_words_again_make_no_revision():
    row = make_registration()
    _send(NEW_WORDS)

    again = _send(NEW_WORDS)

    assert ToolPresentation.objects.count() == 2
    assert (again.pending_presentation.revision, again.updated_at) == (2, row.updated_at)


def test_approved_words_take_the_place_of_the_old_ones():
    row = make_registration()
    old_text = row.search_text_id
    _send(NEW_WORDS)

    lifecycle.approve(row.pk, now=at(1))

    row = ToolRegistration.objects.get()
    assert (_served(row), row.approved_presentation.revision, row.pending_presentation) == (
        NEW_WORDS,
        2,
        None,
    )
    assert row.search_text_id != old_text
    assert register(make_document(description=NEW_WORDS), review_required=True)[0].outcome == "unchanged"


def test_rejected_words_leave_the_old_ones():
    row = make_registration()
    _send(NEW_WORDS)

    lifecycle.reject(row.pk, now=at(1), reason="Too short.")

    row.refresh_from_db()
    assert (row.review, row.pending_presentation, _served(row)) == ("APPROVED", None, "Send an email.")
    assert event_kinds()[-1] == "version:rejected"


def test_a_rejected_registration_stays_unseen_and_may_be_approved_after_all():
    row = make_registration(review_required=True)

    lifecycle.reject(row.pk, now=at(1))
    unseen = not ToolRegistration.objects.visible_to(EVERYTHING).exists()
    lifecycle.approve(row.pk, now=at(2))

    row.refresh_from_db()
    assert unseen
    assert (row.review, row.approved_presentation.description) == ("APPROVED", "Send an email.")


def test_better_words_put_a_rejected_registration_back_in_the_queue():
    row = make_registration(review_required=True)
    lifecycle.reject(row.pk, now=at(1))

    row = _send(NEW_WORDS)

    assert (row.review, row.pending_presentation.description) == ("PENDING", NEW_WORDS)


def test_a_rejected_document_sent_again_stays_rejected():
    row = make_registration(review_required=True)
    lifecycle.reject(row.pk, now=at(1))

    [outcome] = register(make_document(), review_required=True)

    row.refresh_from_db()
    assert (outcome.outcome, row.review) == ("unchanged", "REJECTED")


def test_sending_the_served_words_again_withdraws_the_waiting_ones():
    make_registration()
    _send(NEW_WORDS)

    row = _send("Send an email.")

    assert row.pending_presentation is None


def test_the_last_words_of_a_waiting_registration_are_the_ones_approved():
    row = make_registration(review_required=True)
    _send(NEW_WORDS)
    _send("Send an email.")

    lifecycle.approve(row.pk, now=at(1))

    assert _served(row) == "Send an email."


def test_words_that_waited_are_not_approved_over_newer_ones():
    make_registration()
    _send(NEW_WORDS)

    row = _send("Send anything.", review_required=False)

    assert (_served(row), row.pending_presentation) == ("Send anything.", None)


def test_a_waiting_registration_keeps_waiting_when_review_is_switched_off():
    row = make_registration(review_required=True)

    _send(NEW_WORDS, review_required=False)
    lifecycle.approve(row.pk, now=at(1))

    assert _served(row) == NEW_WORDS


def test_parameter_descriptions_are_words_under_review():
    row = make_registration()
    parameters = [{"name": "to", "type": "string", "description": "Whom.", "required": True}]
    register(make_document(parameters=parameters), review_required=True)

    lifecycle.approve(row.pk, now=at(1))

    assert ToolRegistration.objects.get().document["parameters"][0]["description"] == "Whom."
