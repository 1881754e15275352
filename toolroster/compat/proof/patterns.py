"""What is known of a regular expression without deciding whether one is part of another."""

import functools
import re
from re import _constants, _parser  # type: ignore[attr-defined] # what `re` itself reads patterns with
from typing import Any

from toolroster.compat.proof.refusal import Unprovable

_PLACES = frozenset({_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT})


@functools.lru_cache(1000)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, ready to search.

    Raises:
        Unprovable: Python cannot read it.
    """
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise Unprovable(f"the pattern {pattern[:80]!r} cannot be read") from error


@functools.lru_cache(1000)
def is_universal(pattern: str) -> bool:
    """Tell whether every text has a match: the pattern matches "" and asks for no place but the beginning."""
    body = pattern.removeprefix("^")
    return compiled(body).match("") is not None and not _asks_for_place(_parser.parse(body).data)


@functools.lru_cache(1000)
def least_length(pattern: str) -> int:
    """Return how many characters a text with a match has at least."""
    compiled(pattern)
    return int(_parser.parse(pattern).getwidth()[0])


@functools.lru_cache(1000)
def beginning(pattern: str) -> str:
    """Return the characters with which every match begins, "" if they differ or may stand anywhere."""
    compiled(pattern)
    parts = list(_parser.parse(pattern).data)
    if not parts or parts[0] != (_constants.AT, _constants.AT_BEGINNING):
        return ""
    found = ""
    for operation, argument in parts[1:]:
        if operation is not _constants.LITERAL:
            break
        found += chr(argument)
    return found


def are_apart(one: str, other: str) -> bool:
    """Tell whether no text has both patterns: they begin with different characters."""
    mine, yours = beginning(one), beginning(other)
    return not mine.startswith(yours) and not yours.startswith(mine)


def _asks_for_place(parts: Any) -> bool:
    for operation, argument in parts:
        if operation in _PLACES:
            return True
        if any(_asks_for_place(inner) for inner in _inner(argument)):
            return True
    return False


def _inner(argument: Any) -> list[Any]:
    if isinstance(argument, _parser.SubPattern):
        return [argument.data]
    if isinstance(argument, (list, tuple)):
        return [found for one in argument for found in _inner(one)]
    return []
