"""The calls in a model's answer: those of seeds/004, and all that models write instead."""

import time

import pytest

from tests.toolroster.agents.models import call, native
from toolroster.agents.llm import NativeCall, Reply
from toolroster.agents.tool_calls import (
    MOST_CALLS,
    BrokenCall,
    ToolCall,
    calls_in,
    parse,
    replayable,
    without_calls,
)


def test_a_call_of_the_seed_is_read():
    text = 'Let me see.\n<tool_call>\n{"tool": "send_email", "params": {"to": "ada@test"}}\n</tool_call>'

    assert parse(text) == [ToolCall("send_email", {"to": "ada@test"})]


@pytest.mark.parametrize("text", ["", "I am done.", "</tool_call>", "tool_call", '{"tool": "x"}'])
def test_an_answer_without_the_tag_holds_no_call(text):
    assert parse(text) == []


def test_several_calls_are_read_in_their_order():
    assert [one.tool for one in parse(f"First {call('a')} then {call('b')}.")] == ["a", "b"]


def test_params_may_be_left_out():
    assert parse('<tool_call>{"tool": "coin"}</tool_call>') == [ToolCall("coin", {})]


def test_a_closing_tag_within_a_string_closes_nothing():
    assert parse(call("note", text="</tool_call> and <tool_call>")) == [
        ToolCall("note", {"text": "</tool_call> and <tool_call>"})
    ]


@pytest.mark.parametrize(
    ("inner", "says"),
    [
        ("{'tool': 'x'}", "not JSON"),
        ('{"tool": "x", "params": {"a": 1}', "not JSON"),
        ("", "not JSON"),
        ('```json\n{"tool": "x"}\n```', "without a code fence"),
        ('{"tool": "x"} {"tool": "y"}', "not JSON"),
        ('["x"]', "no JSON object"),
        ('{"name": "x"}', 'names no "tool"'),
        ('{"tool": ""}', 'names no "tool"'),
        ('{"tool": ["x"]}', 'names no "tool"'),
        ('{"tool": "x", "params": "a=1"}', '"params" is no object'),
        ('{"tool": "x", "params": null}', '"params" is no object'),
        ('{"tool": "x", "tool": "y"}', "twice"),
        ('{"tool": "x", "params": {"a": NaN}}', "NaN"),
        ("[" * 5000, "nested deeper"),
    ],
)
def test_a_broken_call_says_what_is_wrong(inner, says):
    (broken,) = parse(f"<tool_call>\n{inner}\n</tool_call>")

    assert isinstance(broken, BrokenCall)
    assert says in broken.error.detail


def test_what_stands_behind_a_broken_call_is_read():
    broken, good = parse(f"<tool_call>{{oops</tool_call>{call('a')}")

    assert isinstance(broken, BrokenCall)
    assert good == ToolCall("a", {})


@pytest.mark.parametrize("text", ["<tool_call>", '<tool_call>{"tool": "x"}', '<tool_call>{"tool": "x'])
def test_a_call_that_is_not_closed_is_broken(text):
    (broken,) = parse(text)

    assert "is not closed by </tool_call>" in broken.error.detail


def test_native_calls_are_read_with_their_ids():
    good, broken = calls_in(native(("calculator", '{"x": 1}'), ("clock", "{")))

    assert good == ToolCall("calculator", {"x": 1}, "id-0")
    assert (broken.tool, broken.id) == ("clock", "id-1")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Before {call('a')} after", "Before  after"),
        (call("a", text="</tool_call>"), ""),
        ("Cut off <tool_call>{", "Cut off"),
        ("Nothing", "Nothing"),
    ],
)
def test_what_is_said_beside_calls_can_be_kept(text, left):
    assert without_calls(text) == left


@pytest.mark.parametrize(
    "text",
    ["<tool_call></tool_call>", "<tool_call>{</tool_call>\n", "<tool_call>{} </tool_call>", "<tool_call>["],
)
@pytest.mark.parametrize("read", [parse, without_calls])
def test_a_flood_of_calls_is_read_in_linear_time(text, read):
    begun = time.process_time()

    found = read(text * 100_000)

    assert len(found) <= MOST_CALLS + 1
    assert time.process_time() - begun < 1


def test_behind_too_many_calls_nothing_is_kept():
    assert without_calls(f"a{call('x') * 20}b") == "a"


def test_a_flood_of_native_calls_is_read_as_far():
    assert len(calls_in(native(*[("x", "{}")] * 50))) == MOST_CALLS + 1


def test_where_tools_are_native_the_text_holds_no_call():
    assert calls_in(Reply(call("a")), is_native=True) == []


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [('{"x": 1}', '{"x": 1}'), ("x=1", "{}"), ("[1]", "{}"), ('"x"', "{}"), ("", "{}"), ('{"x": NaN}', "{}")],
)
def test_arguments_are_sent_back_only_as_an_object(arguments, sent):
    assert replayable(NativeCall("a", "x", arguments)) == sent
