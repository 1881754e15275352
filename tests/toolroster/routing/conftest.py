"""A server of tools that fail, one for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.toolroster.routing.faulty import FaultyServer


@pytest.fixture(scope="module")
def _serving() -> Iterator[FaultyServer]:
    with FaultyServer().serving() as server:
        yield server


@pytest.fixture
def faulty(_serving: FaultyServer) -> FaultyServer:
    _serving.forget()
    return _serving
