"""One stack for all stories: starting it takes some seconds."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack import Stack


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    folder = Path(tempfile.mkdtemp(prefix="toolroster-story-"))
    running = Stack(folder / "home")
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
