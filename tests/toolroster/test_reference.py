import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import moderate
from toolroster.errors import ReferenceInvalid
from toolroster.reference import (
    PROVIDER_PATTERN,
    TOOL_NAME_PATTERN,
    Reference,
    is_provider,
    is_tool_name,
    make_reference,
    make_tool_id,
    parse_reference,
    parse_tool_id,
)

_providers = st.from_regex(PROVIDER_PATTERN.replace("$", r"\Z"))
_names = st.from_regex(TOOL_NAME_PATTERN.replace("$", r"\Z"))


@pytest.mark.parametrize("text", ["a", "0", "mail-team", "a.b_c-d", "a" * 63, "unknown", "9.9"])
def test_a_provider_name_is_taken(text):
    assert is_provider(text)


@pytest.mark.parametrize(
    "text", ["", "A", "-a", ".a", "_a", "a" * 64, "a b", "a/b", "a:b", "a\n", "é", "\u0661", "a@b"]
)
def test_what_is_no_provider_name_is_not_taken(text):
    assert not is_provider(text)


@pytest.mark.parametrize("text", ["a", "Z", "send_email", "get-It9", "a" * 64])
def test_a_tool_name_is_taken(text):
    assert is_tool_name(text)


@pytest.mark.parametrize(
    "text", ["", "1a", "_a", "-a", "a" * 65, "a.b", "a b", "a\n", "ä", "搜索", "a/b", "a:b", "a@1"]
)
def test_what_is_no_tool_name_is_not_taken(text):
    assert not is_tool_name(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("send_email", Reference(None, "send_email", None)),
        ("send_email@^1.2", Reference(None, "send_email", "^1.2")),
        ("mail-team/send_email", Reference("mail-team", "send_email", None)),
        ("Mail-Team/send_email@>=1 <3 || 4.x", Reference("mail-team", "send_email", ">=1 <3 || 4.x")),
        ("send_email@latest", Reference(None, "send_email", "latest")),
        ("  send_email  ", Reference(None, "send_email", None)),
        ("a@1@2", Reference(None, "a", "1@2")),
        ("a@b/c", Reference(None, "a", "b/c")),
    ],
)
def test_a_reference_parses_into_its_parts(text, expected):
    assert parse_reference(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no tool name"),
        ("@1", "no tool name"),
        ("a/", "no tool name"),
        ("1a", "no tool name"),
        ("a:b:1.0.0", "no tool name"),
        ("/a", "no provider name"),
        ("a/b/c", "no provider name"),
        ("-x/a", "no provider name"),
        ("a@", "is empty"),
        ("a@  ", "is empty"),
        ("a@" + "1" * 2000, "at most 1153 characters"),
    ],
)
def test_what_is_no_reference_is_refused(text, said):
    with pytest.raises(ReferenceInvalid) as caught:
        parse_reference(text)

    assert said in caught.value.detail


def test_an_empty_provider_is_not_the_default_one():
    with pytest.raises(ReferenceInvalid):
        make_reference(name="a", provider="", version_range=None)


@moderate
@given(st.none() | _providers, _names, st.none() | st.sampled_from(["^1", "1.x || >=2", "latest"]))
def test_a_reference_survives_its_text(provider, name, version_range):
    reference = Reference(provider, name, version_range)

    assert parse_reference(str(reference)) == reference


@moderate
@given(_providers, _names, st.sampled_from(["1.0.0", "2.0.0-rc.1+b.5"]))
def test_a_tool_id_survives_its_text(provider, name, version):
    assert parse_tool_id(make_tool_id(provider, name, version)) == (provider, name, version)


def test_the_provider_of_a_tool_id_is_read_in_any_case():
    assert parse_tool_id("Mail-Team:Send:1.0.0") == ("mail-team", "Send", "1.0.0")


@pytest.mark.parametrize(
    "text", ["", "a", "a:b", "a:b:", ":b:1.0.0", "a::1.0.0", "a b:c:1.0.0", "a:1:1.0.0", "a:b:" + "1" * 2000]
)
def test_what_is_no_tool_id_is_refused(text):
    with pytest.raises(ReferenceInvalid) as caught:
        parse_tool_id(text)

    assert "provider:name:version" in caught.value.detail
    assert len(caught.value.detail) < 300
