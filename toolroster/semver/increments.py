"""Name the step between two versions, and take it: diff and increment (node-semver's `inc`)."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from toolroster.errors import VersionInvalid
from toolroster.semver.key import key_of
from toolroster.semver.version import (
    MAX_VERSION_CHARS,
    PRERELEASE,
    Prerelease,
    Version,
    excerpt,
    parse_version,
    read_prerelease,
)

Difference = Literal["major", "premajor", "minor", "preminor", "patch", "prepatch", "prerelease"]
_PRERELEASE = re.compile(PRERELEASE, re.ASCII)


def diff(a: str, b: str) -> Difference | None:
    """Return the largest part in which two versions differ: "major", "preminor", ...; None if they are level.

    "pre" is put before it if the higher one is a prerelease.

    Raises:
        VersionInvalid: one of them is no version.
    """
    low, high = sorted((parse_version(a), parse_version(b)), key=key_of)
    if key_of(low) == key_of(high):
        return None
    if low.prerelease and not high.prerelease and (low.core == high.core or low.core[1:] == (0, 0)):
        return _planned_part(low)
    if low.core == high.core:
        return "prerelease"
    return _first_difference(low, high)


def _first_difference(low: Version, high: Version) -> Difference:
    if low.major != high.major:
        return "premajor" if high.prerelease else "major"
    if low.minor != high.minor:
        return "preminor" if high.prerelease else "minor"
    return "prepatch" if high.prerelease else "patch"


def _planned_part(version: Version) -> Difference:
    """Return which part the prerelease prepares: 1.0.0-rc a major, 1.2.0-rc a minor."""
    if version.patch:
        return "patch"
    return "minor" if version.minor else "major"


def _major(version: Version) -> Version:
    is_planned = version.prerelease and version.core[1:] == (0, 0)
    return Version(version.major + (0 if is_planned else 1), 0, 0)


def _minor(version: Version) -> Version:
    is_planned = version.prerelease and version.patch == 0
    return Version(version.major, version.minor + (0 if is_planned else 1), 0)


def _patch(version: Version) -> Version:
    return Version(version.major, version.minor, version.patch + (0 if version.prerelease else 1))


def _release(version: Version) -> Version:
    if not version.prerelease:
        raise VersionInvalid(f"{version} is not a prerelease.")
    return Version(*version.core)


_RELEASES: dict[str, Callable[[Version], Version]] = {
    "major": _major,
    "minor": _minor,
    "patch": _patch,
    "release": _release,
}

# The version whose first prerelease is meant: 2.0.0 for "premajor" of 1.2.3 and of 1.2.3-rc.1 alike.
_PRERELEASES: dict[str, Callable[[Version], Version]] = {
    "premajor": lambda version: Version(version.major + 1, 0, 0),
    "preminor": lambda version: Version(version.major, version.minor + 1, 0),
    "prepatch": lambda version: Version(version.major, version.minor, version.patch + 1),
    "prerelease": lambda version: version if version.prerelease else _patch(version),
}


def increment(
    version: str, step: str, *, identifier: str | None = None, identifier_base: int | None = 0
) -> str:
    """Return the next version: `step` is major, minor, patch, release, or pre(major|minor|patch|release).

    `identifier` names the prerelease ("rc" gives 1.2.4-rc.0); `identifier_base` is its first number, 0 or
    1, and None leaves the number out. Build metadata is dropped.

    Raises:
        VersionInvalid: the version, the step or the identifier is invalid, or there is no such next version.
    """
    parsed = replace(parse_version(version), build=())
    if step in _RELEASES:
        return _checked(_RELEASES[step](parsed))
    if step not in _PRERELEASES:
        raise VersionInvalid(
            f"{excerpt(step)} is no step; there are {', '.join((*_RELEASES, *_PRERELEASES))}."
        )
    base = _PRERELEASES[step](parsed)
    prerelease = _next_prerelease(base.prerelease, _read_identifier(identifier), identifier_base)
    return _checked(replace(base, prerelease=prerelease))


def _checked(version: Version) -> str:
    return str(parse_version(str(version)))


def _read_identifier(identifier: str | None) -> Prerelease:
    if identifier and (len(identifier) > MAX_VERSION_CHARS or not _PRERELEASE.fullmatch(identifier)):
        raise VersionInvalid(f"{excerpt(identifier)} is no prerelease identifier.")
    return read_prerelease(identifier)


def _counted_up(current: Prerelease, base: int) -> Prerelease:
    """Add one to the last number; append `base` if there is none."""
    for index, part in reversed(list(enumerate(current))):
        if isinstance(part, int):
            return (*current[:index], part + 1, *current[index + 1 :])
    return (*current, base)


def _next_prerelease(current: Prerelease, name: Prerelease, base: int | None) -> Prerelease:
    if base is None and (not name or name == current):
        raise VersionInvalid("Without a number, a prerelease needs an identifier, and another than it has.")
    counted = _counted_up(current, base or 0)
    if not name or (counted[: len(name)] == name and _starts_with_number(counted[len(name) :])):
        return counted
    return name if base is None else (*name, base)


def _starts_with_number(identifiers: Prerelease) -> bool:
    return bool(identifiers) and isinstance(identifiers[0], int)
