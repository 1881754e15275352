"""Providers, their owners, and the default provider of a tool's name."""

import pytest
from django.test import Client

from registry.models import Provider, ProviderOwner, Tool
from tests.factories import make_application, make_owner, make_registration
from tests.registry.admin.pages import text_of

pytestmark = pytest.mark.django_db

OWNERS = {"owners-TOTAL_FORMS": "1", "owners-INITIAL_FORMS": "0"}
NO_OWNERS = {"owners-TOTAL_FORMS": "0", "owners-INITIAL_FORMS": "0"}


def test_provider_is_added_with_an_owner(admin_client: Client) -> None:
    application = make_application()

    admin_client.post(
        "/admin/registry/provider/add/",
        {"name": "mail-team", **OWNERS, "owners-0-application": str(application.pk)},
    )

    owner = ProviderOwner.objects.get(provider__name="mail-team")
    assert owner.application == application
    assert owner.since is not None


def test_provider_name_keeps_to_its_grammar(admin_client: Client) -> None:
    answer = admin_client.post("/admin/registry/provider/add/", {"name": "Mail Team", **NO_OWNERS})

    assert "Enter a valid value" in text_of(answer)
    assert not Provider.objects.exists()


def test_provider_name_cannot_be_changed(admin_client: Client) -> None:
    make_owner()
    row = Provider.objects.get()

    admin_client.post(f"/admin/registry/provider/{row.pk}/change/", {"name": "other", **NO_OWNERS})

    assert Provider.objects.get().name == "mail-team"


def test_providers_are_listed_with_their_numbers(admin_client: Client) -> None:
    make_registration(name="one")
    make_registration(name="two")
    make_owner()

    page = text_of(admin_client.get("/admin/registry/provider/"))

    assert "mail-team 2 1" in page


def set_default(client: Client, provider: str) -> str:
    tool = Tool.objects.get(provider__name=provider)
    answer = client.post(
        f"/admin/registry/tool/{tool.pk}/change/", {"is_default_for_name": "on"}, follow=True
    )
    return text_of(answer)


def test_default_provider_of_a_name_is_set(admin_client: Client) -> None:
    make_registration()

    set_default(admin_client, "mail-team")

    assert Tool.objects.get().is_default_for_name


def test_second_default_of_a_name_is_an_error_of_the_form(admin_client: Client) -> None:
    make_registration(provider="post")
    make_registration()
    set_default(admin_client, "post")

    page = set_default(admin_client, "mail-team")

    assert "post/send_email is the default for this name; take its mark away first." in page
    assert not Tool.objects.get(provider__name="mail-team").is_default_for_name
