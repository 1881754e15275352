"""Scopes and who holds them, in the admin."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from oauth import scopes
from oauth.models import Application, Scope, ScopeGrant
from tests.factories import NOW, make_application
from tests.registry.admin.pages import text_of

pytestmark = pytest.mark.django_db

SCOPES = "/admin/oauth/scope/"


def page_of(row: Application | Scope) -> str:
    return reverse(f"admin:oauth_{row._meta.model_name}_change", args=[row.pk])


def save(client: Client, application: Application, **grants: Any) -> Any:
    """Post the application's page as it is, with changes to the rows of its scopes."""
    form = client.get(page_of(application)).context["adminform"].form
    sent = {name: value for name, value in form.initial.items() if value not in (None, False)}
    held = application.scope_grants.count()
    formset = {"scope_grants-TOTAL_FORMS": held + 1, "scope_grants-INITIAL_FORMS": held}
    return client.post(page_of(application), sent | {"roles": ""} | formset | grants)


def test_a_scope_is_granted_on_the_page_of_the_application(admin_client: Client) -> None:
    application = make_application()
    scopes.ensure(["mail:use"], now=NOW)

    save(admin_client, application, **{"scope_grants-0-scope": Scope.objects.get(name="mail:use").pk})

    assert scopes.held_by(application) == ["mail:use"]
    assert ScopeGrant.objects.get().granted_at is not None


def test_a_scope_is_withdrawn_on_the_page_of_the_application(admin_client: Client) -> None:
    application = make_application()
    scopes.grant(application, ["mail:use", "sms:use"], by="test", now=NOW)
    first, second = application.scope_grants.order_by("scope__name")
    rows = {
        "scope_grants-0-id": first.pk,
        "scope_grants-0-DELETE": "on",
        "scope_grants-1-id": second.pk,
    }

    save(admin_client, application, **rows)

    assert scopes.held_by(application) == ["sms:use"]


def test_a_scope_that_is_held_is_not_granted_twice(admin_client: Client) -> None:
    application = make_application()
    scopes.grant(application, ["mail:use"], by="test", now=NOW)
    grant = ScopeGrant.objects.get()

    rows = {"scope_grants-0-id": grant.pk, "scope_grants-1-scope": grant.scope_id}
    answer = save(admin_client, application, **rows)

    assert answer.status_code == 200
    assert "duplicate values" in text_of(answer)


def test_the_page_of_an_application_needs_as_many_queries_for_many_scopes(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    application = make_application()
    scopes.grant(application, [f"tool{number}:use" for number in range(20)], by="test", now=NOW)

    # session, user, the application, its grants with their scopes
    with django_assert_num_queries(4):
        admin_client.get(page_of(application))


def test_applications_are_listed_by_kind(admin_client: Client) -> None:
    make_application("safecracker", kind=Application.Kind.AGENT)
    make_application("mail-team", kind=Application.Kind.PROVIDER)

    page = text_of(admin_client.get("/admin/oauth/application/", {"kind__exact": "agent"}))

    assert "safecracker" in page
    assert "mail-team" not in page


def test_scopes_are_listed_with_the_number_of_their_holders(admin_client: Client) -> None:
    for name in ("one", "two"):
        scopes.grant(make_application(name), ["mail:use"], by="test", now=NOW)

    page = text_of(admin_client.get(SCOPES, {"q": "mail"}))

    assert "mail:use - 2" in page or "mail:use 2" in page


def test_a_scope_is_added_before_any_tool_names_it(admin_client: Client) -> None:
    admin_client.post(f"{SCOPES}add/", {"name": "mail:use", "description": "Send mail"})

    row = Scope.objects.get(name="mail:use")
    assert (row.description, row.is_platform) == ("Send mail", False)


@pytest.mark.parametrize("name", ["two words", 'quo"te', "back\\slash", "\u00e4", "x" * 201])
def test_a_scope_keeps_to_its_grammar(admin_client: Client, name: str) -> None:
    answer = admin_client.post(f"{SCOPES}add/", {"name": name})

    assert answer.status_code == 200
    assert not Scope.objects.filter(is_platform=False).exists()


def test_of_a_scope_only_the_description_changes(admin_client: Client) -> None:
    row = Scope.objects.get(name="tools:admin")

    admin_client.post(page_of(row), {"name": "other", "description": "Govern", "is_platform": ""})

    row.refresh_from_db()
    assert (row.name, row.description, row.is_platform) == ("tools:admin", "Govern", True)


def test_scopes_are_not_deleted(admin_client: Client) -> None:
    row = Scope.objects.get(name="tools:admin")

    answer = admin_client.post(reverse("admin:oauth_scope_delete", args=[row.pk]), {"post": "yes"})

    assert answer.status_code == 403
