"""The first page says what exists, what is sick, what waits and what happened."""

import pytest
from django.test import Client
from django.utils.timezone import now as the_time
from pytest_django import DjangoAssertNumQueries

from registry.models import LeaseWatch, ToolRegistration
from registry.services import leases
from tests.factories import make_registration
from tests.registry.admin.pages import text_of
from tests.registry.admin.people import staff

pytestmark = pytest.mark.django_db


def test_numbers_and_last_events_are_shown(admin_client: Client) -> None:
    make_registration(name="sick", instance="host-1")
    ToolRegistration.objects.update(health="SUSPECT")
    make_registration(name="new", review_required=True)

    page = text_of(admin_client.get("/admin/"))

    for part in ("2 tools", "2 registrations", "1 providers", "1 suspect", "0 unavailable", "1 to decide"):
        assert part in page
    assert "tool:version:registered mail-team:new:1.0.0" in page


def test_empty_registry_says_what_will_come(admin_client: Client) -> None:
    assert "Nothing has happened yet." in text_of(admin_client.get("/admin/"))


def test_held_sweep_raises_the_alarm(admin_client: Client) -> None:
    LeaseWatch.objects.create(pk=1, held_since=the_time())

    assert "suspects itself and marks nothing stale" in text_of(admin_client.get("/admin/"))


def test_grace_period_is_told(admin_client: Client) -> None:
    LeaseWatch.objects.create(pk=1, grace_until=the_time().replace(year=2100))

    assert "a grace period holds" in text_of(admin_client.get("/admin/"))


def test_staff_without_permissions_sees_no_numbers() -> None:
    make_registration()

    page = text_of(staff().get("/admin/"))

    assert "What exists" not in page
    assert "Last events" not in page
    assert "send_email" not in page


def test_staff_sees_the_numbers_of_what_it_may_view() -> None:
    make_registration()

    page = text_of(staff("view_provider").get("/admin/"))

    assert "1 providers" in page
    assert "registrations" not in page


def test_first_page_asks_little(
    admin_client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_registration(instance="host-1")
    leases.recent.forget()

    # session, user; tools, registrations, providers; suspect, unavailable, failing; waiting; lease watch
    # twice, silent leases; calls that wait; events; the person's own log
    with django_assert_num_queries(15):
        admin_client.get("/admin/")
