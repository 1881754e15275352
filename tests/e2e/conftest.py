"""One stack for all stories: starting it takes some seconds."""

from collections.abc import Iterator

import pytest

from tests.stack import Stack, running


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with running(Stack) as stack:
        yield stack
