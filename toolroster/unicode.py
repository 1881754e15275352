"""Bring text to Unicode NFC, so that names that look the same are the same (UAX #15)."""

import unicodedata
from collections import Counter
from typing import Any

from toolroster.errors import DocumentInvalid


def nfc(value: Any) -> Any:
    """Return a copy of a JSON value with every string and member name in NFC.

    Raises:
        DocumentInvalid: two names of one object are the same in NFC.
    """
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [nfc(item) for item in value]
    if isinstance(value, dict):
        members = {nfc(name): nfc(item) for name, item in value.items()}
        if len(members) < len(value):
            raise DocumentInvalid(f"Two names of one object are the same in Unicode NFC: {_twice(value)!r}.")
        return members
    return value


def _twice(value: dict[str, Any]) -> str:
    counts = Counter(unicodedata.normalize("NFC", name) for name in value)
    return next(name[:100] for name, count in counts.items() if count > 1)
