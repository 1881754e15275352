"""Counts of what a principal sees."""

import pytest

from registry.models import ToolRegistration
from registry.services import statistics
from tests.factories import EVERYTHING, NOBODY, cutoff, deregister, make_principal, make_registration

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _catalogue():
    make_registration(capabilities={"categories": ["mail", "office", "mail"]}, scopes=["mail", "post"])
    make_registration(version="2.0.0", capabilities={"categories": ["mail"]}, scopes=["mail"])
    make_registration(provider="sms-team", name="send_sms", instance="host-1")
    deregister("sms-team:send_sms:1.0.0")
    retired = make_registration(name="gone")
    ToolRegistration.objects.filter(pk=retired.pk).update(lifecycle="RETIRED")


def test_the_inventory_counts_what_is_visible_alive_or_not():
    found = statistics.inventory(principal=EVERYTHING)

    assert (found.tools, found.registrations, found.providers) == (2, 3, 2)
    assert found.by_health == {"UNAVAILABLE": 1, "UNMONITORED": 2}
    assert found.by_lifecycle == {"ACTIVE": 3}
    assert found.by_category == {"mail": 2, "office": 1}


@pytest.mark.parametrize(
    ("principal", "tools"), [(make_principal(), 1), (make_principal(scopes=["post"]), 2), (NOBODY, 0)]
)
def test_nothing_hidden_is_counted(principal, tools):
    assert statistics.inventory(principal=principal).tools == tools


def test_the_seeds_keys_count_tools_by_their_newest_live_version():
    found = statistics.seed_inventory(principal=EVERYTHING, cutoff=cutoff())

    assert found["total_tools"] == 1
    assert found["scope_usage"] == {"mail": 1}
    assert found["unique_scopes"] == 1


def test_the_inventory_costs_four_queries(django_assert_num_queries):
    # Totals, by health, by lifecycle, categories.
    with django_assert_num_queries(4):
        statistics.inventory(principal=EVERYTHING)
