"""Providers' namespaces: who may write in which, and how a free one is taken."""

from functools import partial

import pytest
from django.db import transaction

from oauth.models import Application
from oauth.principal import Principal
from registry.models import Provider, ProviderOwner
from registry.services import namespace
from tests.factories import (
    EVERYTHING,
    NOW,
    beat,
    deregister,
    make_application,
    make_document,
    make_owner,
    make_principal,
    make_registration,
    outcomes,
    register,
)
from tests.racing import at_once
from toolroster.errors import PermissionMissing

pytestmark = pytest.mark.django_db


def _claim(principal: Principal, name: str = "mail-team", *, is_open: bool = True) -> Provider:
    with transaction.atomic():
        return namespace.claim(name, principal=principal, now=NOW, is_open=is_open)


def _application(name: str = "mailer") -> Principal:
    return make_principal(application=make_application(name))


def _owners(name: str = "mail-team") -> list[int]:
    found = ProviderOwner.objects.filter(provider__name=name).order_by("application")
    return list(found.values_list("application", flat=True))


def _co_owner(name: str = "second") -> Principal:
    principal = _application(name)
    provider = Provider.objects.get()
    application = Application.objects.get(pk=principal.application_id)
    ProviderOwner.objects.create(provider=provider, application=application, since=NOW)
    return principal


def test_the_first_who_registers_owns_a_free_namespace_where_claims_are_open():
    principal = _application()

    assert _claim(principal).name == "mail-team"
    assert _owners() == [principal.application_id]


def test_a_namespace_that_is_there_without_an_owner_is_free():
    Provider.objects.create(name="mail-team", created_at=NOW)
    principal = _application()

    _claim(principal)

    assert _owners() == [principal.application_id]


@pytest.mark.parametrize("is_there", [True, False])
def test_where_claims_are_closed_an_operator_assigns_namespaces(is_there):
    if is_there:
        Provider.objects.create(name="mail-team", created_at=NOW)

    with pytest.raises(PermissionMissing, match="mail-team is not yours; an operator assigns") as caught:
        _claim(_application(), is_open=False)

    assert caught.value.status == 403
    assert _owners() == []
    assert Provider.objects.exists() == is_there


@pytest.mark.parametrize("is_open", [True, False])
def test_an_owner_writes_in_its_namespace_however_claims_are(is_open):
    owner = make_owner()

    assert _claim(owner, is_open=is_open).name == "mail-team"
    assert _owners() == [owner.application_id]


@pytest.mark.parametrize(
    ("is_open", "detail"), [(True, "belongs to another application"), (False, "is not yours")]
)
def test_a_namespace_of_others_is_refused(is_open, detail):
    owner = make_owner()

    with pytest.raises(PermissionMissing, match=detail):
        _claim(_application(), is_open=is_open)

    assert _owners() == [owner.application_id]


def test_owners_share_a_namespace():
    owner = make_owner()
    second = _co_owner()

    _claim(owner)
    _claim(second)

    assert _owners() == sorted([owner.application_id or 0, second.application_id or 0])
    assert outcomes(register(make_document(), principal=second)) == ["created"]
    assert outcomes(beat(principal=owner)) == ["renewed"]


def test_without_a_token_free_namespaces_are_written_and_not_owned():
    _claim(EVERYTHING)

    assert _owners() == []


def test_without_a_token_nobody_writes_in_a_namespace_with_an_owner():
    make_owner()

    with pytest.raises(PermissionMissing, match="belongs to another application"):
        _claim(EVERYTHING)


def test_who_registers_last_without_a_token_leaves_the_namespace_to_the_first_application():
    make_registration()
    owner = _application()

    register(make_document(), principal=owner)
    [anonymous] = register(make_document(version="2.0.0"))

    assert _owners() == [owner.application_id]
    assert (anonymous.outcome, anonymous.problem.status) == ("refused", 403)


def test_the_owner_of_one_namespace_neither_beats_nor_deregisters_in_another():
    make_registration(instance="host-1")
    make_owner()
    other = make_owner("other-team", name="other")

    assert outcomes(beat(principal=other)) == ["unknown"]
    assert deregister(principal=other) == {}
    assert outcomes(beat(principal=EVERYTHING)) == ["unknown"]
    assert deregister(principal=EVERYTHING) == {}


def test_an_application_beats_in_no_free_namespace_before_it_registered_there():
    make_registration(instance="host-1")

    assert outcomes(beat(principal=_application())) == ["unknown"]


def test_a_batch_takes_what_is_free_and_is_refused_what_is_not():
    make_owner()
    principal = _application()
    documents = [make_document(), make_document(provider="free-team"), make_document(name="second")]

    found = register(*documents, principal=principal)

    assert outcomes(found) == ["refused", "created", "refused"]
    assert _owners("free-team") == [principal.application_id]


def test_where_claims_are_closed_a_batch_is_refused_document_by_document():
    [outcome] = register(make_document(), principal=_application(), claims_are_open=False)

    assert (outcome.outcome, outcome.problem.code) == ("refused", "permission_missing")
    assert not Provider.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_there", [True, False])
def test_of_two_first_registrations_at_once_one_owns_the_namespace(is_there):
    for number in range(5):
        name = f"team-{number}"
        if is_there:
            Provider.objects.create(name=name, created_at=NOW)
        rivals = [_application(f"{name}-{who}") for who in "abc"]
        documents = [make_document(provider=name, name=f"tool_{who}") for who in "abc"]

        found = at_once(*[partial(register, d, principal=r) for d, r in zip(documents, rivals, strict=True)])

        results = [batch[0] for batch in found]
        assert sorted(outcomes(results)) == ["created", "refused", "refused"]
        assert {result.problem.status for result in results if result.problem} == {403}
        winner = outcomes(results).index("created")
        assert _owners(name) == [rivals[winner].application_id]
