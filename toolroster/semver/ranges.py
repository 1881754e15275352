"""Match versions against npm ranges, in memory or as intervals for SQL."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from toolroster.errors import RangeInvalid, VersionInvalid
from toolroster.semver.grammar import Branch, parse_branches
from toolroster.semver.key import (
    END_KEY,
    LOWEST_KEY,
    core_key_in,
    core_key_of,
    key_of,
    successor_key,
    version_key,
)

_LONGEST_CACHED = 128
"""Longer ranges are not cached: the hundreds of branches of each would fill the memory."""


@dataclass(frozen=True, slots=True)
class KeyInterval:
    """The versions with `lower <= key < upper`, and of their prereleases only some.

    Prereleases match if `all_prereleases`, or if their core key is in `prerelease_of`. In SQL:

        key >= lower AND key < upper
        AND (all_prereleases OR NOT is_prerelease OR core_key = ANY(prerelease_of))

    Neither bound is ever missing: LOWEST_KEY is below and END_KEY above every other key.
    """

    lower: str
    upper: str
    prerelease_of: tuple[str, ...]
    all_prereleases: bool

    def contains(self, key: str) -> bool:
        if not self.lower <= key < self.upper:
            return False
        return key.endswith("~") or self.all_prereleases or core_key_in(key) in self.prerelease_of


def _interval(branch: Branch, *, include_prerelease: bool) -> KeyInterval:
    lower, upper = LOWEST_KEY, END_KEY
    for operator, version in branch:
        if operator in {">", ">=", "="}:
            lower = max(lower, successor_key(version) if operator == ">" else key_of(version))
        if operator in {"<", "<=", "="}:
            upper = min(upper, key_of(version) if operator == "<" else successor_key(version))
    prerelease_of = () if include_prerelease else _prerelease_cores(branch)
    return KeyInterval(lower, upper, prerelease_of, include_prerelease)


def _prerelease_cores(branch: Branch) -> tuple[str, ...]:
    """Return the cores that the branch names with a prerelease.

    Except by `<2.0.0-0`, the upper end of ^1.2.3: 2.0.0 has no prerelease below that.
    """
    named = (version for operator, version in branch if (operator, version.prerelease) != ("<", (0,)))
    return tuple(dict.fromkeys(core_key_of(version) for version in named if version.prerelease))


@dataclass(frozen=True)
class Range:
    """A parsed range: it holds the versions that satisfy every comparator of one of its branches."""

    branches: tuple[Branch, ...]
    include_prerelease: bool

    @cached_property
    def _intervals(self) -> tuple[KeyInterval, ...]:
        return tuple(
            _interval(branch, include_prerelease=self.include_prerelease) for branch in self.branches
        )

    def bounds(self) -> tuple[KeyInterval, ...]:
        """Return one interval a branch; a version satisfies the range if any of them contains its key."""
        return self._intervals

    def matches(self, key: str) -> bool:
        """Tell whether the range holds the version with this key, of `version_key`."""
        for interval in self._intervals:  # noqa: SIM110 - any() and its generator double the time of a match
            if interval.contains(key):
                return True
        return False

    def __str__(self) -> str:
        return "||".join(" ".join(map(str, branch)) for branch in self.branches) or "*"


def _parse(text: str, *, include_prerelease: bool) -> Range:
    return Range(parse_branches(text, include_prerelease=include_prerelease), include_prerelease)


_parse_cached = lru_cache(maxsize=1024)(_parse)


def parse_range(text: str, *, include_prerelease: bool = False) -> Range:
    """Parse an npm range; short ones come from a cache.

    With `include_prerelease` every prerelease between the bounds matches, else only those of a version
    that the range names with a prerelease: ^1.2.3-rc.1 holds 1.2.3-rc.2 and 1.9.0, not 1.9.0-rc.1.

    Raises:
        RangeInvalid: the text is no range, or is longer than 1024 characters.
    """
    parse = _parse if len(text) > _LONGEST_CACHED else _parse_cached
    return parse(text, include_prerelease=include_prerelease)


def valid_range(range_: str, *, include_prerelease: bool = False) -> str | None:
    """Return the range in its canonical form, `*` if it holds any version; None if it is no range."""
    try:
        return str(parse_range(range_, include_prerelease=include_prerelease))
    except RangeInvalid:
        return None


def satisfies(version: str, range_: str, *, include_prerelease: bool = False) -> bool:
    """Tell whether the version is in the range; False, as in node-semver, if either is invalid."""
    try:
        return parse_range(range_, include_prerelease=include_prerelease).matches(version_key(version))
    except (RangeInvalid, VersionInvalid):
        return False


def _satisfying(versions: Iterable[str], range_: str, *, include_prerelease: bool) -> list[str]:
    return [text for text in versions if satisfies(text, range_, include_prerelease=include_prerelease)]


def max_satisfying(versions: Iterable[str], range_: str, *, include_prerelease: bool = False) -> str | None:
    """Return the highest version in the range, as it was given; None if none is, or the range is invalid.

    Invalid versions are passed over. Of versions that differ in build alone the first is taken.
    """
    found = _satisfying(versions, range_, include_prerelease=include_prerelease)
    return max(found, key=version_key, default=None)


def min_satisfying(versions: Iterable[str], range_: str, *, include_prerelease: bool = False) -> str | None:
    """Return the lowest version in the range, on the terms of `max_satisfying`."""
    found = _satisfying(versions, range_, include_prerelease=include_prerelease)
    return min(found, key=version_key, default=None)
