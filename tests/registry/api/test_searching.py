"""Search over HTTP; that the best tools come first is tested with `registry.search`."""

import json

import pytest

from registry.models import ToolRegistration
from tests.registry.api.client import document, post_json, queries_of, register, register_all

pytestmark = pytest.mark.django_db


def search(query: str, **fields):
    return post_json("/api/tools/search", {"query": query, **fields}).json()


def names(found) -> list[str]:
    return [result["tool"]["name"] for result in found["results"]]


def test_a_tool_is_found_by_its_words_and_says_why():
    register()
    register("delete_files", description="Delete files.")

    found = search("please send an email")

    (best,) = found["results"]
    assert best.keys() == {"tool", "similarity", "score", "why", "near_duplicates"}
    assert best["tool"]["tool_id"] == "mail-team:send_email:1.0.0"
    assert best["similarity"] is None
    assert best["score"] > 0
    assert best["why"].startswith("words")


def test_a_new_version_of_a_tool_is_one_result():
    register(version="1.0.0")
    register(version="2.0.0")

    assert [result["tool"]["version"] for result in search("send email")["results"]] == ["2.0.0"]


@pytest.mark.parametrize("query", ["weather in Paris", "??!", "\U0001f4a9", "x" * 2000, "的"])
def test_what_fits_nothing_says_so(query):
    register()

    assert search(query) == {"results": [], "nothing_fits": True}


@pytest.mark.parametrize("name", ["top_k", "topK"])
def test_top_k_limits_the_results(name):
    register_all([document(f"mail_{number}") for number in range(12)])

    assert len(names(search("email"))) == 10
    assert len(names(search("email", **{name: 3}))) == 3
    assert len(names(search("email", **{name: None}))) == 10


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {"mail_a", "mail_b"}),
        ({"category": "urgent"}, {"mail_a"}),
        ({"category": ["urgent", "slow"]}, {"mail_a", "mail_b"}),
        ({"tag": "x", "category": []}, {"mail_b"}),
        ({"readOnly": True}, {"mail_b"}),
        ({"cost_level": "HIGH"}, {"mail_a"}),
        ({"provider": "Mail-Team", "idempotent": False}, {"mail_a", "mail_b"}),
        ({"provider": "others"}, set()),
        ({"includeDeprecated": True}, {"mail_a", "mail_b", "mail_c"}),
    ],
)
def test_the_filters_of_the_list_narrow_the_search(filters, found):
    register("mail_a", capabilities={"categories": ["urgent"], "cost_level": "HIGH"})
    register("mail_b", capabilities={"categories": ["slow"], "tags": ["x"], "read_only": True})
    register("mail_c")
    ToolRegistration.objects.filter(of_tool__name="mail_c").update(lifecycle="DEPRECATED")

    assert set(names(search("email", **filters))) == found


def test_what_is_dead_is_not_found():
    register()
    post_json("/api/tools/deregister", {"tool_ids": ["mail-team:send_email:1.0.0"]})

    assert names(search("send email")) == []


def test_the_results_fit_into_the_budget_of_tokens():
    register_all([document(f"mail_{number}") for number in range(8)])
    whole = search("email")["results"]
    tokens = len(json.dumps(whole, ensure_ascii=False, separators=(",", ":"))) // 4

    half = search("email", max_tokens=tokens // 2)["results"]

    assert half == whole[: len(half)]
    assert 3 <= len(half) <= 4
    assert search("email", max_tokens=1)["results"] == whole[:1]  # the best in any case
    assert search("email", max_tokens=1_000_000)["results"] == whole


def test_a_search_by_words_costs_as_many_queries_with_three_hits_as_with_fifty():
    register_all([document(f"mail_{number}") for number in range(50)])

    few = queries_of(lambda: search("email", top_k=3))
    many = queries_of(lambda: search("email", top_k=50))

    # how leases look (2), what is looked at, size of the corpus, the best postings, their words, what is the
    # same, what is listed below it, the rows with their last beats
    assert len(few) == len(many) == 9
