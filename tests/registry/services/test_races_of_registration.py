"""Documents that are registered at the same time."""

from functools import partial
from threading import Event

import pytest
from django.db import connection, transaction

from registry.models import Provider, ProviderOwner, SearchText, ToolRegistration
from registry.search.texts import words_hash
from registry.services import indexing
from tests.factories import (
    event_kinds,
    make_application,
    make_document,
    make_other_contract,
    make_principal,
    make_registration,
    outcomes,
    register,
)
from tests.racing import at_once, in_background, uncommitted, wait_until_blocked
from toolroster.definition import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = range(5)


def test_the_same_new_version_twice_at_once_is_created_once():
    for number in ROUNDS:
        document = make_document(name=f"tool_{number}")

        found = [batch[0] for batch in at_once(*[partial(register, document)] * 3)]

        assert sorted(outcomes(found)) == ["created", "unchanged", "unchanged"]
        assert event_kinds(f"mail-team:tool_{number}:1.0.0") == ["version:registered"]


def test_two_contracts_of_one_new_version_at_once_are_one_version():
    for number in ROUNDS:
        documents = [make_document(name=f"tool_{number}"), make_other_contract(name=f"tool_{number}")]

        found = [batch[0] for batch in at_once(*[partial(register, document) for document in documents])]

        assert sorted(outcomes(found)) == ["created", "refused"]
        [refused] = [outcome.problem for outcome in found if outcome.problem]
        assert (refused.code, refused.status) == ("contract_changed", 409)


def test_the_later_one_waits_for_the_first_and_is_judged_by_it():
    make_registration(name="another")

    second = in_background(lambda: register(make_other_contract())[0])
    with uncommitted(lambda: register(make_document())) as commit, second as later:
        wait_until_blocked(later)
        commit()
        outcome = later.result()

    assert outcome.problem.code == "contract_changed"


def test_batches_in_opposite_order_never_deadlock():
    ids = range(6)

    for number in ROUNDS:
        documents = [make_document(name=f"tool_{one}", version=f"{number}.0.0") for one in ids]
        changed = [make_document(name=f"tool_{one}", returns=f"{number}") for one in ids]
        found = at_once(
            partial(register, *documents, provider_instance="host-1"),
            partial(register, *reversed(documents), provider_instance="host-1"),
            partial(register, *reversed(changed)),
        )

        assert not {"refused"} & {outcome.outcome for batch in found for outcome in batch}


def test_versions_that_differ_in_build_metadata_never_deadlock():
    for name in ("a", "b"):
        make_registration(name=name)

    for _ in ROUNDS:
        found = at_once(
            lambda: register(make_document(name="a", version="1.0.0+x"), make_document(name="b")),
            lambda: register(make_document(name="a"), make_document(name="b", version="1.0.0+x")),
        )

        assert [outcomes(batch) for batch in found] == [["refused", "unchanged"], ["unchanged", "refused"]]


def test_one_of_two_applications_gets_a_free_namespace():
    principals = [make_principal(application=make_application(name)) for name in ("one", "other")]

    for number in ROUNDS:
        document = make_document(provider=f"team-{number}")
        batches = at_once(*[partial(register, document, principal=who) for who in principals])

        assert sorted(outcomes([batch[0] for batch in batches])) == ["created", "refused"]
        assert ProviderOwner.objects.filter(provider__name=f"team-{number}").count() == 1
    assert Provider.objects.count() == len(ROUNDS)


def test_changes_of_words_at_once_are_revisions_one_after_the_other():
    row = make_registration()

    at_once(*[partial(register, make_document(description=text)) for text in ("One.", "Two.", "Three.")])

    row = ToolRegistration.objects.get()
    assert sorted(row.presentations.values_list("revision", flat=True)) == [1, 2, 3, 4]
    assert row.approved_presentation.revision == 4
    assert row.document["description"] == row.approved_presentation.description


def test_two_that_wait_for_each_others_texts_are_sorted_out_by_beginning_again():
    described = [ToolDefinition.parse(make_document(provider="post", name=name)) for name in ("one", "two")]
    first, last = sorted(described, key=lambda one: words_hash(indexing.searchable(one)))
    may_begin = Event()

    def publish() -> list[str]:
        may_begin.wait(timeout=10)
        _notice_deadlocks_after("10ms")
        return outcomes(register(make_document(name="one"), make_document(name="two")))

    with in_background(publish) as published:
        with transaction.atomic():
            _notice_deadlocks_after("10s")  # the registration is the one that is turned away
            indexing.attach([(ToolRegistration(), last)])
            may_begin.set()
            wait_until_blocked(published)
            indexing.attach([(ToolRegistration(), first)])
        assert published.result() == ["created", "created"]

    _notice_deadlocks_after("1s")
    assert SearchText.objects.count() == 2


def _notice_deadlocks_after(patience: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('deadlock_timeout', %s, false)", [patience])
