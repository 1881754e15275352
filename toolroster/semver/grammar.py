r"""Read the text of an npm range into comparators.

The grammar and the rewriting are those of node-semver (README, "Advanced Range Syntax"; classes/range.js),
in strict mode. Stricter than node-semver on purpose, since each case is a slip of the pen:

* a wildcard is followed by wildcards alone (node reads `^1.x.5` as `^1.x`);
* a version may start with one "v", not with any mix of "v" and "=" (node reads `==1.2` and `^=1.2`);
* white space is ASCII, and the text has at most 1024 characters, white space included.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from toolroster.errors import RangeInvalid
from toolroster.semver.version import (
    BUILD,
    MAX_NUMBER,
    MAX_VERSION_CHARS,
    NUMBER,
    PRERELEASE,
    Prerelease,
    Version,
    excerpt,
    read_prerelease,
)

MAX_RANGE_CHARS = 1024

_PART = rf"(?:[xX*]|{NUMBER})"
_COMPARATOR = re.compile(
    rf"(\^|~>?|[<>]=?|=|)v?({_PART})(?:\.({_PART})(?:\.({_PART})(?:-({PRERELEASE}))?)?)?", re.ASCII
)
_GAP_AFTER_OPERATOR = re.compile(r"(\^|~>?|[<>]=?|=)\s+", re.ASCII)
_BUILD = re.compile(rf"\+{BUILD}", re.ASCII)
_WORD = re.compile(r"\S+", re.ASCII)
_WILDCARDS = (None, "x", "X", "*")

_HINTS = {
    "latest": "`*` stands for the latest version.",
    ",": "Join comparators by a space, not by a comma.",
    "!": "A range cannot exclude a version; join the ranges around it with `||`.",
    "==": "Write one `=`, or none.",
}


class Comparator(NamedTuple):
    """A bound on versions: one of the operators < <= > >= =, and a version."""

    operator: str
    version: Version

    def __str__(self) -> str:
        return f"{self.operator.removeprefix('=')}{self.version}"


Branch = tuple[Comparator, ...]
"""Comparators that must all hold; () allows any version."""

NOTHING = Comparator("<", Version(0, 0, 0, (0,)))
"""The comparator that no version satisfies."""


class _Partial(NamedTuple):
    """What a comparator is about: the numbers before any wildcard, and a prerelease if there are three."""

    numbers: tuple[int, ...]
    prerelease: Prerelease

    @property
    def is_full(self) -> bool:
        return len(self.numbers) == 3

    def floor(self, prerelease: Prerelease) -> Version:
        """Return the lowest release that fits, with this prerelease."""
        return Version(*_padded(self.numbers), prerelease)


def _padded(numbers: Sequence[int]) -> tuple[int, int, int]:
    major, minor, patch = (*numbers, 0, 0, 0)[:3]
    return major, minor, patch


def _ceiling(numbers: Sequence[int]) -> Version:
    """Return the lowest version above all that start with the numbers: (1, 2) gives 1.3.0-0."""
    return Version(*_padded((*numbers[:-1], numbers[-1] + 1)), (0,))


def _caret_pin(numbers: Sequence[int]) -> Sequence[int]:
    """Return the numbers that a caret pins: up to the left-most that is not zero."""
    zeros = len(list(takewhile(lambda number: number == 0, numbers)))
    return numbers[: zeros + 1]


def _parse_comparator(text: str) -> tuple[str, _Partial]:
    found = _COMPARATOR.fullmatch(text) if len(text) <= MAX_VERSION_CHARS else None
    if found is None:
        hints = (hint for mark, hint in _HINTS.items() if mark in text)
        hint = next(hints, "Write ranges as ^1.2.3, ~1.2, >=1.0.0 <2.0.0, 1.x or 1.0.0 - 2.0.0.")
        raise RangeInvalid(f"{excerpt(text)} is no part of a version range. {hint}")
    parts = found.group(2, 3, 4)
    numbers = tuple(int(part) for part in takewhile(lambda part: part not in _WILDCARDS, parts))
    if any(part not in _WILDCARDS for part in parts[len(numbers) :]):
        raise RangeInvalid(f"{excerpt(text)} has a number after a wildcard.")
    prerelease = read_prerelease(found[5]) if len(numbers) == 3 else ()
    return found[1], _Partial(numbers, prerelease)


def _comparators(operator: str, partial: _Partial, lowest: Prerelease) -> Branch:
    """Rewrite `^`, `~` and wildcards as plain comparators.

    `lowest` is the prerelease of a lower bound that a wildcard leaves open.
    """
    if not partial.numbers:
        return (NOTHING,) if operator in {"<", ">"} else ()
    if operator not in {"^", "~", "~>"}:
        return _plain_comparators(operator, partial, lowest)
    pinned = _caret_pin(partial.numbers) if operator == "^" else partial.numbers[:2]
    floor = partial.floor(partial.prerelease if partial.is_full else lowest)
    return Comparator(">=", floor), Comparator("<", _ceiling(pinned))


def _plain_comparators(operator: str, partial: _Partial, lowest: Prerelease) -> Branch:
    if partial.is_full:
        return (Comparator(operator or "=", partial.floor(partial.prerelease)),)
    if operator == "<":
        return (Comparator("<", partial.floor((0,))),)
    lower, ceiling = Comparator(">=", partial.floor(lowest)), _ceiling(partial.numbers)
    if operator == ">":
        return (Comparator(">=", Version(*ceiling.core, lowest)),)
    upper = Comparator("<", ceiling)
    return {">=": (lower,), "<=": (upper,)}.get(operator, (lower, upper))


def _hyphen_comparators(low: str, high: str, lowest: Prerelease) -> Branch:
    """Rewrite `low - high`. A high end with prereleases includes those above it up to the next release."""
    (low_operator, floor), (high_operator, top) = _parse_comparator(low), _parse_comparator(high)
    if low_operator or high_operator:
        raise RangeInvalid(f"{excerpt(f'{low} - {high}')}: the ends of a hyphen range have no operator.")
    lower = (Comparator(">=", floor.floor(floor.prerelease or lowest)),) if floor.numbers else ()
    if not top.numbers:
        return lower
    if top.prerelease or (top.is_full and not lowest):
        return *lower, Comparator("<=", top.floor(top.prerelease))
    return *lower, Comparator("<", _ceiling(top.numbers))


def _parse_branch(text: str, lowest: Prerelease) -> Branch:
    words = _WORD.findall(_GAP_AFTER_OPERATOR.sub(r"\1", _BUILD.sub("", text)))
    if len(words) == 3 and words[1] == "-":
        return _hyphen_comparators(words[0], words[2], lowest)
    return tuple(found for word in words for found in _comparators(*_parse_comparator(word), lowest))


def _simplified(branch: Branch, lowest: Prerelease) -> Branch:
    if any(max(comparator.version.core) > MAX_NUMBER for comparator in branch):
        raise RangeInvalid(
            f"A number of the range, or the bound that follows from it, is above {MAX_NUMBER}."
        )
    if NOTHING in branch:
        return (NOTHING,)
    always_true = Comparator(">=", Version(0, 0, 0, lowest))
    return tuple(dict.fromkeys(comparator for comparator in branch if comparator != always_true))


def parse_branches(text: str, *, include_prerelease: bool) -> tuple[Branch, ...]:
    """Read a range into its branches, of which one must hold; there is at least one.

    Raises:
        RangeInvalid: the text is no range, or is longer than 1024 characters.
    """
    if len(text) > MAX_RANGE_CHARS:
        raise RangeInvalid(f"A range has at most {MAX_RANGE_CHARS} characters, this has {len(text)}.")
    lowest: Prerelease = (0,) if include_prerelease else ()
    branches = [_simplified(_parse_branch(part, lowest), lowest) for part in text.split("||")]
    possible = [branch for branch in branches if branch != (NOTHING,)] or branches[:1]
    return ((),) if () in possible else tuple(possible)
