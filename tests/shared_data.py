"""Find the data that lies beside the checkout, in ../shared/data, and is not part of it."""

from pathlib import Path

import pytest

_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(relative: str) -> Path:
    """Return the path of a shared file; skip the test if this machine has it not."""
    path = _SHARED_DATA / relative
    if not path.exists():
        pytest.skip(f"{path} is absent: it lies beside the checkout and is not distributed")
    return path
