"""Data sets, corpora, curves and baselines of the evaluation of search."""

import json
from pathlib import Path

import pytest

from registry.search.evaluation import datasets, fitting, report, scoring
from registry.search.evaluation.corpus import Corpus, Ranked
from registry.search.evaluation.datasets import DataSet, Request
from registry.search.evaluation.remembered import Remembered
from registry.search.texts import SearchableText
from tests.registry.search.fakes import WordEmbedder
from toolroster.errors import DocumentInvalid

TOOLS = [
    {"id": "mail", "name": "send_email", "description": "Send an email.", "examples": ["write to Bob"]},
    {"id": "fax", "name": "send_fax", "description": "Send a fax.", "category": "office"},
    {"id": "draw", "name": "draw_picture", "description": "Draw a picture.", "params": [{"name": "size"}]},
]
QUERIES = [
    {"text": "an email please", "gold": ["mail"], "lang": "en"},
    {"text": "fax. Category: office.", "gold": ["fax", "mail"], "rel": {"fax": 2}},
    {"text": "boil an egg", "gold": []},
]


def write(folder: Path, tools=TOOLS, queries=QUERIES) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in (("tools", tools), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


@pytest.fixture
def folder(tmp_path) -> Path:
    return write(tmp_path / "office")


def test_a_data_set_is_read(folder):
    found = datasets.load(folder)

    assert (found.name, list(found.tools)) == ("office", ["mail", "fax", "draw"])
    assert found.requests[1] == Request("fax. Category: office.", {"fax": 2.0, "mail": 1.0}, "en")
    assert found.tools["draw"].parameters == (("size", ""),)
    assert [one.name for one in found.variants()] == ["office (no examples)", "office"]
    assert found.without_examples().variants() == [found.without_examples()]


def test_data_sets_are_found_below_a_folder(tmp_path, folder):
    (tmp_path / "nothing").mkdir()

    assert datasets.find(tmp_path) == [folder]


@pytest.mark.parametrize(
    ("file_name", "text", "said"),
    [
        ("tools.jsonl", "{", "line 1"),
        ("tools.jsonl", "[]", "line 1"),
        ("queries.jsonl", '\n{"text": "x"}', "line 2"),
        ("queries.jsonl", '{"text": "x", "gold": ["nobody"]}', "nobody"),
    ],
)
def test_what_is_no_data_set_says_where(folder, file_name, text, said):
    (folder / file_name).write_text(text)

    with pytest.raises(DocumentInvalid, match=said):
        datasets.load(folder)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(DocumentInvalid, match=r"tools\.jsonl cannot be read"):
        datasets.load(tmp_path)


def test_a_sample_is_the_same_each_time(folder):
    many = DataSet("many", {}, tuple(Request(str(n), {"a": 1.0}, "en") for n in range(100)))

    assert many.sampled(10) == many.sampled(10)
    assert len(many.sampled(10).requests) == 10
    assert many.sampled(100) is many


@pytest.mark.parametrize("models", [[], [WordEmbedder()], [WordEmbedder(), WordEmbedder("second")]])
def test_a_corpus_ranks_what_fits_first(folder, models):
    found = datasets.load(folder)

    ranked = Corpus(found.tools, models).rank([request.text for request in found.requests])

    assert [one.ids[0] for one in ranked[:2]] == ["mail", "fax"]
    assert all(one.scores == sorted(one.scores, reverse=True) for one in ranked)


def test_a_set_is_measured_over_what_fits_something(folder):
    [whole] = scoring.measure(datasets.load(folder), [])

    assert (whole.name, whole.tools, whole.requests) == ("office", 3, 2)
    assert whole.measures[0].mean > 90


def test_languages_with_enough_requests_have_rows_of_their_own():
    requests = [Request(str(n), {"a": 1.0}, "de" if n < 25 else "en") for n in range(50)]
    requests.append(Request("x", {"a": 1.0}, "zh"))
    ranked = [Ranked(["a"], [1.0]) for _ in requests]

    rows = scoring.of_rankings("set", 1, requests, ranked)

    assert [(row.name, row.requests) for row in rows] == [("set", 51), ("set de", 25), ("set en", 25)]


def test_each_text_is_embedded_once_even_after_a_restart(tmp_path):
    model, told = WordEmbedder(), []
    texts = [f"text {number}" for number in range(100)]
    store = Remembered(model, tmp_path / "v.sqlite3", say=lambda done, of: told.append((done, of)))
    first = store.embed_queries(texts)

    again = Remembered(model, tmp_path / "v.sqlite3").embed_queries(texts[::-1])

    assert sum(len(asked) for _, asked in model.calls) == 100
    assert told == [(64, 100), (100, 100)]
    assert abs(first - again[::-1]).max() < 1e-6
    assert store.embed_documents(["text 1"]).shape == (1, 64)
    assert sum(len(asked) for _, asked in model.calls) == 101  # documents are not queries
    assert store.embed_queries([]).shape == (0, 64)


def test_the_curve_tells_what_a_threshold_finds_and_costs():
    requests = [Request("a", {"a": 1.0}, "en"), Request("b", {"b": 1.0}, "en")]
    ranked = [Ranked(["a", "b"], [0.4, 0.15]), Ranked(["b", "a"], [0.25, 0.2])]

    points = {point.threshold: point for point in fitting.curve(requests, ranked)}

    assert (points[0.1].precision, points[0.1].recall, points[0.1].lost) == (1.0, 0.0, 0.0)
    assert (points[0.16].precision, points[0.16].recall, points[0.16].lost) == (1.0, 0.5, 0.0)
    assert (points[0.3].recall, points[0.3].lost) == (1.0, 0.5)
    assert points[0.3].precision == pytest.approx(2 / 3)
    assert "| 0.30 | 67 | 100 | 50.0 |" in fitting.markdown(list(points.values()))


def test_what_fell_below_the_baseline_is_said(folder, tmp_path):
    rows = scoring.measure(datasets.load(folder), [])
    found = report.as_json(rows)
    mean = found["office"]["nDCG@10"]["mean"]

    for change, is_worse in ((0.0, False), (1.4, False), (1.6, True), (-5.0, False)):
        baseline = {"office": {"nDCG@10": {"mean": mean + change}}}
        assert bool(report.worse(rows, baseline)) is is_worse
    assert report.worse(rows, {}) == []
    assert "| -1.6 |" in report.markdown(rows, {"office": {"nDCG@10": {"mean": mean + 1.6}}})
    assert "| new |" in report.markdown(rows, {"other": {"nDCG@10": {"mean": 1}}})


@pytest.mark.parametrize("text", ["", "[]", "{}x", '{"a": 1}', '{"a": {"nDCG@10": {"mean": "x"}}}'])
def test_what_is_no_baseline_is_refused(tmp_path, text):
    (tmp_path / "b.json").write_text(text)

    with pytest.raises(DocumentInvalid, match="is no baseline"):
        report.read_baseline(tmp_path / "b.json")


def test_tools_of_one_name_without_descriptions_are_told_apart_by_ids():
    tools = {key: SearchableText(name="same") for key in "ab"}

    assert sorted(Corpus(tools, []).rank(["same"])[0].ids) == ["a", "b"]
