import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.semver.cases import shared_cases, unhurried, versions
from toolroster.errors import VersionInvalid
from toolroster.semver import compare, diff, increment

_STEPS = ["major", "minor", "patch", "premajor", "preminor", "prepatch", "prerelease"]


@pytest.mark.parametrize(
    ("version", "step", "expected"),
    [
        ("1.2.3", "major", "2.0.0"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3+build", "patch", "1.2.4"),
        ("2.0.0-rc.1", "major", "2.0.0"),
        ("2.1.0-rc.1", "major", "3.0.0"),
        ("1.5.0-beta.2", "minor", "1.5.0"),
        ("1.5.1-beta.2", "minor", "1.6.0"),
        ("1.2.3-4", "patch", "1.2.3"),
        ("1.2.3-4", "release", "1.2.3"),
        ("1.2.3-1", "premajor", "2.0.0-0"),
        ("1.2.3-1", "preminor", "1.3.0-0"),
        ("1.2.3-1", "prepatch", "1.2.4-0"),
        ("1.2.3", "prerelease", "1.2.4-0"),
        ("1.2.3-rc.9", "prerelease", "1.2.3-rc.10"),
        ("1.2.3-rc.9.b", "prerelease", "1.2.3-rc.10.b"),
        ("1.2.3-rc", "prerelease", "1.2.3-rc.0"),
    ],
)
def test_a_step_gives_the_next_version(version: str, step: str, expected: str) -> None:
    assert increment(version, step) == expected


@pytest.mark.parametrize(
    ("version", "identifier", "base", "expected"),
    [
        ("1.2.3", "rc", 0, "1.2.4-rc.0"),
        ("1.2.3", "rc", 1, "1.2.4-rc.1"),
        ("1.2.3", "rc", None, "1.2.4-rc"),
        ("1.2.4-rc.1", "rc", 0, "1.2.4-rc.2"),
        ("1.2.4-beta.5", "rc", 0, "1.2.4-rc.0"),
        ("1.2.4-rc.x", "rc", 0, "1.2.4-rc.0"),
        ("1.2.4-0", "1", 0, "1.2.4-1.0"),
        ("1.2.4-rc", "rc.next", None, "1.2.4-rc.next"),
    ],
)
def test_a_prerelease_takes_an_identifier(
    version: str, identifier: str, base: int | None, expected: str
) -> None:
    assert increment(version, "prerelease", identifier=identifier, identifier_base=base) == expected


@pytest.mark.parametrize(
    ("version", "step", "identifier", "base", "message"),
    [
        ("1.2.3", "release", None, 0, "1.2.3 is not a prerelease"),
        ("1.2.3", "bigger", None, 0, "'bigger' is no step; there are major, minor"),
        ("1.2", "major", None, 0, "write three numbers"),
        ("1.2.3", "prerelease", "a/b", 0, "'a/b' is no prerelease identifier"),
        ("1.2.3", "prerelease", "9" * 5000, 0, "is no prerelease identifier"),
        ("1.2.3", "prerelease", None, None, "needs an identifier"),
        ("1.2.3-rc", "prerelease", "rc", None, "another than it has"),
        ("9007199254740991.0.0", "major", None, 0, "a number above"),
    ],
)
def test_an_impossible_step_is_an_error(
    version: str, step: str, identifier: str | None, base: int | None, message: str
) -> None:
    with pytest.raises(VersionInvalid, match=message):
        increment(version, step, identifier=identifier, identifier_base=base)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("1.2.3", "1.2.3+build", None),
        ("1.2.3", "2.0.0", "major"),
        ("2.0.0", "1.2.3", "major"),
        ("1.2.3", "1.3.0", "minor"),
        ("1.2.3", "1.2.4", "patch"),
        ("1.2.3", "2.0.0-rc", "premajor"),
        ("1.2.3", "1.3.0-rc", "preminor"),
        ("1.2.3", "1.2.4-rc", "prepatch"),
        ("1.2.3-rc.1", "1.2.3-rc.2", "prerelease"),
        ("1.0.0-rc", "1.0.0", "major"),
        ("1.1.0-rc", "1.1.0", "minor"),
        ("1.1.1-rc", "1.1.1", "patch"),
        ("1.0.0-rc", "1.1.1", "major"),
        ("1.7.2-rc", "1.8.1", "minor"),
    ],
)
def test_the_difference_is_the_largest_part_that_differs(a: str, b: str, expected: str | None) -> None:
    assert diff(a, b) == diff(b, a) == expected


@unhurried
@given(versions, st.sampled_from(_STEPS))
def test_every_step_goes_up(version: str, step: str) -> None:
    assert compare(increment(version, step), version) == 1


def test_node_semvers_increments_are_ours() -> None:
    for version, step, expected, _, identifier, base in shared_cases("increments"):
        assert _increment_or_none(version, step, identifier, base) == expected, (
            version,
            step,
            identifier,
            base,
        )


def _increment_or_none(version: str, step: str, identifier: str | None, base: object) -> str | None:
    """Call `increment` with node-semver's arguments: its base is a digit, null for 0 or false for none."""
    number = None if base is False else int(str(base or 0))
    try:
        return increment(version, step, identifier=identifier, identifier_base=number)
    except VersionInvalid:
        return None


def test_node_semvers_differences_are_ours() -> None:
    for (a, b), expected, throws in shared_cases("calls-diff"):
        if throws:
            with pytest.raises(VersionInvalid):
                diff(a, b)
        else:
            assert diff(a, b) == expected, (a, b)
