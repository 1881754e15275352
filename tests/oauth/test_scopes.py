"""Which scopes exist, and which an application holds."""

import pytest
from django.apps import apps

from oauth import scopes
from oauth.models import Scope, ScopeGrant
from oauth.scopes import CatalogueScopes
from tests.factories import NOW, make_application, make_registration, register
from toolroster.errors import DocumentInvalid

pytestmark = pytest.mark.django_db


def test_the_platforms_scopes_are_there_from_the_first_migration_on():
    found = dict(Scope.objects.filter(is_platform=True).values_list("name", "description"))

    assert found == scopes.PLATFORM


def test_a_registration_puts_its_scopes_into_the_catalogue():
    make_registration(scopes=["mail:use", "mail:admin"])

    found = Scope.objects.filter(is_platform=False).order_by("name")
    assert [str(scope) for scope in found] == ["mail:admin", "mail:use"]


def test_a_refused_registration_leaves_no_scope():
    register({"name": "1", "scopes": ["mail:use"]})

    assert not Scope.objects.filter(name="mail:use").exists()


def test_a_scope_that_is_there_keeps_its_description():
    Scope.objects.create(name="mail:use", description="Send mail", created_at=NOW)

    make_registration(scopes=["mail:use", "tools:admin"])

    assert Scope.objects.get(name="mail:use").description == "Send mail"
    assert Scope.objects.get(name="tools:admin").is_platform


def test_an_application_holds_what_it_was_granted_and_nothing_else():
    application, other = make_application(), make_application("other")
    scopes.grant(application, ["sms:use", "mail:use"], by="test", now=NOW)

    assert scopes.held_by(application) == ["mail:use", "sms:use"]
    assert scopes.held_by(other) == []


def test_a_scope_is_granted_once():
    application = make_application()

    for _ in range(2):
        scopes.grant(application, ["mail:use"], by="test", now=NOW)

    assert [str(grant) for grant in ScopeGrant.objects.all()] == ["mailer holds mail:use"]


@pytest.mark.parametrize("name", ["", "a b", 'a"b', "a\\b", "ä", "a\n", "\0", "x" * 201])
def test_what_can_be_no_scope_is_not_granted(name):
    with pytest.raises(DocumentInvalid, match="is no scope"):
        scopes.grant(make_application(), ["mail:use", name], by="test", now=NOW)

    assert not ScopeGrant.objects.exists()


def test_an_application_may_ask_for_what_it_holds_and_gets_all_by_default():
    application = make_application()
    scopes.grant(application, ["mail:use", "sms:use"], by="test", now=NOW)
    backend = CatalogueScopes()

    assert backend.get_available_scopes(application=application) == ["mail:use", "sms:use"]
    assert backend.get_default_scopes(application=application) == ["mail:use", "sms:use"]
    assert backend.get_default_scopes() == []


def test_strangers_learn_the_platforms_scopes_alone():
    make_registration(scopes=["secret:use"])

    assert CatalogueScopes().get_available_scopes() == sorted(scopes.PLATFORM)


def test_every_scope_is_described_for_the_consent_page():
    Scope.objects.create(name="mail:use", description="Send mail", created_at=NOW)
    Scope.objects.create(name="sms:use", created_at=NOW)

    found = CatalogueScopes().get_all_scopes()

    assert (found["mail:use"], found["sms:use"]) == ("Send mail", "sms:use")


def test_deleting_an_application_or_a_scope_ends_its_grants():
    application = make_application()
    scopes.grant(application, ["mail:use", "sms:use"], by="test", now=NOW)

    Scope.objects.get(name="mail:use").delete()
    assert scopes.held_by(application) == ["sms:use"]

    application.delete()
    assert not ScopeGrant.objects.exists()


def test_the_swappable_application_is_ours():
    assert apps.get_model("oauth", "Application") is type(make_application())
