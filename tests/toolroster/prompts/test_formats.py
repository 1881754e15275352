import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import documents, moderate
from tests.toolroster.prompts.registrations import (
    make_registration,
    make_registration_of,
    probe_registrations,
)
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid
from toolroster.prompts import FORMATS, LANGUAGES, Note, describe

PROBE = probe_registrations()
every_format = pytest.mark.parametrize("kind", FORMATS)


def size_of(content):
    if isinstance(content, str):
        return len(content.encode())
    return len(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


@every_format
def test_every_tool_is_there_once_and_in_an_order_of_its_own(kind):
    shuffled = random.Random(7).sample(PROBE, len(PROBE))

    described = describe(shuffled, format=kind)

    assert described == describe(PROBE, format=kind)
    assert list(described.names) == sorted(tool["name"] for tool in PROBE)
    assert set(described.names.values()) == {tool["tool_id"] for tool in PROBE}
    assert described.left_out == []


@every_format
def test_registrations_are_not_changed(kind):
    before = copy.deepcopy(PROBE)

    content = describe(PROBE, format=kind).content
    if isinstance(content, list):
        content[0].clear()

    assert before == PROBE


@every_format
@pytest.mark.parametrize("max_tokens", [1, 60, 300, 1500])
def test_the_best_tools_are_kept_while_they_fit(kind, max_tokens):
    ranked = random.Random(3).sample(PROBE, len(PROBE))

    described = describe(ranked, format=kind, max_tokens=max_tokens)

    kept, ids = len(described.names), [tool["tool_id"] for tool in ranked]
    assert sorted(described.names.values()) == sorted(ids[:kept])
    assert described.left_out == ids[kept:]
    assert kept == 1 or size_of(described.content) <= max_tokens * 4
    more = describe(ranked[: kept + 1], format=kind)
    assert size_of(more.content) > max_tokens * 4


@every_format
def test_a_budget_that_is_just_enough_keeps_all(kind):
    few = PROBE[:5]
    enough = -(-size_of(describe(few, format=kind).content) // 4)

    assert describe(few, format=kind, max_tokens=enough).left_out == []


@every_format
def test_tools_of_one_name_have_their_providers_in_their_names(kind):
    tools = [make_registration(provider="post"), make_registration(), make_registration("other")]

    described = describe(tools, format=kind)

    assert described.names == {
        "other": "mail:other:1.0.0",
        "mail__send_email": "mail:send_email:1.0.0",
        "post__send_email": "post:send_email:1.0.0",
    }
    assert all(name in json.dumps(described.content) for name in described.names)


@every_format
def test_a_name_is_the_same_under_every_budget(kind):
    tools = [make_registration(provider="post"), make_registration()]

    described = describe(tools, format=kind, max_tokens=1)

    assert list(described.names) == ["post__send_email"]


def test_of_each_name_one_version_is_described():
    tools = [make_registration(version=version) for version in ("1.0.0", "2.0.0", "3.0.0-rc.1")]

    described = describe([*tools, *tools], format="mcp")

    assert described.names == {"send_email": "mail:send_email:2.0.0"}
    assert described.left_out == []


def test_categories_choose():
    tools = [
        make_registration("a", capabilities={"categories": ["x", "y"]}),
        make_registration("b", capabilities={"categories": ["z"]}),
    ]

    assert list(describe(tools, format="mcp", categories=("x", "y")).names) == ["a"]


def test_a_tool_that_cannot_be_called_is_noted():
    described = describe([make_registration(status="RETIRED")], format="seed_000")

    assert described.notes == [Note("mail:send_email:1.0.0", "It is RETIRED and cannot be called.")]
    assert described.names == {}


@pytest.mark.parametrize("kind", ["openai", "openai_responses"])
def test_openai_gets_no_more_tools_than_it_takes(kind):
    tools = [make_registration(f"tool_{number}") for number in range(130)]

    described = describe(tools, format=kind)

    assert len(described.names) == 128
    assert described.left_out == ["mail:tool_128:1.0.0", "mail:tool_129:1.0.0"]


def test_a_tool_that_the_vendor_would_refuse_is_left_out_with_the_reason():
    described = describe(
        [make_registration_of({"Account Number": {}}), make_registration("other")], format="anthropic"
    )

    assert described.names == {"other": "mail:other:1.0.0"}
    assert described.left_out == ["mail:send_email:1.0.0"]
    assert [(note.tool_id, note.pointer) for note in described.notes] == [
        ("mail:send_email:1.0.0", "/properties/Account Number")
    ]


@pytest.mark.parametrize(
    ("asked", "pointer", "nearest"),
    [
        ({"format": "open_ai"}, "/format", "openai"),
        ({"format": ""}, "/format", None),
        ({"format": "mcp", "language": "enn"}, "/language", "en"),
        ({"format": "mcp", "max_tokens": 0}, "/max_tokens", None),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(asked, pointer, nearest):
    with pytest.raises(DocumentInvalid) as refusal:
        describe([], **asked)

    assert refusal.value.errors[0].pointer == pointer
    if nearest:
        assert refusal.value.nearest[0] == nearest
    if pointer == "/format":
        assert sorted(refusal.value.nearest) == sorted(FORMATS)


@moderate
@given(st.lists(documents, max_size=4), st.sampled_from(FORMATS), st.sampled_from(LANGUAGES), st.randoms())
def test_whatever_can_be_registered_can_be_described(drawn, kind, language, order):
    tools = [ToolDefinition.parse(document).document() for document in drawn]
    unique = list({(tool["provider"], tool["name"], tool["version"]): tool for tool in tools}.values())

    described = describe(unique, format=kind, language=language)
    order.shuffle(unique)

    assert describe(unique, format=kind, language=language).content == described.content
    json.dumps(described.content)
    assert len(described.names) + len(described.left_out) == len({(t["provider"], t["name"]) for t in unique})
