"""Registering: what is created, changed in place, and refused."""

import pytest

from oauth.principal import everything
from registry.models import Provider, ToolEvent, ToolRegistration
from tests.factories import (
    at,
    event_kinds,
    make_document,
    make_other_contract,
    make_owner,
    make_principal,
    make_registration,
    outcomes,
    register,
)
from toolroster.errors import Conflict, ContractChanged, DocumentInvalid, PermissionMissing, ToolrosterError

pytestmark = pytest.mark.django_db


def _problem(*documents, **by) -> ToolrosterError:
    found = register(*documents, **by)[-1].problem
    assert found is not None
    return found


def test_a_new_document_is_created_with_one_event():
    [outcome] = register(make_document())

    row = ToolRegistration.objects.get()
    assert (outcome.outcome, outcome.tool_id, row.review, row.health) == (
        "created",
        "mail-team:send_email:1.0.0",
        "APPROVED",
        "UNMONITORED",
    )
    assert event_kinds() == ["version:registered"]


def test_columns_repeat_what_is_filtered_by():
    capabilities = {"categories": ["mail"], "tags": ["smtp"], "cost_level": "HIGH", "read_only": True}

    row = make_registration(
        scopes=["mail:use"], policy={"allowed_roles": ["clerk"]}, capabilities=capabilities
    )

    assert (row.scopes, row.allowed_roles, row.categories, row.tags) == (
        ["mail:use"],
        ["clerk"],
        ["mail"],
        ["smtp"],
    )
    assert (row.cost_level, row.read_only, row.idempotent) == ("HIGH", True, False)


def test_an_event_keeps_the_scopes_and_roles_that_may_read_it():
    make_registration(scopes=["mail:use"], policy={"allowed_roles": ["clerk"]})

    event = ToolEvent.objects.get()

    assert (event.scopes, event.roles) == (["mail:use"], ["clerk"])


def test_the_same_document_again_changes_nothing():
    row = make_registration()

    [outcome] = register(make_document(), seconds=5)

    assert (outcome.outcome, outcome.registration_id) == ("unchanged", row.pk)
    assert ToolRegistration.objects.get().updated_at == row.updated_at
    assert event_kinds() == ["version:registered"]


def test_new_words_are_a_new_presentation_revision():
    row = make_registration()

    [outcome] = register(make_document(description="Send a letter."), seconds=5)

    row.refresh_from_db()
    assert (outcome.outcome, outcome.changes) == ("updated", ["/description"])
    assert (row.approved_presentation.revision, row.pending_presentation) == (2, None)
    assert row.updated_at == at(5)
    assert event_kinds() == ["version:registered", "version:updated"]
    assert ToolEvent.objects.get(kind="tool:version:updated").data == {"changes": ["/description"]}


def test_new_words_are_found_at_once_and_old_ones_no_more():
    old = make_registration(description="Post a letter.")

    register(make_document(description="Post a parcel."))

    text = ToolRegistration.objects.get().search_text
    terms = set(text.postings.values_list("term", flat=True))
    assert ("parcel" in terms, "letter" in terms) == (True, False)
    assert ToolRegistration.objects.get().search_text_id != old.search_text_id


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"endpoint": {"url": "http://localhost:1/send"}}, ["/endpoint"]),
        ({"policy": {"timeout_ms": 1}}, ["/policy/timeout_ms"]),
        ({"policy": {"rate_limit_per_minute": 1}}, ["/policy/rate_limit_per_minute"]),
        ({"capabilities": {"categories": ["mail"]}}, ["/capabilities/categories"]),
        ({"returns": "An id."}, ["/returns"]),
        ({"liveness": "none"}, ["/liveness"]),
    ],
)
def test_what_is_no_contract_changes_in_place(change, pointers):
    make_registration()

    [outcome] = register(make_document(**change))

    assert (outcome.outcome, outcome.changes) == ("updated", pointers)
    assert ToolRegistration.objects.get().presentations.count() == (2 if "returns" in change else 1)
    assert event_kinds() == ["version:registered", "version:updated"]


def test_one_member_of_the_endpoint_is_named_alone():
    make_registration(endpoint={"url": "http://localhost:1/a"})

    [outcome] = register(make_document(endpoint={"url": "http://localhost:1/b"}))

    assert outcome.changes == ["/endpoint/url"]


def test_another_contract_of_a_published_version_is_refused():
    make_registration()

    problem = _problem(make_other_contract())

    assert isinstance(problem, ContractChanged)
    assert (problem.status, problem.code) == (409, "contract_changed")
    assert "/parameters/0/type" in {fault.pointer for fault in problem.errors}  # as it was sent
    assert problem.problem()["use_version"] == "2.0.0"
    assert event_kinds() == ["version:registered"]


def test_the_version_to_use_is_free():
    make_registration()
    make_registration(version="3.4.5")

    problem = _problem(make_other_contract())

    assert problem.problem()["use_version"] == "4.0.0"


@pytest.mark.parametrize("version", ["1.0.0+b", "1.0.0"])
def test_build_metadata_makes_no_other_version(version):
    make_registration(version="1.0.0+a")

    problem = _problem(make_document(version=version))

    assert isinstance(problem, Conflict)
    assert [(fault.pointer, fault.code) for fault in problem.errors] == [("/version", "duplicate")]
    assert ToolRegistration.objects.count() == 1


def test_narrower_roles_are_refused_to_a_provider():
    make_registration()

    problem = _problem(
        make_document(policy={"allowed_roles": ["clerk"]}),
        principal=make_principal(scopes=["tools:register"]),
    )

    assert (problem.code, problem.errors[0].pointer) == ("conflict", "/policy/allowed_roles")


def test_an_operator_may_narrow_roles():
    make_registration()

    [outcome] = register(
        make_document(policy={"allowed_roles": ["clerk"]}), principal=make_principal(scopes=["tools:admin"])
    )

    assert outcome.changes == ["/policy/allowed_roles"]


def test_a_provider_may_widen_roles():
    make_registration(policy={"allowed_roles": ["clerk"]})

    [outcome] = register(
        make_document(policy={"allowed_roles": ["clerk", "chief"]}), principal=make_principal()
    )

    assert outcome.outcome == "updated"


@pytest.mark.parametrize("document", [make_document(), make_document(description="Other words.")])
def test_a_retired_version_is_refused_whatever_is_sent(document):
    row = make_registration()
    ToolRegistration.objects.filter(pk=row.pk).update(lifecycle="RETIRED")

    problem = _problem(document)

    assert (problem.code, problem.detail) == (
        "conflict",
        "mail-team:send_email:1.0.0 is retired. Publish a higher version.",
    )


def test_a_deprecated_version_stays_deprecated():
    row = make_registration()
    ToolRegistration.objects.filter(pk=row.pk).update(lifecycle="DEPRECATED")

    register(make_document(description="Other words."))

    assert ToolRegistration.objects.get().lifecycle == "DEPRECATED"


def test_bad_documents_do_not_stop_good_ones_and_results_keep_their_order():
    found = register(
        make_document(name="z_last"),
        "no object",
        make_document(name="bad name"),
        make_document(name="a_first"),
    )

    assert outcomes(found) == ["created", "refused", "refused", "created"]
    assert [outcome.tool_id for outcome in found] == [
        "mail-team:z_last:1.0.0",
        None,
        None,
        "mail-team:a_first:1.0.0",
    ]
    assert isinstance(found[1].problem, DocumentInvalid)
    assert found[2].problem.errors[0].pointer == "/name"


def test_duplicates_inside_a_batch_are_judged_one_after_the_other():
    found = register(make_document(), make_document(), make_other_contract(), make_document(returns="An id."))

    assert outcomes(found) == ["created", "unchanged", "refused", "updated"]
    assert event_kinds() == ["version:registered", "version:updated"]


def test_the_providers_name_is_stored_in_lower_case():
    [outcome] = register(make_document(provider="Mail-Team"))

    assert outcome.tool_id == "mail-team:send_email:1.0.0"
    assert Provider.objects.get().name == "mail-team"


def test_a_long_word_breaks_no_index():
    [outcome] = register(make_document(description="x" * 20_000))

    assert outcome.outcome == "created"


def test_an_owned_namespace_is_closed_to_others():
    make_owner("mail-team")

    problem = _problem(make_document(), principal=make_principal())

    assert isinstance(problem, PermissionMissing)
    assert problem.detail == "The namespace mail-team belongs to another application."
    assert not ToolRegistration.objects.exists()


def test_a_foreign_document_does_not_stop_the_rest_of_the_batch():
    owner = make_owner("mail-team")
    make_owner("other-team", name="other")

    found = register(make_document(provider="other-team"), make_document(), principal=owner)

    assert outcomes(found) == ["refused", "created"]


def test_the_first_application_in_a_free_name_owns_it():
    owner = make_owner("elsewhere")

    register(make_document(), principal=owner)

    assert register(make_document(returns="A."), principal=owner)[0].outcome == "updated"
    assert _problem(make_document(), principal=everything()).code == "permission_missing"


def test_a_namespace_without_owners_stays_free():
    register(make_document())

    [outcome] = register(make_document(returns="An id."), principal=make_owner("elsewhere"))

    assert outcome.outcome == "updated"
