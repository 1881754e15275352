"""What staff may see and do is what their permissions say; nobody writes the audit."""

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from tests.factories import make_registration
from tests.registry.admin.pages import REGISTRATIONS, decide, page_of, text_of
from tests.registry.admin.people import staff

pytestmark = pytest.mark.django_db

READ_ONLY = [
    "toolevent",
    "tooluse",
    "toolpresentation",
    "toolposting",
    "toolinstance",
    "refusedpublication",
    "toolembedding",
    "embeddingspace",
    "leasewatch",
]


@pytest.mark.parametrize("model", READ_ONLY)
def test_nobody_adds_rows_of_the_audit(model: str, admin_client: Client) -> None:
    assert admin_client.get(reverse(f"admin:registry_{model}_add")).status_code == 403


@pytest.mark.parametrize("model", ["toolevent", "toolpresentation", "toolinstance", "toolregistration"])
def test_nobody_deletes_rows(model: str, admin_client: Client) -> None:
    make_registration(instance="host-1")
    row = apps.get_model("registry", model)._default_manager.first()
    assert row is not None

    answer = admin_client.post(reverse(f"admin:registry_{model}_delete", args=[row.pk]), {"post": "yes"})

    assert answer.status_code == 403


@pytest.mark.parametrize("model", READ_ONLY)
def test_lists_of_the_audit_offer_no_deletion(model: str, admin_client: Client) -> None:
    answer = admin_client.get(reverse(f"admin:registry_{model}_changelist"))

    assert b"delete_selected" not in answer.content


def test_contract_cannot_be_written(admin_client: Client) -> None:
    row = make_registration()

    admin_client.post(page_of(row), {"version": "9.9.9", "scopes": "all", "review": "REJECTED"})

    row.refresh_from_db()
    assert (row.version, row.scopes, row.review) == ("1.0.0", [], "APPROVED")


def test_staff_without_permissions_sees_no_registration() -> None:
    row = make_registration()
    clerk = staff()

    assert clerk.get(REGISTRATIONS).status_code == 403
    assert clerk.get(page_of(row)).status_code == 403


def test_staff_who_may_only_look_gets_no_decisions() -> None:
    row = make_registration(review_required=True)
    clerk = staff("view_toolregistration")

    page = clerk.get(page_of(row))
    decide(clerk, "approve", row)

    assert "Retire" not in text_of(page)
    row.refresh_from_db()
    assert row.review == "PENDING"


def test_staff_who_may_change_decides() -> None:
    row = make_registration(review_required=True)

    decide(staff("view_toolregistration", "change_toolregistration"), "approve", row)

    row.refresh_from_db()
    assert row.review == "APPROVED"


def test_visitors_are_sent_to_the_login(client: Client) -> None:
    answer = client.get(REGISTRATIONS)

    assert answer["Location"].startswith("/admin/login/")
