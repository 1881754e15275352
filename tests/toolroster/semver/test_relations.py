from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.semver.cases import mode, ranges, shared_cases, unhurried, versions
from toolroster.errors import RangeInvalid, VersionInvalid
from toolroster.semver import (
    Version,
    compare,
    gtr,
    intersects,
    ltr,
    min_version,
    parse_range,
    satisfies,
    subset,
    version_of,
)
from toolroster.semver.key import successor_key


def _witnesses(*texts: str) -> set[str]:
    """Return versions among which two ranges show any difference or overlap: those at and beside a bound."""
    bounds = {Version(0, 0, 0)}
    for text in texts:
        bounds |= {bound for branch in parse_range(text).branches for _, bound in branch}
    bounds |= {version_of(successor_key(bound)) for bound in bounds}
    cores = {bound.core for bound in bounds}
    return (
        {str(bound) for bound in bounds}
        | {str(Version(*core)) for core in cores}
        | {str(Version(*core, (0,))) for core in cores}
    )


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("^1.2.0", "1.5.x", True),
        ("^1", "^2", False),
        ("<1.0.0", ">=1.0.0", False),
        ("<=1.0.0", ">=1.0.0", True),
        (">1.0.0 <1.0.1", "*", False),
        ("^1.0.0-rc.1", "1.0.0-rc.2", True),
        ("1.0.0-rc.2", "1.0.0", False),
        ("1 || 3", "2 || 3", True),
    ],
)
def test_ranges_intersect_if_a_version_is_in_both(a: str, b: str, *, expected: bool) -> None:
    assert intersects(a, b) is intersects(b, a) is expected


@pytest.mark.parametrize(
    ("text", "outer", "expected"),
    [
        ("^1.2.3", "^1", True),
        ("^1", "^1.2.3", False),
        (">=1.0.0 <3.0.0", "1.x || 2.x", True),
        ("1.x || 2.x", ">=1.0.0 <3.0.0", True),
        ("1 || 3", "1 - 3", True),
        ("1 - 3", "1 || 3", False),
        ("^1.2.3-rc.1", "1.x", False),
        ("^1.2.3-rc.2", "^1.2.3-rc.1", True),
        (">2 <1", "3", True),
        ("*", "*", True),
    ],
)
def test_a_subset_has_all_its_versions_in_the_outer_range(text: str, outer: str, *, expected: bool) -> None:
    assert subset(text, outer) is expected


def test_with_prereleases_a_subset_has_them_in_the_outer_range_too() -> None:
    assert subset("^1.2.3-rc.1", "1.x", include_prerelease=True)
    assert not subset("*", ">=0.0.0", include_prerelease=True)
    assert intersects("<2.0.0", ">=2.0.0-rc.1", include_prerelease=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*", "0.0.0"),
        ("^1.2", "1.2.0"),
        (">1.0.0", "1.0.1"),
        (">1.0.0-rc", "1.0.0-rc.0"),
        ("^2 || ^1.0.0-rc.1", "1.0.0-rc.1"),
        (">4 <3", None),
    ],
)
def test_the_lowest_possible_version_of_a_range(text: str, expected: str | None) -> None:
    assert min_version(text) == expected


def test_with_prereleases_the_lowest_possible_version_is_one() -> None:
    assert min_version("*", include_prerelease=True) == "0.0.0-0"


@pytest.mark.parametrize(
    ("version", "text", "is_above", "is_below"),
    [
        ("2.0.0", "^1", True, False),
        ("0.9.0", "^1", False, True),
        ("1.5.0", "^1", False, False),
        ("2.0.0", "1 || 3", False, False),
        ("9.0.0", ">1", False, False),
        ("1.0.0", "<2 || 3", False, False),
        ("1.0.0-rc.1", "^1.0.0", False, True),
        ("2.0.0-rc.1", "^1.0.0", True, False),
        ("1.5.0-rc.1", "^1.0.0", True, True),
        ("9.0.0", "*", False, False),
        ("1.3.0-rc.1", ">1.2.3", False, True),
        ("1.3.0-rc.1", "<2.0.0", True, False),
    ],
)
def test_a_version_lies_above_or_below_a_range(
    version: str, text: str, *, is_above: bool, is_below: bool
) -> None:
    assert (gtr(version, text), ltr(version, text)) == (is_above, is_below)


@unhurried
@given(a=ranges, b=ranges, include=st.booleans())
def test_relations_of_ranges_are_those_of_their_versions(a: str, b: str, *, include: bool) -> None:
    witnesses = _witnesses(a, b)
    in_a = {text for text in witnesses if satisfies(text, a, include_prerelease=include)}
    in_b = {text for text in witnesses if satisfies(text, b, include_prerelease=include)}

    assert subset(a, b, include_prerelease=include) is (in_a <= in_b)
    assert intersects(a, b, include_prerelease=include) is bool(in_a & in_b)


@unhurried
@given(version=versions, text=ranges, include=st.booleans())
def test_no_version_in_a_range_is_below_its_lowest(version: str, text: str, *, include: bool) -> None:
    lowest = min_version(text, include_prerelease=include)

    if lowest is not None:
        assert satisfies(lowest, text, include_prerelease=include)
    if satisfies(version, text, include_prerelease=include):
        assert compare(str(lowest), version) <= 0


@pytest.mark.parametrize("relation", [intersects, subset])
def test_a_relation_with_no_range_is_an_error(relation: Callable[..., bool]) -> None:
    with pytest.raises(RangeInvalid):
        relation("1.x", "latest")


@pytest.mark.parametrize("relation", [gtr, ltr])
def test_a_place_beside_a_range_is_asked_of_versions_alone(relation: Callable[..., bool]) -> None:
    with pytest.raises(VersionInvalid):
        relation("1.2", "1.x")
    with pytest.raises(RangeInvalid):
        relation("1.2.0", "latest")


def test_node_semvers_intersections_are_ours() -> None:
    wrong = [
        (a, b) for a, b, expected in shared_cases("range-intersection") if intersects(a, b) is not expected
    ]

    assert wrong == []


def test_node_semvers_subsets_are_ours() -> None:
    for (text, outer, *options), expected, _ in shared_cases("calls-subset"):
        a, b = (side["$range"] if isinstance(side, dict) else side for side in (text, outer))
        assert subset(a, b, **mode(options and options[0])) is expected, (a, b, options)


def test_node_semvers_lowest_versions_are_ours() -> None:
    for (text, _), expected, _ in shared_cases("calls-min-version"):
        assert min_version(text) == (expected and expected["$semver"]), text


@pytest.mark.parametrize(
    ("name", "relation", "expected"),
    [
        ("version-gt-range", gtr, True),
        ("version-not-gt-range", gtr, False),
        ("version-lt-range", ltr, True),
        ("version-not-lt-range", ltr, False),
    ],
)
def test_node_semvers_places_beside_ranges_are_ours(
    name: str, relation: Callable[..., bool], *, expected: bool
) -> None:
    cases = shared_cases(name)

    wrong = [case for case in cases if relation(case[1], case[0], **mode(case[2])) is not expected]

    assert wrong == []
