"""Providers, their owners, and the default provider of a tool's name."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from oauth.models import AccessEvent, User
from registry.models import Provider, ProviderOwner, Tool
from registry.services import namespace
from tests.factories import NOW, make_application, make_owner, make_registration
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


def transfer(client: Client, provider: str, to: object) -> str:
    pk = Provider.objects.get(name=provider).pk
    return text_of(client.post(f"/admin/registry/provider/{pk}/transfer/", {"to": to}, follow=True))


def test_a_namespace_is_transferred_to_one_owner(admin_client: Client) -> None:
    make_owner()
    namespace.own(make_application("second"), ["mail-team"], by="test", now=NOW)
    heir = make_application("heir")

    page = transfer(admin_client, "mail-team", heir.pk)

    assert "The namespace mail-team belongs to heir now. It was taken from owner, second." in page
    assert ProviderOwner.objects.get().application == heir
    changes = AccessEvent.objects.filter(subject="mail-team", actor="person:admin").order_by("pk")
    assert [(row.kind, row.data["client"]) for row in changes] == [
        ("provider:owner:added", "heir"),
        ("provider:owner:removed", "owner"),
        ("provider:owner:removed", "second"),
    ]


def test_a_transfer_to_nobody_changes_nothing(admin_client: Client) -> None:
    make_owner()

    page = transfer(admin_client, "mail-team", 0)

    assert "Select a valid choice" in page
    assert ProviderOwner.objects.get().application.name == "owner"


def test_who_may_not_change_namespaces_transfers_none(client: Client) -> None:
    make_owner()
    viewer = User.objects.create(username="viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_provider"))
    client.force_login(viewer)
    pk = Provider.objects.get().pk

    answer = client.post(f"/admin/registry/provider/{pk}/transfer/", {"to": make_application("heir").pk})

    assert answer.status_code == 403
    assert ProviderOwner.objects.get().application.name == "owner"


def test_the_page_of_a_provider_leads_to_its_transfer(admin_client: Client) -> None:
    make_owner()
    pk = Provider.objects.get().pk

    page = admin_client.get(f"/admin/registry/provider/{pk}/change/").content.decode()
    form = text_of(admin_client.get(f"/admin/registry/provider/{pk}/transfer/"))

    assert f'href="/admin/registry/provider/{pk}/transfer/"' in page
    assert "mail-team belongs to owner" in form


def test_an_owner_is_removed_on_the_page_of_the_provider_and_the_audit_knows(admin_client: Client) -> None:
    make_owner()
    owner = ProviderOwner.objects.get()
    rows = {"owners-TOTAL_FORMS": "1", "owners-INITIAL_FORMS": "1", "owners-0-id": str(owner.pk)}
    known = {"owners-0-application": str(owner.application_id), "owners-0-provider": str(owner.provider_id)}

    admin_client.post(
        f"/admin/registry/provider/{owner.provider_id}/change/", rows | known | {"owners-0-DELETE": "on"}
    )

    assert not ProviderOwner.objects.exists()
    assert AccessEvent.objects.get().kind == "provider:owner:removed"
