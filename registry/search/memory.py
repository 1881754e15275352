"""Vectors in the memory of a process: exact, for a fraction of what a scan in the database costs.

A text never changes, so its vector does not: what was read once stays right. Where vectors are made anew,
the space's revision is another one. Only for sets of at most `ann.WORTH_IT`, and up to `MOST_BYTES`.
"""

import threading
from dataclasses import dataclass

import numpy as np

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.models.lookups import IdArray
from registry.search.embedders import Matrix
from registry.search.embedders.base import normalise
from registry.search.shown import Ids

MOST_BYTES = 64 * 1024 * 1024
"""What the vectors of one space may take; beyond it those that were not asked for last are dropped."""


@dataclass(frozen=True, slots=True)
class Held:
    """Texts in the order of their ids, shape (n,), and their unit vectors, shape (n, d)."""

    texts: Ids
    rows: Matrix

    def lacks(self, texts: Ids) -> Ids:
        """Return those of the texts, sorted, that are not held."""
        return np.setdiff1d(texts, self.texts, assume_unique=True)

    def of(self, texts: Ids) -> dict[int, Matrix]:
        """Return the vectors of texts that are held, sorted."""
        return dict(zip(texts.tolist(), self.rows[np.searchsorted(self.texts, texts)], strict=True))

    def joined(self, other: "Held") -> "Held":
        """Return both."""
        if not len(self.texts):
            return other
        texts = np.concatenate([self.texts, other.texts])
        order = np.argsort(texts)
        return Held(texts[order], np.concatenate([self.rows, other.rows])[order])

    def similarities(self, vector: Matrix, texts: Ids) -> tuple[Ids, Matrix]:
        """Return those of the texts, sorted, that have a vector, with their cosine to a unit vector."""
        if not len(self.texts):
            return self.texts, np.empty(0, dtype=np.float32)
        places = np.searchsorted(self.texts, texts).clip(max=len(self.texts) - 1)
        is_held = self.texts[places] == texts
        # Not `@`: the threads of BLAS save half a millisecond of time and spin for three of CPU.
        cosines: Matrix = np.einsum("ij,j->i", self.rows, vector)
        return texts[is_held], cosines[places[is_held]]


_NOTHING = Held(np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32))


class Memory:
    """What a process holds, by space and revision."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[int, tuple[int, Held]] = {}
        self._too_many: dict[int, int] = {}

    def hold(self, space: EmbeddingSpace, texts: Ids) -> Held | None:
        """Return the vectors of the texts, sorted, and maybe of others; None where they are too many.

        Those that are not held are read. A text without a vector yet is asked for each time.
        """
        if len(texts) >= self._too_many.get(space.pk, len(texts) + 1):
            return None
        held = self.held(space)
        missing = held.lacks(texts)
        if not len(missing):
            return held
        read = _read(space, missing)
        if not len(read.texts):
            return held
        both = held.joined(read)
        if both.rows.nbytes > MOST_BYTES:
            both = _read(space, texts)
        if both.rows.nbytes > MOST_BYTES:
            self._too_many[space.pk] = len(texts)  # not to be read for each search, and thrown away
            return None
        with self._lock:  # two threads that read at once lose what one of them read, no more
            self._held[space.pk] = (space.revision, both)
        return both

    def held(self, space: EmbeddingSpace) -> Held:
        """Return what is held, without reading anything."""
        revision, held = self._held.get(space.pk, (space.revision, _NOTHING))
        return held if revision == space.revision else _NOTHING

    def forget(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()
            self._too_many.clear()


def _read(space: EmbeddingSpace, texts: Ids) -> Held:
    rows = ToolEmbedding.objects.filter(space=space, text__any_of=IdArray.of(texts.tolist()))
    found = dict(sorted(rows.arrays("text").items()))
    if not found:
        return _NOTHING
    keys = np.fromiter(found, dtype=np.int64, count=len(found))
    return Held(keys, normalise(np.stack(list(found.values()))))


memory = Memory()
"""What this process holds."""
