"""Large tables are counted up to a limit."""

import pytest
from django.test import Client

from registry.admin import paging
from registry.models import Provider
from tests.factories import NOW, make_registration
from tests.registry.admin.pages import REGISTRATIONS, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def _counts_to_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MOST_COUNTED", 2)


@pytest.mark.usefixtures("_counts_to_two")
@pytest.mark.parametrize(("rows", "count", "is_capped"), [(1, 1, False), (2, 2, True), (3, 2, True)])
def test_count_stops_at_the_limit(rows: int, count: int, is_capped: object) -> None:
    for number in range(rows):
        Provider.objects.create(name=f"team-{number}", created_at=NOW)

    pages = paging.CappedPaginator(Provider.objects.order_by("pk"), 10)

    assert (pages.count, pages.is_capped) == (count, is_capped)


@pytest.mark.usefixtures("_counts_to_two")
def test_list_says_that_there_may_be_more(admin_client: Client) -> None:
    for number in range(3):
        make_registration(name=f"tool{number}")

    page = text_of(admin_client.get(REGISTRATIONS))

    assert "2 or more registrations — search to see the rest" in page
