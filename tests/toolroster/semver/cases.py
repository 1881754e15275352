"""Serve the cases of the oracle files, and generate versions and ranges."""

import json
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.shared_data import shared_data

_OWN_DATA = Path(__file__).parent / "data"


def own_cases(name: str) -> list[Any]:
    """Return the cases of our file of answers by npm's semver 7.8.6."""
    cases: list[Any] = json.loads((_OWN_DATA / f"{name}.json").read_text())["cases"]
    return cases


def shared_cases(name: str) -> list[Any]:
    """Return the cases of a file of node-semver's, without the loose ones: a strict registry takes none."""
    cases: list[Any] = json.loads(shared_data(f"semver/{name}.json").read_text())["cases"]
    return [case for case in cases if not _is_loose(case)]


def _is_loose(case: Any) -> bool:
    if isinstance(case, list):
        return any(map(_is_loose, case))
    return isinstance(case, dict) and bool(case.get("loose"))


def mode(options: Any) -> dict[str, bool]:
    """Return node-semver's options as keyword arguments of ours."""
    return {"include_prerelease": bool(options and options.get("includePrerelease"))}


unhurried = settings(deadline=None)
"""For properties: a busy machine may stop for longer than Hypothesis allows an example."""

# Few numbers and identifiers, so that versions meet the bounds of ranges.
_numbers = st.sampled_from(["0", "1", "2", "10"])
_prereleases = st.sampled_from(["", "-0", "-1", "-a", "-a-", "-a.0", "-a.b", "-rc.2", "-rc.10", "-1a", "--"])
_builds = st.sampled_from(["", "", "+b", "+20.a"])
versions = st.builds("{}.{}.{}{}{}".format, _numbers, _numbers, _numbers, _prereleases, _builds)

_partials = st.one_of(
    versions,
    _numbers,
    st.builds("{}.{}".format, _numbers, _numbers),
    st.builds("{}.{}.x".format, _numbers, _numbers),
    st.just("*"),
)
_operators = st.sampled_from(["", "^", "~", ">", ">=", "<", "<=", "="])
_comparators = st.builds("{}{}".format, _operators, _partials)
_branches = st.one_of(
    st.lists(_comparators, min_size=1, max_size=3).map(" ".join),
    st.builds("{} - {}".format, _partials, _partials),
)
ranges = st.lists(_branches, min_size=1, max_size=3).map(" || ".join)
