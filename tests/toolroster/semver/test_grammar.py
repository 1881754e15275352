import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.semver.cases import mode, own_cases, shared_cases, unhurried
from toolroster.errors import RangeInvalid
from toolroster.semver import parse_range, valid_range

_HOSTILE = [
    " " * 1024, "0" * 1024, "-" * 1024, "|" * 1024, "> " * 512, "^1 " * 341, "1||" * 341, "+a" * 512,
    "1.2.3-" + "a" * 1018, "1.2.3-" + "0." * 509, "1.2.3-" + "0" * 1000 + "!",
    "1 - " * 256, "~" * 1024, "x." * 512,
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", "*"),
        ("*", "*"),
        ("x.X.*", "*"),
        (">=0.0.0", "*"),
        (">=*", "*"),
        ("* || 1", "*"),
        ("^* 2", ">=2.0.0 <3.0.0-0"),
        ("1.2.3", "1.2.3"),
        ("=1.2.3", "1.2.3"),
        ("v1.2.3", "1.2.3"),
        ("1.2.3+build", "1.2.3"),
        ("1 1", ">=1.0.0 <2.0.0-0"),
        ("1", ">=1.0.0 <2.0.0-0"),
        ("=1.2", ">=1.2.0 <1.3.0-0"),
        ("1.2.x", ">=1.2.0 <1.3.0-0"),
        ("^1.2.3", ">=1.2.3 <2.0.0-0"),
        ("^0.2.3", ">=0.2.3 <0.3.0-0"),
        ("^0.0.3", ">=0.0.3 <0.0.4-0"),
        ("^0.0", "<0.1.0-0"),
        ("^0", "<1.0.0-0"),
        ("^1.2.3-beta.2", ">=1.2.3-beta.2 <2.0.0-0"),
        ("~1.2.3", ">=1.2.3 <1.3.0-0"),
        ("~>1.2", ">=1.2.0 <1.3.0-0"),
        ("~ 1", ">=1.0.0 <2.0.0-0"),
        (">1", ">=2.0.0"),
        (">1.2", ">=1.3.0"),
        (">=1.2", ">=1.2.0"),
        ("<1.2", "<1.2.0-0"),
        ("<=1.2", "<1.3.0-0"),
        (">1.2.3", ">1.2.3"),
        ("> 1.2.3 < 2.0.0", ">1.2.3 <2.0.0"),
        (">=1.x.x-rc", ">=1.0.0"),
        (">x", "<0.0.0-0"),
        ("<x || 1.0.0", "1.0.0"),
        ("<x || >x", "<0.0.0-0"),
        ("1 <x", "<0.0.0-0"),
        ("1.0.0 - 2.0.0", ">=1.0.0 <=2.0.0"),
        ("1.2 - 3", ">=1.2.0 <4.0.0-0"),
        ("1.2.3-a - 2.0.0-b", ">=1.2.3-a <=2.0.0-b"),
        ("* - 2", "<3.0.0-0"),
        ("1 - *", ">=1.0.0"),
        ("* - *", "*"),
        ("^1.0.0||~2.1", ">=1.0.0 <2.0.0-0||>=2.1.0 <2.2.0-0"),
    ],
)
def test_a_range_is_rewritten_as_plain_comparators(text: str, canonical: str) -> None:
    assert valid_range(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.x", ">=1.0.0-0 <2.0.0-0"),
        ("^1.2.3", ">=1.2.3 <2.0.0-0"),
        ("^1.2", ">=1.2.0-0 <2.0.0-0"),
        ("~1.2", ">=1.2.0-0 <1.3.0-0"),
        (">1", ">=2.0.0-0"),
        (">=1", ">=1.0.0-0"),
        ("<1", "<1.0.0-0"),
        ("1.0.0 - 2.0.0", ">=1.0.0-0 <2.0.1-0"),
        ("1.0.0-a - 2.0.0-b", ">=1.0.0-a <=2.0.0-b"),
        (">=0.0.0-0", "*"),
        (">=0.0.0", ">=0.0.0"),
    ],
)
def test_prereleases_move_the_bounds_that_wildcards_leave_open(text: str, canonical: str) -> None:
    assert valid_range(text, include_prerelease=True) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "^", ">", ">>1", "^^1", "~^1", "=>1", "1.2.3.4", "1.2-rc", "1.x-rc", "^01.2.3", "1.2.3-01", "1.2.3-",
        "^1.0.0-a..b", "1.2.3beta", "1.0.0 -2.0.0", "1.0.0- 2.0.0", "1 - 2 - 3", "1 2 - 3", "- 1", "1 | 2",
        "1 and 2", "1.2.3-*", "V1.0.0",
        "vv1", "v 1", "^=1.2.3", "1.0.0' OR 1=1", "\uff11.0.0", "^1.0.0-\u00e9", "1.0.0\u00a02.0.0",
        "* || blerg", "blerg || *",
    ],
)  # fmt: skip
def test_other_text_is_no_range(text: str) -> None:
    with pytest.raises(RangeInvalid, match="is no part of a version range"):
        parse_range(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("latest", "`*` stands for the latest version"),
        (">=1.0.0,<2.0.0", "by a space, not by a comma"),
        ("!=1.0.0", "cannot exclude a version"),
        ("==1.0.0", "Write one `=`, or none"),
        ("==1.0", "Write one `=`, or none"),
        ("1 ~~ 2", r"Write ranges as \^1.2.3"),
    ],
)
def test_an_error_says_how_to_write_what_other_systems_write_otherwise(text: str, hint: str) -> None:
    with pytest.raises(RangeInvalid, match=hint):
        parse_range(text)


@pytest.mark.parametrize(
    "text", ["x.1", "1.x.5", "1.*.5 || 2", "^1.x.5", "~x.2", "*.*.1", "1.x.5 - 2", "1 - x.2"]
)
def test_a_wildcard_is_followed_by_wildcards_alone(text: str) -> None:
    with pytest.raises(RangeInvalid, match="a number after a wildcard"):
        parse_range(text)


@pytest.mark.parametrize("text", [">=1 - 2", "1.0.0 - <2.0.0", "^1.0.0 - 2.0.0"])
def test_the_ends_of_a_hyphen_range_have_no_operator(text: str) -> None:
    with pytest.raises(RangeInvalid, match="have no operator"):
        parse_range(text)


@pytest.mark.parametrize("text", ["9007199254740992.0.0", "^9007199254740991.0.0", "<=1.9007199254740991"])
def test_numbers_and_bounds_above_2_to_the_53_are_refused(text: str) -> None:
    with pytest.raises(RangeInvalid, match="is above 9007199254740991"):
        parse_range(text)


def test_a_version_in_a_range_is_as_long_as_a_version() -> None:
    longest = "1.2.3-".ljust(256, "a")

    assert valid_range(longest) == longest
    assert valid_range(longest + "a") is None


@pytest.mark.parametrize("text", ["1" * 1025, " " * 500_000, "1 || " * 100_000, "1.2.3-" + "0" * 500_000])
def test_long_text_is_refused_for_its_length_before_it_is_read(text: str) -> None:
    with pytest.raises(RangeInvalid, match=f"at most 1024 characters, this has {len(text)}"):
        parse_range(text)


@pytest.mark.parametrize("text", _HOSTILE, ids=range(len(_HOSTILE)))
def test_hostile_text_within_the_length_is_read_to_its_end(text: str) -> None:
    canonical = valid_range(text[:1024])

    # No answer is more than a few times as long as the question: nothing multiplies.
    assert canonical is None or len(canonical) <= 10 * len(text)


@unhurried
@given(st.text("0123456789.xX*vV^~<>=|-+ab, \t\n", max_size=60))
def test_the_canonical_form_is_its_own_canonical_form(text: str) -> None:
    canonical = valid_range(text)

    assert canonical is None or valid_range(canonical) == canonical


def test_the_oracle_agrees_on_every_canonical_form() -> None:
    wrong = [case for case in own_cases("oracle-valid-range") if valid_range(case[0]) != case[1]]

    assert wrong == []


def test_node_semvers_canonical_forms_are_ours() -> None:
    cases = shared_cases("range-parse")

    wrong = [case for case in cases if valid_range(case[0], **mode(case[2])) != case[1]]

    assert wrong == []
