"""Semantic versions and npm ranges, in node-semver's words.

`version` parses versions, `key` writes them as sortable text, `grammar` reads ranges, `ranges` matches them,
`relations` compares ranges with each other and `increments` steps from version to version.
"""

from toolroster.semver.grammar import MAX_RANGE_CHARS, Comparator
from toolroster.semver.increments import Difference, diff, increment
from toolroster.semver.key import (
    END_KEY,
    LOWEST_KEY,
    MAX_KEY_CHARS,
    compare,
    version_core_key,
    version_key,
    version_of,
)
from toolroster.semver.ranges import (
    KeyInterval,
    Range,
    max_satisfying,
    min_satisfying,
    parse_range,
    satisfies,
    valid_range,
)
from toolroster.semver.relations import gtr, intersects, ltr, min_version, subset
from toolroster.semver.version import (
    MAX_NUMBER,
    MAX_VERSION_CHARS,
    Version,
    parse_published_version,
    parse_version,
    valid_version,
)

__all__ = [
    "END_KEY",
    "LOWEST_KEY",
    "MAX_KEY_CHARS",
    "MAX_NUMBER",
    "MAX_RANGE_CHARS",
    "MAX_VERSION_CHARS",
    "Comparator",
    "Difference",
    "KeyInterval",
    "Range",
    "Version",
    "compare",
    "diff",
    "gtr",
    "increment",
    "intersects",
    "ltr",
    "max_satisfying",
    "min_satisfying",
    "min_version",
    "parse_published_version",
    "parse_range",
    "parse_version",
    "satisfies",
    "subset",
    "valid_range",
    "valid_version",
    "version_core_key",
    "version_key",
    "version_of",
]
