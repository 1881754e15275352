"""Hold and parse semantic versions (semver.org 2.0.0).

`parse_version` reads what node-semver's strict `parse` reads: white space around the version and a
leading "v" are allowed. `parse_published_version` takes the grammar of semver.org and nothing else.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from toolroster.errors import VersionInvalid

MAX_VERSION_CHARS = 256
"""The longest text that is read as a version: MAX_LENGTH of node-semver."""

MAX_NUMBER = 2**53 - 1
"""The largest major, minor or patch: what every JSON reader holds exactly (RFC 8259, section 6)."""

NUMBER = r"(?:0|[1-9][0-9]*)"
_IDENTIFIER = rf"(?:[0-9]*[A-Za-z-][0-9A-Za-z-]*|{NUMBER})"
PRERELEASE = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"
BUILD = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION = re.compile(rf"({NUMBER})\.({NUMBER})\.({NUMBER})(?:-({PRERELEASE}))?(?:\+({BUILD}))?", re.ASCII)
_WHITE_SPACE = " \t\n\r\f\v"

Prerelease = tuple[int | str, ...]
"""The identifiers after the hyphen, numeric ones as int; empty for a release."""


@dataclass(frozen=True)
class Version:
    """A semantic version. Versions that differ in build metadata alone are equal (semver.org, item 10).

    There is no `<`: order by `version_key`, or with `compare`.
    """

    major: int
    minor: int
    patch: int
    prerelease: Prerelease = ()
    build: tuple[str, ...] = field(default=(), compare=False)

    @property
    def core(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    def __str__(self) -> str:
        prerelease = "-" + ".".join(map(str, self.prerelease)) if self.prerelease else ""
        build = "+" + ".".join(self.build) if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{prerelease}{build}"


def excerpt(text: str) -> str:
    """Return the text quoted for an error's detail, at most some 60 characters of it."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def read_prerelease(text: str | None) -> Prerelease:
    """Split text that matches `PRERELEASE` into its identifiers; None and "" give none."""
    return tuple(int(part) if part.isdigit() else part for part in text.split(".")) if text else ()


def _parse(text: str) -> Version:
    found = _VERSION.fullmatch(text)
    if found is None:
        raise VersionInvalid(
            f"{excerpt(text)} is no semantic version; write three numbers, as in 1.4.0 or 2.0.0-rc.1."
        )
    major, minor, patch = (int(number) for number in found.group(1, 2, 3))
    if max(major, minor, patch) > MAX_NUMBER:
        raise VersionInvalid(f"{excerpt(text)} has a number above {MAX_NUMBER}.")
    build = found[5].split(".") if found[5] else ()
    return Version(major, minor, patch, read_prerelease(found[4]), tuple(build))


def _check_length(text: str) -> None:
    if len(text) > MAX_VERSION_CHARS:
        raise VersionInvalid(f"A version has at most {MAX_VERSION_CHARS} characters, this has {len(text)}.")


@lru_cache(maxsize=4096)
def parse_version(text: str) -> Version:
    """Parse a version as node-semver does, with white space around it and one leading "v" allowed.

    Raises:
        VersionInvalid: it is no version, is too long, or has a core number above 2**53 - 1.
    """
    _check_length(text)
    return _parse(text.strip(_WHITE_SPACE).removeprefix("v"))


def parse_published_version(text: str) -> Version:
    """Parse a version that a publisher gives: the grammar of semver.org alone.

    Numbers in the prerelease are capped too: above 2**53 - 1, node-semver and others order them differently.

    Raises:
        VersionInvalid: it is no version, is too long, or has a number above 2**53 - 1.
    """
    _check_length(text)
    version = _parse(text)
    if any(isinstance(part, int) and part > MAX_NUMBER for part in version.prerelease):
        raise VersionInvalid(f"{excerpt(text)} has a number above {MAX_NUMBER}.")
    return version


def valid_version(text: str) -> str | None:
    """Return the version in its plain form, without "v" and build metadata; None if it is no version."""
    try:
        version = parse_version(text)
    except VersionInvalid:
        return None
    return str(Version(*version.core, version.prerelease))
