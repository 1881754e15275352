"""Ranges: one match and one parse."""

from collections.abc import Callable

from bench import documents
from bench.measure import Variant
from toolroster import semver

UNIT = "match or parse"

_LOOPS = 20
# The most that a range may be long, in the shapes that cost most: as many branches, and as many comparators
# in one branch, as there is room for.
MANY_BRANCHES = "||".join(["1"] * 341)
MANY_COMPARATORS = " ".join([">1"] * 341)


def variants() -> list[Variant]:
    """Return matches of ranges that are parsed already, and parses of what a hostile client may send."""
    versions = documents.VERSIONS
    keys = [semver.version_key(version) for version in versions]
    caret = semver.parse_range("^2.0.0")
    hostile = {"341 branches": MANY_BRANCHES, "341 comparators": MANY_COMPARATORS}
    return [
        _of("Range.matches", lambda: [caret.matches(key) for key in keys]),
        _of("satisfies", lambda: [semver.satisfies(version, "^2.0.0") for version in versions]),
        *(_hostile(name, text) for name, text in hostile.items()),
    ]


def _of(name: str, act: Callable[[], object]) -> Variant:
    def loop() -> None:
        for _ in range(_LOOPS):
            act()

    return Variant(name, loop, units=_LOOPS * len(documents.VERSIONS))


def _hostile(name: str, text: str) -> Variant:
    return Variant(f"parse {len(text)} characters, {name}", lambda: semver.satisfies("1.2.3", text))
