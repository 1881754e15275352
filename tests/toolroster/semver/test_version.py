import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared_data import shared_data
from tests.toolroster.semver.cases import shared_cases, unhurried
from toolroster.errors import VersionInvalid
from toolroster.semver import (
    MAX_NUMBER,
    Version,
    parse_published_version,
    parse_version,
    valid_version,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.2.3", Version(1, 2, 3)),
        ("1.2.3-0", Version(1, 2, 3, (0,))),
        ("1.2.3-alpha-.-beta.12", Version(1, 2, 3, ("alpha-", "-beta", 12))),
        ("1.2.3-1a", Version(1, 2, 3, ("1a",))),
        (f"{MAX_NUMBER}.0.0", Version(MAX_NUMBER, 0, 0)),
    ],
)
def test_a_version_parses_into_its_parts(text: str, expected: Version) -> None:
    assert parse_version(text) == expected
    assert parse_published_version(text) == expected


def test_build_metadata_is_kept_but_takes_no_part_in_equality() -> None:
    version = parse_version("1.0.0-rc.1+build.001")

    assert version.build == ("build", "001")
    assert str(version) == "1.0.0-rc.1+build.001"
    assert version == parse_version("1.0.0-rc.1")
    assert hash(version) == hash(parse_version("1.0.0-rc.1"))


@pytest.mark.parametrize("text", ["v1.2.3", " 1.2.3", "1.2.3\n", "\t v1.2.3 "])
def test_only_the_publishers_form_refuses_v_and_white_space(text: str) -> None:
    assert valid_version(text) == "1.2.3"

    with pytest.raises(VersionInvalid, match="write three numbers"):
        parse_published_version(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "v", "1", "1.2", "1.2.x", "1.2.3.4", "01.2.3", "1.02.3", "1.2.03", "-1.2.3", "1.2.3-", "1.2.3+",
        "1.2.3-01", "1.2.3-a..b", "1.2.3-a_b", "1.2.3+a+b", "1.2.3beta", "=1.2.3", "vv1.2.3", "V1.2.3",
        "1. 2.3", "latest", "\uff11.0.0", "\u0663.0.0", "1.0.0-\u00e9", "1.0.0\x00", "\u00a01.0.0",
    ],
)  # fmt: skip
def test_other_text_is_no_version(text: str) -> None:
    assert valid_version(text) is None


@pytest.mark.parametrize("text", ["{}.0.0", "0.{}.0", "0.0.{}"])
def test_numbers_above_2_to_the_53_are_refused(text: str) -> None:
    with pytest.raises(VersionInvalid, match="a number above 9007199254740991"):
        parse_version(text.format(MAX_NUMBER + 1))


def test_a_published_prerelease_is_held_to_the_same_number() -> None:
    text = f"1.0.0-rc.{MAX_NUMBER + 1}"

    assert parse_version(text).prerelease == ("rc", MAX_NUMBER + 1)
    with pytest.raises(VersionInvalid, match="a number above 9007199254740991"):
        parse_published_version(text)


@pytest.mark.parametrize("length", [257, 500_000])
@pytest.mark.parametrize("parse", [parse_version, parse_published_version])
def test_long_text_is_refused_for_its_length(parse: Callable[[str], Version], length: int) -> None:
    text = "1.2.3-".ljust(length, "a")

    with pytest.raises(VersionInvalid, match=f"at most 256 characters, this has {length}"):
        parse(text)


def test_the_longest_version_is_256_characters() -> None:
    text = "1.2.3-".ljust(256, "9")

    assert str(parse_version(text)) == text


def test_an_error_quotes_no_more_than_the_start_of_the_text() -> None:
    with pytest.raises(VersionInvalid) as caught:
        parse_version("x" * 200)

    assert repr("x" * 57 + "...") in caught.value.detail


@unhurried
@given(st.text(max_size=300))
def test_any_text_is_a_version_or_an_error(text: str) -> None:
    plain = valid_version(text)

    assert plain is None or str(parse_version(plain)) == plain


def test_node_semvers_valid_versions_parse_into_their_parts() -> None:
    for text, *parts in shared_cases("valid-versions"):
        version = parse_version(text)
        assert [*version.core, list(version.prerelease), list(version.build)] == parts, text


def test_node_semvers_invalid_versions_are_refused() -> None:
    accepted = [text for text, *_ in shared_cases("invalid-versions") if valid_version(text)]

    assert accepted == []


def test_publishing_follows_the_lists_of_semver_org() -> None:
    lists = json.loads(shared_data("semver/semver-org.json").read_text())
    too_big = "99999999999999999999999.999999999999999999.99999999999999999"  # above our cap

    for text in set(lists["valid"]) - {too_big}:
        assert str(parse_published_version(text)) == text
    for text in [*lists["invalid"], *lists["extra_invalid"]["cases"], too_big]:
        with pytest.raises(VersionInvalid):
            parse_published_version(text)
