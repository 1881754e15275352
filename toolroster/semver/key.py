"""Write a version as text whose byte order is the precedence of semver.org (item 11).

The key serves a PostgreSQL column with COLLATE "C" and every comparison in memory alike:

    1.10.0         011.0210.010~
    1.10.0-rc.2    011.0210.010-@rc,#012

* A number is its count of digits, two hexadecimal digits, and then its digits: longer means greater.
* "~" ends a release and "-" starts a prerelease, so that a release follows its prereleases.
* "#" marks a numeric identifier and "@" any other, so that numbers come first.
* "," parts identifiers. It is below every character of an identifier, so that fewer identifiers come first.

Build metadata is left out. The alphabet is printable ASCII: 0-9 A-Z a-z . , - # @ ~
"""

from functools import lru_cache
from typing import Literal

from toolroster.semver.version import Prerelease, Version, parse_version

MAX_KEY_CHARS = 637
"""Length of the longest key: of 0.0.0-0.0.0.(...).00, 256 characters that alternate digit and dot."""

LOWEST_KEY = "010.010.010-#010"
"""The key of 0.0.0-0, the lowest version there is."""

END_KEY = "~"
"""Text that sorts after every key."""


def _number(number: int) -> str:
    digits = str(number)
    return f"{len(digits):02x}{digits}"


def core_key_of(version: Version) -> str:
    """Return the part of the key that says major, minor and patch."""
    return f"{_number(version.major)}.{_number(version.minor)}.{_number(version.patch)}"


def key_of(version: Version) -> str:
    """Return the key of a parsed version."""
    if not version.prerelease:
        return core_key_of(version) + "~"
    marked = (f"#{_number(part)}" if isinstance(part, int) else f"@{part}" for part in version.prerelease)
    return f"{core_key_of(version)}-{','.join(marked)}"


def successor_key(version: Version) -> str:
    """Return the key of the lowest version above this one: 1.2.4-0 for 1.2.3, 1.2.3-rc.0 for 1.2.3-rc.

    So "up to and with 1.2.3" is "below 1.2.4-0", and every bound of a range has one form.
    """
    major, minor, patch = version.core
    if version.prerelease:
        return key_of(Version(major, minor, patch, (*version.prerelease, 0)))
    return key_of(Version(major, minor, patch + 1, (0,)))


def lowest_prerelease_key(core_key: str) -> str:
    """Return the key of the lowest prerelease of a core, as of 1.2.3-0."""
    return f"{core_key}-#010"


def core_key_in(key: str) -> str:
    """Return the core part of a key; "" for END_KEY."""
    return key.partition("-")[0].removesuffix("~")


def _identifier_in(marked: str) -> int | str:
    return int(marked[3:]) if marked.startswith("#") else marked[1:]


def version_of(key: str) -> Version:
    """Return the version that has this key."""
    core, _, tail = key.removesuffix("~").partition("-")
    major, minor, patch = (int(number[2:]) for number in core.split("."))
    prerelease: Prerelease = tuple(map(_identifier_in, tail.split(","))) if tail else ()
    return Version(major, minor, patch, prerelease)


@lru_cache(maxsize=4096)
def version_key(version: str) -> str:
    """Return the sortable key of a version; versions that differ in build alone have the same key.

    Raises:
        VersionInvalid: the text is no version.
    """
    return key_of(parse_version(version))


def version_core_key(version: str) -> str:
    """Return the key of major.minor.patch: what a version shares with its prereleases.

    Raises:
        VersionInvalid: the text is no version.
    """
    return core_key_in(version_key(version))


def compare(a: str, b: str) -> Literal[-1, 0, 1]:
    """Return -1, 0 or 1 as `a` is below, level with or above `b` in precedence.

    Raises:
        VersionInvalid: one of them is no version.
    """
    key_a, key_b = version_key(a), version_key(b)
    if key_a == key_b:
        return 0
    return -1 if key_a < key_b else 1
