from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.semver.cases import mode, own_cases, ranges, shared_cases, unhurried, versions
from toolroster.semver import (
    END_KEY,
    LOWEST_KEY,
    KeyInterval,
    compare,
    max_satisfying,
    min_satisfying,
    parse_range,
    parse_version,
    satisfies,
    valid_range,
    version_core_key,
    version_key,
)

_HOLDS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "=": lambda order: order == 0,
}


def _satisfies_by_comparators(version: str, text: str, *, include_prerelease: bool) -> bool:
    """Evaluate the comparators one by one, as node-semver's testSet does."""
    parsed = parse_version(version)
    for branch in parse_range(text, include_prerelease=include_prerelease).branches:
        named = [bound.core for _, bound in branch if bound.prerelease]
        is_meant = include_prerelease or not parsed.prerelease or parsed.core in named
        if is_meant and all(_HOLDS[operator](compare(version, str(bound))) for operator, bound in branch):
            return True
    return False


def _satisfies_in_sql(version: str, text: str, *, include_prerelease: bool) -> bool:
    """Evaluate the intervals as the WHERE clause in the docstring of KeyInterval does."""
    key, core_key = version_key(version), version_core_key(version)
    is_prerelease = bool(parse_version(version).prerelease)
    return any(
        interval.lower <= key < interval.upper
        and (interval.all_prereleases or not is_prerelease or core_key in interval.prerelease_of)
        for interval in parse_range(text, include_prerelease=include_prerelease).bounds()
    )


@pytest.mark.parametrize(
    ("version", "text", "expected"),
    [
        ("1.2.3-beta.8", "<1.2.3-beta.7", False),  # rbarrois/python-semanticversion#100
        ("1.2.4", ">= 1.2.3", True),  # rbarrois/python-semanticversion#99
        ("0.3.0", "^0.2.0", False),  # nexu-io/open-design#5070
        ("1.0.0-beta.3", "^1.0.0-beta.4", False),  # omichelsen/compare-versions#65
        ("1.2.3-beta.1", "^1.2.3-beta.2", False),  # aboutcode-org/univers#117
        ("0.11.0", "^0.11.0-rc.2", True),  # dtolnay/semver#124
        ("2.0.0-rc.2", "^2.0.0-rc.1", True),
        ("2.4.0", "^2.0.0-rc.1", True),
        ("2.4.0-rc.1", "^2.0.0-rc.1", False),
        ("1.3.0-rc.1", "^1.2.3", False),
        ("1.5.0", "1.2.3 || >=1.4.0 <2.0.0", True),
        ("1.5.0", "1.2.3 1.5.0", False),
        ("1.0.0+build", "1.0.0", True),
        ("not a version", "*", False),
        ("1.0.0", "not a range", False),
    ],
)
def test_a_version_is_in_the_range_or_not(version: str, text: str, *, expected: bool) -> None:
    assert satisfies(version, text) is expected


@pytest.mark.parametrize(
    ("version", "text", "expected"),
    [
        ("1.3.0-rc.1", "^1.2.3", True),
        ("2.0.0-rc.1", "2.x", True),
        ("1.0.0-rc.1", "^1.0.0", False),
        ("3.0.0-rc.1", "2.x", False),
        ("1.1.0-rc.1", "~1.1", True),
    ],
)
def test_with_prereleases_all_between_the_bounds_are_in(version: str, text: str, *, expected: bool) -> None:
    assert satisfies(version, text, include_prerelease=True) is expected


def test_the_highest_and_the_lowest_are_found_by_precedence() -> None:
    published = ["1.9.0", "1.10.0", "1.10.0-rc.1", "2.0.0", "rubbish", "1.10.0+b", "0.9.0"]

    assert max_satisfying(published, "^1") == "1.10.0"
    assert min_satisfying(iter(published), "^1") == "1.9.0"


@pytest.mark.parametrize("pick", [max_satisfying, min_satisfying])
@pytest.mark.parametrize("text", ["^3", "no range"])
def test_no_match_is_none(pick: Callable[..., str | None], text: str) -> None:
    assert pick(["1.0.0", "2.0.0"], text) is None


def test_bounds_are_half_open_intervals_of_keys() -> None:
    bounds = parse_range("^1.2.3 || >2.0.0-rc.1 || <=3.0.0 || 4.0.0").bounds()

    assert [(interval.lower, interval.upper, interval.prerelease_of) for interval in bounds] == [
        (version_key("1.2.3"), version_key("2.0.0-0"), ()),
        (version_key("2.0.0-rc.1.0"), END_KEY, (version_core_key("2.0.0"),)),
        (LOWEST_KEY, version_key("3.0.1-0"), ()),
        (version_key("4.0.0"), version_key("4.0.1-0"), ()),
    ]


def test_any_version_is_one_interval_over_all_keys() -> None:
    assert parse_range("*").bounds() == (KeyInterval(LOWEST_KEY, END_KEY, (), all_prereleases=False),)
    assert parse_range("*", include_prerelease=True).bounds()[0].all_prereleases


def test_short_ranges_come_from_a_cache_and_long_ones_do_not() -> None:
    long = " || ".join(f"1.{minor}" for minor in range(40))

    assert parse_range("^1.2.3") is parse_range("^1.2.3")
    assert parse_range(long) == parse_range(long)
    assert parse_range(long) is not parse_range(long)


@unhurried
@given(version=versions, text=ranges, include=st.booleans())
def test_intervals_comparators_and_satisfies_agree(version: str, text: str, *, include: bool) -> None:
    expected = _satisfies_by_comparators(version, text, include_prerelease=include)

    assert satisfies(version, text, include_prerelease=include) is expected
    assert _satisfies_in_sql(version, text, include_prerelease=include) is expected


@unhurried
@given(versions, ranges)
def test_the_canonical_form_holds_the_same_versions(version: str, text: str) -> None:
    assert satisfies(version, str(valid_range(text))) is satisfies(version, text)


@pytest.mark.parametrize("evaluate", [satisfies, _satisfies_in_sql, _satisfies_by_comparators])
def test_the_oracle_agrees_on_every_match(evaluate: Callable[..., bool]) -> None:
    cases = own_cases("oracle-satisfies")

    wrong = [case for case in cases if evaluate(case[1], case[0], **mode(case[2])) is not case[3]]

    assert len(cases) == 2480
    assert wrong == []


def test_the_oracle_agrees_on_the_highest_and_the_lowest() -> None:
    cases = own_cases("oracle-max-satisfying")

    wrong = [case for case in cases if _extremes(*case[:3]) != case[3:]]

    assert len(cases) == 372
    assert wrong == []


def _extremes(published: list[str], text: str, options: object) -> list[str | None]:
    return [pick(published, text, **mode(options)) for pick in (max_satisfying, min_satisfying)]


@pytest.mark.parametrize(("name", "expected"), [("range-include", True), ("range-exclude", False)])
def test_node_semvers_matches_are_ours(name: str, *, expected: bool) -> None:
    cases = shared_cases(name)

    wrong = [case for case in cases if satisfies(case[1], case[0], **mode(case[2])) is not expected]

    assert wrong == []


def test_node_semvers_max_satisfying_is_ours() -> None:
    for args, expected, _ in shared_cases("calls-max-satisfying"):
        if args[2:] != [True]:  # True asks for loose mode
            assert max_satisfying(args[0], args[1]) == expected
