"""The lowest version that may carry changes (seeds/004: breaking → major, warning → minor, else patch)."""

from collections.abc import Collection

from toolroster import semver
from toolroster.compat.report import Classification

_STEPS = {"breaking": "major", "warning": "minor", "info": "patch"}
_SHIFTED = {"breaking": "minor", "warning": "patch", "info": "patch"}


def suggested_version(
    old: str, classification: Classification, *, published: Collection[str] = (), shifts: bool = False
) -> str:
    """Return it; the old version itself where nothing changed.

    A version that is published is never suggested: a break made from 1.4.7 while 2.1.0 exists needs 3.0.0, a
    fix on that line 1.4.8. With `shifts`, 0.x steps one place to the right.
    """
    if classification == "none":
        return old
    is_shifted = shifts and semver.parse_version(old).major == 0
    step = (_SHIFTED if is_shifted else _STEPS)[classification]
    stable = [one for one in published if not semver.parse_version(one).prerelease]
    line = [one for one in (*stable, old) if _is_of_line(one, old, step)]
    found = semver.increment(max(line, key=semver.version_key), step)
    while any(semver.compare(found, one) == 0 for one in published):
        found = semver.increment(found, step)
    return found


def _is_of_line(version: str, old: str, step: str) -> bool:
    mine, base = semver.parse_version(version), semver.parse_version(old)
    kept = {"major": 0, "minor": 1, "patch": 2}[step]
    return mine.core[:kept] == base.core[:kept]


def carries(new: str, old: str, classification: Classification, *, shifts: bool = False) -> bool:
    """Tell whether a version number is high enough for what changed since an old one.

    A prerelease counts as the release that it prepares: 2.0.0-rc.1 may break what 1.x promised.
    """
    lowest = suggested_version(old, classification, shifts=shifts)
    core = ".".join(map(str, semver.parse_version(new).core))
    return semver.compare(core, lowest) >= 0 or semver.compare(new, lowest) >= 0
