import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.semver.cases import shared_cases, unhurried, versions
from toolroster.errors import VersionInvalid
from toolroster.semver import (
    END_KEY,
    LOWEST_KEY,
    MAX_KEY_CHARS,
    compare,
    parse_version,
    version_core_key,
    version_key,
    version_of,
)
from toolroster.semver.key import successor_key

# Each is below the next (semver.org, item 11); the tail has the traps of text order.
_CHAIN = [
    "0.0.0-0", "0.0.0-a", "0.0.0", "0.0.1", "0.0.9", "0.0.10", "0.1.0", "0.2.0", "0.10.0",
    "1.0.0-0", "1.0.0-0.0", "1.0.0-2", "1.0.0-10", "1.0.0-" + "9" * 99, "1.0.0-1" + "0" * 99,
    "1.0.0--", "1.0.0---", "1.0.0-0a", "1.0.0-A", "1.0.0-a", "1.0.0-a.0", "1.0.0-a.-", "1.0.0-a-",
    "1.0.0-a-.0",
    "1.0.0-aa", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "2.0.0", "10.0.0-rc", "10.0.0", "9007199254740991.0.0",
]  # fmt: skip

_any_identifier = st.one_of(
    st.integers(0, 10**20).map(str),
    st.builds("{}{}".format, st.sampled_from("aZ-"), st.text("019aAzZ-", max_size=8)),
    st.builds("0{}".format, st.sampled_from("aZ-")),
)
_any_number = st.integers(0, 2**53 - 1)
_any_version = st.builds(
    lambda major, minor, patch, names: f"{major}.{minor}.{patch}" + ("-" + ".".join(names) if names else ""),
    *[_any_number] * 3,
    st.lists(_any_identifier, max_size=8),
)


def _precedence(text: str) -> tuple[object, ...]:
    """Return item 11 of semver.org as a tuple, for comparison with the key."""
    version = parse_version(text)
    names = [(0, name, "") if isinstance(name, int) else (1, 0, name) for name in version.prerelease]
    return (*version.core, not version.prerelease, tuple(names))


@pytest.mark.parametrize(("lesser", "greater"), list(pairwise(_CHAIN)))
def test_keys_sort_as_versions_do(lesser: str, greater: str) -> None:
    assert version_key(lesser) < version_key(greater)
    assert (compare(lesser, greater), compare(greater, lesser)) == (-1, 1)


@unhurried
@given(st.lists(st.one_of(versions, _any_version), min_size=2, max_size=6))
def test_the_order_of_bytes_is_the_precedence_of_semver_org(texts: list[str]) -> None:
    by_key = sorted(texts, key=lambda text: version_key(text).encode())

    assert by_key == sorted(texts, key=_precedence)


@unhurried
@given(_any_version)
def test_a_key_is_short_printable_and_holds_the_version(text: str) -> None:
    key = version_key(text)

    assert re.fullmatch(r"[0-9A-Za-z.,#@~-]+", key, re.ASCII)
    assert len(key) <= MAX_KEY_CHARS
    assert version_of(key) == parse_version(text)
    assert LOWEST_KEY <= key < END_KEY


@pytest.mark.parametrize(
    ("text", "key"),
    [("1.10.0", "011.0210.010~"), ("1.10.0-rc.2", "011.0210.010-@rc,#012"), ("0.0.0-0", LOWEST_KEY)],
)
def test_the_written_form_of_a_key_is_stable(text: str, key: str) -> None:
    assert version_key(text) == key


def test_the_longest_key_is_as_long_as_said() -> None:
    assert len(version_key("0.0.0-" + "0." * 124 + "10")) == MAX_KEY_CHARS


def test_build_metadata_has_no_part_in_the_key() -> None:
    assert version_key("1.0.0-rc.1+a") == version_key("1.0.0-rc.1+b") == version_key("v1.0.0-rc.1")
    assert compare("1.0.0+a", "1.0.0+b") == 0


def test_the_core_key_is_shared_with_prereleases_only() -> None:
    assert version_core_key("1.2.3") == version_core_key("1.2.3-rc.1") == "011.012.013"
    assert version_key("1.2.3-rc.1").startswith("011.012.013-")
    assert version_core_key("1.2.30-rc.1") != "011.012.013"


@unhurried
@given(versions, versions)
def test_nothing_lies_between_a_version_and_its_successor(text: str, other: str) -> None:
    successor = successor_key(parse_version(text))

    assert (version_key(other) > version_key(text)) == (version_key(other) >= successor)


def test_the_key_of_no_version_is_an_error() -> None:
    with pytest.raises(VersionInvalid):
        version_key("1.2")


def test_node_semvers_comparisons_hold() -> None:
    wrong = [case for case in shared_cases("comparisons") if compare(case[0], case[1]) != 1]
    wrong += [case for case in shared_cases("equality") if compare(case[0], case[1]) != 0]

    assert wrong == []
