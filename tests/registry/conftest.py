"""What the registry's tests share. Django is set up after this module is read, hence the imports inside."""

import base64
import json
from collections.abc import Callable, Iterator
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


@pytest.fixture
def sent() -> Iterator[Callable[[], list[tuple[str, list[Any]]]]]:
    """Tasks in the broker's queue as (name, arguments), the newest first; the queue is empty at first."""
    from registry import conf  # noqa: PLC0415 - Django is not set up yet above

    store = conf.store()
    queue = "tr:celery:celery"
    store.delete(queue)
    yield lambda: [_task_in(json.loads(message)) for message in store.lrange(queue, 0, -1)]
    store.delete(queue)


def _task_in(message: dict[str, Any]) -> tuple[str, list[Any]]:
    arguments, _, _ = json.loads(base64.b64decode(message["body"]))
    return message["headers"]["task"], arguments
