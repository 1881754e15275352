"""Every page of the admin opens, with few queries, and hides nothing behind markup."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from oauth import audit
from registry.models import EmbeddingSpace, LeaseWatch, ToolEmbedding, ToolUse
from registry.services import channels, leases
from tests.factories import NOW, make_application, make_document, make_owner, make_registration, register
from tests.registry.admin.pages import REGISTRATIONS, page_of, text_of

pytestmark = pytest.mark.django_db

OURS = [model for model in admin.site._registry if model._meta.app_label in {"registry", "oauth"}]


def make_everything() -> None:
    row = make_registration(instance="host-1", scopes=["mail:send"])
    owner = make_owner()
    audit.record(audit.Kind.CLIENT_CREATED, "weather", by="test", now=NOW)
    space = EmbeddingSpace.objects.create(space_id="e5", backend="none", created_at=NOW)
    ToolEmbedding.objects.create(text=row.search_text, space=space, vector=[1, 2], created_at=NOW)
    ToolUse.objects.create(registration=row, kind="RESOLVE", count=3, first_at=NOW, last_at=NOW)
    LeaseWatch.objects.create(pk=1)
    channels.pin(row.of_tool, "stable", row, now=NOW)
    register(make_document(name="refused", parameters=3), provider_instance="host-1", principal=owner)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_list_and_every_row_opens(model: Any, admin_client: Client) -> None:
    make_everything()
    row = model._default_manager.first()
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"

    statuses = [
        admin_client.get(reverse(f"{name}_changelist")).status_code,
        admin_client.get(reverse(f"{name}_change", args=[row.pk])).status_code,
    ]

    assert statuses == [200, 200]


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_list_takes_a_search(model: Any, admin_client: Client) -> None:
    answer = admin_client.get(
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"), {"q": "mail-team:x"}
    )

    assert answer.status_code == 200


def test_list_of_registrations_needs_as_many_queries_for_many_rows(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        make_registration(name=f"tool{number}", instance="host-1", scopes=["mail:send"])
    leases.recent.forget()

    # session, user, capped count, rows with their last beats, lease watch, silent leases
    with django_assert_num_queries(6):
        answer = admin_client.get(REGISTRATIONS)

    assert text_of(answer).count("mail-team:tool") == 5


def test_registration_shows_its_revisions_leases_and_events_in_few_queries(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    row = make_registration(instance="host-1", returns="A receipt")
    leases.recent.forget()

    # session, user, the row with tool and provider, its document, lease watch, silent leases; revisions,
    # leases, events
    with django_assert_num_queries(9):
        answer = admin_client.get(page_of(row))

    text = text_of(answer)
    assert all(
        part in text for part in ("Served", "host-1", "tool:version:registered", '"returns": "A receipt"')
    )


def test_document_keeps_the_order_of_parameters(admin_client: Client) -> None:
    row = make_registration(parameters=[{"name": "zulu"}, {"name": "alpha"}])

    text = text_of(admin_client.get(page_of(row)))

    assert text.index('"zulu"') < text.index('"alpha"')


def test_markup_in_words_is_shown_not_run(admin_client: Client) -> None:
    row = make_registration(description="<script>alert(1)</script>")

    page = admin_client.get(page_of(row)).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_health_is_judged_by_the_leases_now(admin_client: Client) -> None:
    make_registration(instance="host-1", seconds=-200_000_000)

    page = text_of(admin_client.get(REGISTRATIONS, {"q": "mail-team"}))

    assert "Unavailable 3" in page or "Unavailable 1" in page
    assert "d ago" in page


def test_registrations_that_wait_can_be_listed_alone(admin_client: Client) -> None:
    make_registration(name="decided")
    make_registration(name="waiting", review_required=True)

    page = text_of(admin_client.get(REGISTRATIONS, {"waits": "yes"}))

    assert "mail-team:waiting:1.0.0" in page
    assert "mail-team:decided" not in page


def test_applications_show_their_roles(admin_client: Client) -> None:
    make_application("operator", roles=["ops", "audit"])

    page = text_of(admin_client.get("/admin/oauth/application/"))

    assert "ops, audit" in page


def test_roles_of_an_application_are_explained(admin_client: Client) -> None:
    page = text_of(admin_client.get("/admin/oauth/application/add/"))

    assert "Separated by commas" in page
