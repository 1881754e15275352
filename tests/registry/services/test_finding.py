"""Search as a whole, by words: one candidate per tool, and weights that stay positive."""

import pytest

from registry.search import finding, words
from registry.services import catalogue
from registry.services.catalogue import Filters
from tests.factories import EVERYTHING, cutoff, make_registration

pytestmark = pytest.mark.django_db


def _find(query: str, top_k: int = 10, **filters):
    visible = catalogue.available(Filters(**filters), principal=EVERYTHING, cutoff=cutoff())
    found = finding.find(query, visible=visible, spaces=[], top_k=top_k).results
    return [(one.registration, one.hit) for one in found]


def test_a_tool_with_many_versions_leaves_room_for_the_others(monkeypatch):
    monkeypatch.setattr(finding, "CANDIDATES", 5)
    for minor in range(10):
        make_registration(name="translator", version=f"1.{minor}.0", description="Translate a text.")
    make_registration(name="translate_page", provider="web", description="Translate a page of the web.")

    found = [row.tool_id for row, _ in _find("translate")]

    assert sorted(found) == ["mail-team:translator:1.9.0", "web:translate_page:1.0.0"]


def test_further_versions_do_not_make_a_word_common():
    make_registration(name="translate_page", provider="web", description="Translate a page.")
    make_registration(name="archive", description="Put letters away.")
    [(_, alone)] = _find("page")
    for minor in range(10):
        make_registration(name="pager", version=f"1.{minor}.0", description="Call a person by page.")
    words.corpus.forget()

    hits = {row.of_tool_id: hit for row, hit in _find("page")}

    assert len(hits) == 2
    assert all(hit.bm25 > 0.1 * alone.bm25 for hit in hits.values())


def test_weights_stay_positive_while_the_corpus_grows_behind_the_statistics():
    make_registration(name="archive", description="Put letters away.")
    _find("archive")  # counts the corpus: one tool
    for number in range(30):
        make_registration(name=f"zorp_{number}", description="Zorp a letter.")

    hits = _find("zorp", top_k=30)

    assert len(hits) == 30
    assert all(hit.bm25 > 0 for _, hit in hits)


def test_a_release_is_shown_before_a_higher_prerelease():
    make_registration(version="1.0.0")
    make_registration(version="2.0.0-rc.1")

    assert [row.version for row, _ in _find("email", include_prerelease=True)] == ["1.0.0"]
