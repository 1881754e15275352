"""What the registry's tests share. Django is set up after this module is read, hence the imports inside."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A backend of embedding models in memory, in the table of backends."""
    from registry.search import embedders  # noqa: PLC0415 - Django is not set up yet above
    from tests.registry.embedding import WORDS, Backend  # noqa: PLC0415

    made = Backend()
    monkeypatch.setitem(embedders.BACKENDS, WORDS, made)
    embedders.load.cache_clear()
    yield made
    embedders.load.cache_clear()
