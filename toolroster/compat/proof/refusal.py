"""Why an inclusion is not proved."""

from dataclasses import dataclass
from typing import Any


class _NoValue:
    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Any = _NoValue()
"""There is no value to show; None is one."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where and why; `value` is one that the smaller schema has and the larger one has not, if it is known.

    `is_certain` is false where the proof was not found, and true where none can be.
    """

    path: str
    reason: str
    value: Any = NO_VALUE
    is_certain: bool = True


class Unprovable(Exception):
    """The larger schema says something that is not understood, or too much of it."""
