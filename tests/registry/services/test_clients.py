"""OAuth clients of the platform, made with what they need."""

import pytest
from django.contrib.auth.hashers import check_password

from oauth import scopes
from oauth.models import Application
from registry.models import Provider, ProviderOwner
from registry.services import clients
from registry.services.clients import NewClient
from tests.factories import NOW, make_application
from toolroster.errors import Conflict, DocumentInvalid

pytestmark = pytest.mark.django_db

Kind = Application.Kind


def _create(name: str = "weather", kind: Kind = Kind.AGENT, **changes) -> tuple[Application, str]:
    return clients.create(NewClient(name, kind, **changes), by="test", now=NOW)


def _owned(application: Application) -> list[str]:
    rows = ProviderOwner.objects.filter(application=application).order_by("provider__name")
    return list(rows.values_list("provider__name", flat=True))


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        (Kind.AGENT, ["mail:use", "tools:invoke"]),
        (Kind.PROVIDER, ["mail:use", "tools:register"]),
        (Kind.TOOL_SERVICE, ["introspection", "mail:use"]),
        (Kind.OPERATOR, ["mail:use", "tools:admin", "tools:invoke", "tools:register"]),
    ],
)
def test_a_client_holds_what_its_kind_needs_and_what_was_asked_for(kind, held):
    application, _ = _create(kind=kind, scopes=("mail:use",))

    assert scopes.held_by(application) == held


def test_a_client_is_a_confidential_machine_with_its_roles():
    application, _ = _create(kind=Kind.PROVIDER, roles=("clerk",))

    stored = Application.objects.get(pk=application.pk)
    assert (stored.kind, stored.roles) == ("provider", ["clerk"])
    assert (stored.client_type, stored.authorization_grant_type) == ("confidential", "client-credentials")


def test_the_secret_is_kept_as_a_hash():
    application, secret = _create()

    stored = Application.objects.get(pk=application.pk).client_secret
    assert secret not in stored
    assert check_password(secret, stored)


def test_a_client_owns_the_namespaces_that_were_named_in_any_case():
    application, _ = _create(kind=Kind.PROVIDER, providers=("Mail-Team", "sms-team", "mail-team"))

    assert _owned(application) == ["mail-team", "sms-team"]


def test_a_namespace_may_have_several_owners():
    first, _ = _create("first", providers=("mail-team",))
    second, _ = _create("second", providers=("mail-team",))

    assert _owned(first) == _owned(second) == ["mail-team"]


def test_a_name_that_is_taken_is_a_conflict():
    make_application("weather")

    with pytest.raises(Conflict, match="a client called weather already"):
        _create()


@pytest.mark.parametrize(
    "wrong",
    [{"providers": ("ok", "-")}, {"providers": ("a" * 64,)}, {"providers": ("a\n",)}, {"scopes": ("a b",)}],
)
def test_a_client_that_is_wrong_somewhere_is_not_there_at_all(wrong):
    with pytest.raises(DocumentInvalid):
        _create(**wrong)

    assert not Application.objects.exists()
    assert not Provider.objects.exists()


def test_another_secret_ends_the_old_one():
    application, old = _create()

    new = clients.rotate(application, by="test", now=NOW)

    stored = Application.objects.get(pk=application.pk).client_secret
    assert check_password(new, stored)
    assert not check_password(old, stored)
