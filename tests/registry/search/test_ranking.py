"""The formula, and the order of hits."""

import pytest

from registry.search import ranking
from registry.search.ranking import WordMatch


def weight(**changes):
    return ranking.bm25_term_weight(
        **({"tf": 1, "doc_length": 10, "avg_length": 10.0, "df": 1, "n": 100} | changes)
    )


def test_bm25_of_a_term_by_hand():
    # idf = ln(1 + 99.5 / 1.5); tf part = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 2))
    assert weight(tf=2, doc_length=20) == pytest.approx(4.2096 * 4.4 / 4.1, abs=1e-3)


def test_bm25_prefers_rare_terms_frequent_occurrences_and_short_documents():
    assert weight(df=1) > weight(df=50) > 0
    assert weight(tf=3) > weight(tf=1)
    assert weight(doc_length=5) > weight(doc_length=50)


def test_bm25_of_a_term_that_every_document_has_is_not_negative():
    assert weight(df=100) > 0


def test_bm25_of_an_empty_corpus_is_finite():
    assert weight(avg_length=0.0, df=0, n=0) > 0


def test_score_damps_words():
    assert ranking.score(0.5, 10.0) == pytest.approx(0.5 + 10 / 110)
    assert ranking.score(0.5, 1e9) < 1.5


def test_hits_are_the_union_best_first():
    hits = ranking.fuse({"a": 0.2, "b": 0.6}, {"a": WordMatch(10.0, ("fax",)), "c": WordMatch(5.0, ("fax",))})

    assert [(hit.key, round(hit.score, 3)) for hit in hits] == [("b", 0.6), ("a", 0.291), ("c", 0.048)]


def test_tool_without_a_vector_is_found_by_words():
    first = ranking.fuse({"a": -0.1, "b": 0.05}, {"c": WordMatch(20.0, ("fax",))})[0]

    assert (first.key, first.similarity, first.words) == ("c", None, ("fax",))


def test_words_alone_rank_by_bm25():
    hits = ranking.fuse({}, {key: WordMatch(float(key)) for key in (1, 3, 2)})

    assert [hit.key for hit in hits] == [3, 2, 1]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_ties_are_broken_by_key_whatever_the_order(order):
    hits = ranking.fuse(dict.fromkeys(order, 0.5), {})

    assert [hit.key for hit in hits] == [1, 2, 3]


def test_limit_cuts_after_ranking():
    assert [hit.key for hit in ranking.fuse({1: 0.1, 2: 0.2}, {3: WordMatch(90.0)}, limit=1)] == [3]


def test_nothing_matches_nothing():
    assert ranking.fuse({}, {}) == []


def test_hit_says_why():
    hits = ranking.fuse(
        {1: 0.61, 2: 0.4}, {1: WordMatch(10.0, ("send", "mail")), 3: WordMatch(2.5, ("mail",))}
    )

    assert [hit.why for hit in hits] == [
        "meaning 0.61 + words 0.09 (send, mail)",
        "meaning 0.40",
        "words 0.02 (mail)",
    ]
