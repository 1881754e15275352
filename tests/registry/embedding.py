"""A backend of embedding models in memory, and models that fail."""

from collections.abc import Callable
from typing import Any

from registry.search.embedders.base import Matrix
from registry.search.errors import EmbedderUnavailable
from registry.services.spaces import Wanted
from tests.registry.search.fakes import WordEmbedder

WORDS = "words"
"""Name of the backend of `backend`."""


class BrokenEmbedder:
    """A model that cannot be had, or only says its name."""

    dimensions = 64

    def __init__(self, model_id: str = "") -> None:
        self._model_id = model_id

    @property
    def model_id(self) -> str:
        if not self._model_id:
            raise EmbedderUnavailable("The model is not there.")
        return self._model_id

    def embed_documents(self, texts: Any) -> Matrix:
        raise EmbedderUnavailable("The model does not answer.")

    embed_queries = embed_documents


class InterruptedEmbedder(WordEmbedder):
    """Does something else while it embeds, as the world does meanwhile."""

    def __init__(self, meanwhile: Callable[[], Any]) -> None:
        super().__init__()
        self._meanwhile = meanwhile

    def embed_documents(self, texts: Any) -> Matrix:
        self._meanwhile()
        matrix: Matrix = super().embed_documents(texts)
        return matrix


class PickyEmbedder(WordEmbedder):
    """Does not take texts with one word."""

    def __init__(self, word: str) -> None:
        super().__init__(model_id="picky-1")
        self._word = word

    def embed_documents(self, texts: Any) -> Matrix:
        if any(self._word in text for text in texts):
            raise EmbedderUnavailable("The model does not take this text.")
        matrix: Matrix = super().embed_documents(texts)
        return matrix


class Backend:
    """Makes a model of each name once; `broken` names those that cannot be had."""

    def __init__(self) -> None:
        self.models: dict[str, WordEmbedder] = {}
        self.broken: set[str] = set()

    def __call__(self, model: str, options: object) -> "WordEmbedder | BrokenEmbedder":
        if model in self.broken:
            return BrokenEmbedder()
        return self.models.setdefault(model, WordEmbedder(model_id=model))


def wanted(model: str = "model-a") -> Wanted:
    """Return settings that ask for a model of the backend."""
    return Wanted(WORDS, model)
