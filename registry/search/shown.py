"""What a search looks at: registrations and their texts, as few bytes that are kept and sent whole."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from registry.models.lookups import IdArray
from registry.models.registration import ToolRegistrationQuerySet

Ids = NDArray[np.int64]


class Shown:
    """Registrations with their texts, shape (n,) each, in the order of the texts.

    Several registrations may have one text: two providers of one tool.
    """

    def __init__(self, registrations: Ids, texts: Ids) -> None:
        self._registrations = registrations
        self._texts = texts

    @classmethod
    def of(cls, pairs: Iterable[Sequence[int]]) -> Self:
        """Make it of pairs of a registration and its text."""
        rows = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
        rows = rows[np.lexsort((rows[:, 0], rows[:, 1]))]
        return cls(rows[:, 0], rows[:, 1])

    @classmethod
    def of_tools(cls, visible: ToolRegistrationQuerySet, *, holds_most: bool = False) -> Self:
        """Show the highest version of each tool, a prerelease only where there is nothing else.

        A tool with many versions is one candidate. `holds_most`: no filter leaves but few of the tools.
        """
        if holds_most:
            return cls.of(visible.ids_of_one_per_tool())
        return cls.of(visible.one_per_tool().values_list("pk", "search_text"))

    @classmethod
    def from_bytes(cls, kept: bytes) -> Self:
        """Undo `to_bytes`."""
        registrations, texts = np.frombuffer(kept, dtype=np.int64).reshape(2, -1)
        return cls(registrations, texts)

    def to_bytes(self) -> bytes:
        """Return it for keeping."""
        return np.stack([self._registrations, self._texts]).tobytes()

    def __len__(self) -> int:
        return len(self._texts)

    @cached_property
    def texts(self) -> Ids:
        """The texts, each once, sorted."""
        found: Ids = np.unique(self._texts)
        return found

    @cached_property
    def texts_array(self) -> IdArray:
        """The same for `any_of`, made once for all queries."""
        return IdArray.of(self.texts.tolist())

    def has(self, texts: Ids) -> NDArray[np.bool_]:
        """Tell which texts are shown, shape as given."""
        if not len(self):
            return np.zeros(len(texts), dtype=np.bool_)
        places = np.searchsorted(self._texts, texts).clip(max=len(self) - 1)
        found: NDArray[np.bool_] = self._texts[places] == texts
        return found

    def registrations_of(self, text: int) -> list[int]:
        """Return the registrations that have a text, by their ids."""
        first, last = np.searchsorted(self._texts, text), np.searchsorted(self._texts, text, side="right")
        found: list[int] = self._registrations[first:last].tolist()
        return found
