"""A batch writes set by set: what it costs, and what its documents mean for each other."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import (
    Tool,
    ToolEvent,
    ToolInstance,
    ToolPosting,
    ToolPresentation,
    ToolRegistration,
)
from registry.services.batch import Batch, VersionTaken
from tests.factories import make_document, make_registration, register
from toolroster.errors import Unavailable

pytestmark = pytest.mark.django_db


def documents(number: int, **changes):
    return [make_document(name=f"tool_{n}", **changes) for n in range(number)]


def queries_of(*sent, **by) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        outcomes = register(*sent, **by)
    assert all(outcome.problem is None for outcome in outcomes)
    return len(captured)


@pytest.mark.parametrize("by", [{}, {"provider_instance": "host-1"}], ids=["alone", "instance"])
@pytest.mark.parametrize("changes", [{}, {"liveness": "heartbeat"}], ids=["unset", "heartbeat"])
def test_documents_that_changed_nothing_cost_the_same_for_any_number(by, changes):
    register(*documents(40, **changes), **by)

    assert queries_of(*documents(40, **changes), **by) == queries_of(*documents(5, **changes), **by) <= 12


def test_new_documents_cost_the_same_statements_for_any_number():
    register(*documents(1))
    few = queries_of(*documents(5, version="2.0.0"), provider_instance="host-1")
    many = queries_of(*documents(45, version="3.0.0"), provider_instance="host-1")

    assert many == few


def test_everything_of_a_new_document_is_there_after_its_batch():
    register(*documents(3, scopes=["mail:use"]), provider_instance="host-1")

    rows = ToolRegistration.objects.select_related("approved_presentation")
    assert [row.approved_presentation.description for row in rows] == ["Send an email."] * 3
    assert {row.pending_presentation_id for row in rows} == {None}
    assert ToolEvent.objects.filter(kind="tool:version:registered").count() == 3
    assert ToolInstance.objects.filter(provider_instance="host-1").count() == 3
    assert ToolPosting.objects.filter(term="email").count() == 3


def test_words_that_wait_for_review_are_pending():
    register(*documents(2), review_required=True)

    rows = ToolRegistration.objects.all()
    assert {row.approved_presentation_id for row in rows} == {None}
    assert {row.pending_presentation_id for row in rows} == set(
        ToolPresentation.objects.values_list("pk", flat=True)
    )


def test_a_document_that_comes_twice_is_created_and_then_unchanged():
    outcomes = register(make_document(), make_document(), provider_instance="host-1")

    assert [outcome.outcome for outcome in outcomes] == ["created", "unchanged"]
    assert ToolInstance.objects.count() == 1
    assert ToolPresentation.objects.count() == 1


def test_words_that_come_twice_differently_are_two_revisions():
    outcomes = register(make_document(), make_document(description="Other words."))

    row = ToolRegistration.objects.get()
    assert [outcome.outcome for outcome in outcomes] == ["created", "updated"]
    assert (row.presentations.count(), row.approved_presentation.description) == (2, "Other words.")
    assert ToolPosting.objects.filter(text=row.search_text, term="word").exists()


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_contracts_for_one_version_the_first_counts_and_the_instance_is_refused(order):
    pair = [make_document(), make_document(scopes=["vault:use"])][::order]

    first, second = register(*pair, provider_instance="host-1")

    assert (first.outcome, second.outcome) == ("created", "refused")
    refusal = ToolInstance.objects.get().refusal
    assert refusal is not None
    assert refusal["code"] == "contract_changed"


def test_a_refusal_before_a_good_document_is_forgotten():
    make_registration(instance="host-1")
    bad, good = make_document(scopes=["vault:use"]), make_document()

    register(bad, provider_instance="host-1")
    assert ToolInstance.objects.get().refusal is not None
    register(good, provider_instance="host-1")

    assert ToolInstance.objects.get().refusal is None


def test_tools_of_a_batch_are_made_once():
    register(*documents(3), *documents(3, version="2.0.0"))

    assert Tool.objects.count() == 3
    assert ToolRegistration.objects.count() == 6


def test_a_version_that_comes_again_after_a_refusal_is_unchanged():
    outcomes = register(make_document(), make_document(scopes=["vault:use"]), make_document())

    assert [outcome.outcome for outcome in outcomes] == ["created", "refused", "unchanged"]


def test_where_others_keep_publishing_the_same_versions_nothing_stays(monkeypatch):
    def taken(*_):
        raise VersionTaken

    monkeypatch.setattr(Batch, "_insert", taken)

    with pytest.raises(Unavailable, match="try again"):
        register(make_document())
    assert not Tool.objects.exists()
