"""Compare whole ranges: intersects, subset, min_version, gtr, ltr.

The names are node-semver's. Its `subset`, `intersects` and `minVersion` look at comparators pair by pair and
miss cases such as `>=1.0.0 <3.0.0` within `1.x || 2.x`. Here a range is two lists of half-open spans of
keys, one for its releases and one for its prereleases, and the answers are exact: `subset` says that every
possible version in the one range is in the other, so an empty range is a subset of all.
"""

from collections.abc import Iterable
from typing import NamedTuple

from toolroster.semver.key import (
    END_KEY,
    LOWEST_KEY,
    core_key_in,
    lowest_prerelease_key,
    version_key,
    version_of,
)
from toolroster.semver.ranges import KeyInterval, parse_range

_Span = tuple[str, str]


class _Spans(NamedTuple):
    """The versions of a range: sorted spans of keys that neither touch nor are empty."""

    releases: list[_Span]
    prereleases: list[_Span]


def _release_cut(key: str) -> str:
    """Return the key of the first release at or above a key; END_KEY stays what it is."""
    return core_key_in(key) + "~"


def _prerelease_spans(interval: KeyInterval) -> list[_Span]:
    """Return the spans of the prereleases; with all of them, the interval itself, releases included."""
    if interval.all_prereleases:
        return [(interval.lower, interval.upper)]
    return [
        (max(interval.lower, lowest_prerelease_key(core_key)), min(interval.upper, f"{core_key}~"))
        for core_key in interval.prerelease_of
    ]


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for lower, upper in sorted(span for span in spans if span[0] < span[1]):
        if merged and lower <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], upper)
        else:
            merged.append((lower, upper))
    return merged


def _spans(range_: str, *, include_prerelease: bool) -> _Spans:
    bounds = parse_range(range_, include_prerelease=include_prerelease).bounds()
    releases = _merged((_release_cut(interval.lower), _release_cut(interval.upper)) for interval in bounds)
    return _Spans(releases, _merged(span for interval in bounds for span in _prerelease_spans(interval)))


def _overlap(some: list[_Span], others: list[_Span]) -> bool:
    return any(max(a[0], b[0]) < min(a[1], b[1]) for a in some for b in others)


def _cover(spans: list[_Span], outer: list[_Span]) -> bool:
    return all(any(b[0] <= a[0] and a[1] <= b[1] for b in outer) for a in spans)


def intersects(range_a: str, range_b: str, *, include_prerelease: bool = False) -> bool:
    """Tell whether some version is in both ranges.

    Raises:
        RangeInvalid: one of them is no range.
    """
    a = _spans(range_a, include_prerelease=include_prerelease)
    b = _spans(range_b, include_prerelease=include_prerelease)
    return _overlap(a.releases, b.releases) or _overlap(a.prereleases, b.prereleases)


def subset(range_: str, outer: str, *, include_prerelease: bool = False) -> bool:
    """Tell whether every version in the range is in the outer one too.

    Raises:
        RangeInvalid: one of them is no range.
    """
    a = _spans(range_, include_prerelease=include_prerelease)
    b = _spans(outer, include_prerelease=include_prerelease)
    return _cover(a.releases, b.releases) and _cover(a.prereleases, b.prereleases)


def min_version(range_: str, *, include_prerelease: bool = False) -> str | None:
    """Return the lowest version that the range can hold, published or not; None if it holds none.

    Raises:
        RangeInvalid: it is no range.
    """
    spans = _spans(range_, include_prerelease=include_prerelease)
    lowest = min((lower for lower, _ in spans.releases + spans.prereleases), default=None)
    return None if lowest is None else str(version_of(lowest))


def gtr(version: str, range_: str, *, include_prerelease: bool = False) -> bool:
    """Tell whether the version is above the range: not in it, and not below any of its branches.

    As in node-semver, a prerelease that lies between the bounds of a branch, but is not in the range, is
    both `gtr` and `ltr`.

    Raises:
        VersionInvalid, RangeInvalid: one of them is invalid.
    """
    key, parsed = version_key(version), parse_range(range_, include_prerelease=include_prerelease)
    is_above = all(interval.upper != END_KEY and key >= interval.lower for interval in parsed.bounds())
    return is_above and not parsed.matches(key)


def ltr(version: str, range_: str, *, include_prerelease: bool = False) -> bool:
    """Tell whether the version is below the range, on the terms of `gtr`.

    Raises:
        VersionInvalid, RangeInvalid: one of them is invalid.
    """
    key, parsed = version_key(version), parse_range(range_, include_prerelease=include_prerelease)
    is_below = all(interval.lower != LOWEST_KEY and key < interval.upper for interval in parsed.bounds())
    return is_below and not parsed.matches(key)
