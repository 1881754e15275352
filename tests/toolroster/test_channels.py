"""Names of channels, and what stands behind the `@` of a reference."""

import pytest

from toolroster.channels import is_channel, split


@pytest.mark.parametrize("name", ["latest", "stable", "next", "canary", "team-a", "beta_2", "xy", "version"])
def test_names_of_channels(name):
    assert is_channel(name)


@pytest.mark.parametrize(
    "name", ["", "x", "v1", "X", "Stable", "1.0.0", "^1", "a b", "stable\n", "a" * 41, "ä"]
)
def test_what_is_no_name_of_a_channel(name):
    assert not is_channel(name)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("stable", ("stable", "")),
        (" stable  ^1.2 || 3 ", ("stable", "^1.2 || 3")),
        ("^1.2", ("", "^1.2")),
        ("x", ("", "x")),
        (">=1 <2", ("", ">=1 <2")),
        ("", ("", "")),
        ("next next", ("next", "next")),
    ],
)
def test_channel_and_range_are_told_apart(text, parts):
    assert split(text) == parts
