"""The client of OpenAI-compatible servers, with a small real one."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.toolroster.agents.servers import Reply, Server
from toolroster.agents.llm import Message, NativeCall, Usage, without_thinking
from toolroster.agents.openai_compatible import OpenAICompatible, joined
from toolroster.errors import (
    DocumentInvalid,
    PermissionMissing,
    ToolrosterError,
    Unauthenticated,
    Unavailable,
)
from toolroster.wire import Wire

ONCE = Wire(timeout_seconds=20, pauses_seconds=(), most_bytes=100_000, peer="LLM server")
HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "calculator", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with Server().running() as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    return running.fresh()


def _model(server: Server, api_key: str = "", **options: Any) -> OpenAICompatible:
    return OpenAICompatible(f"{server.url}/v1/", "qwen", api_key, wire=ONCE, **options)


def _said(**message: Any) -> Reply:
    counts = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return Reply({"choices": [{"message": {"role": "assistant", **message}}], "usage": counts})


def test_a_conversation_is_sent_as_openai_takes_it(server):
    server.next(_said(content="Good day."))

    reply = _model(server, "key-1", temperature=0.5, max_tokens=100).chat(HELLO, [TOOL])

    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == "Bearer key-1"
    sent = {"model": "qwen", "messages": HELLO, "temperature": 0.5, "max_tokens": 100, "tools": [TOOL]}
    assert asked.json == sent
    assert (reply.text, reply.usage) == ("Good day.", Usage(7, 3))


def test_what_is_not_set_is_not_sent(server):
    server.next(_said(content="Good day."))

    _model(server).chat(HELLO, [])

    assert server.asked[0].json.keys() == {"model", "messages"}
    assert "authorization" not in server.asked[0].headers


def test_native_calls_are_read_whether_their_arguments_are_text_or_an_object(server):
    calls = [
        {"id": "a", "type": "function", "function": {"name": "calculator", "arguments": '{"x": 1}'}},
        {"type": "function", "function": {"name": "clock", "arguments": {"zone": "CET"}}},
        {"id": "c", "type": "function", "function": {"name": "coin", "arguments": ""}},
    ]
    server.next(_said(content=None, tool_calls=calls))

    reply = _model(server).chat(HELLO)

    assert reply.text == ""
    assert reply.calls == (
        NativeCall("a", "calculator", '{"x": 1}'),
        NativeCall("call_1_1", "clock", '{"zone": "CET"}'),
        NativeCall("c", "coin", "{}"),
    )


def test_calls_without_an_id_have_others_in_each_step(server):
    call = {"type": "function", "function": {"name": "coin", "arguments": "{}"}}
    server.next(*[_said(content=None, tool_calls=[call, call])] * 2)
    model = _model(server)

    ids = [one.id for messages in (HELLO, HELLO * 3) for one in model.chat(messages).calls]

    assert len(set(ids)) == 4


def test_tools_can_be_declared_and_not_be_wanted(server):
    server.next(*[_said(content="Good day.")] * 2)

    _model(server).chat(HELLO, [TOOL], tool_choice="none")
    _model(server).chat(HELLO, tool_choice="none")

    assert [one.json.get("tool_choice") for one in server.asked] == ["none", None]
    assert server.asked[0].json["tools"] == [TOOL]


def test_neighbours_of_one_role_are_sent_as_one(server):
    server.next(_said(content="Good day."))
    said = [("system", "a"), ("system", "b"), ("user", "c"), ("user", "d"), ("assistant", "e"), ("user", "f")]

    _model(server).chat([{"role": role, "content": text} for role, text in said])

    sent = [(one["role"], one["content"]) for one in server.asked[0].json["messages"]]
    assert sent == [("system", "a\n\nb"), ("user", "c\n\nd"), ("assistant", "e"), ("user", "f")]


def test_calls_and_results_are_never_joined():
    result = {"role": "tool", "tool_call_id": "a", "content": "x"}
    bare = {"role": "tool", "content": "x"}
    wish = {"role": "assistant", "content": "x", "tool_calls": []}
    parts = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    messages: list[Message] = [wish, wish, result, result, bare, bare, parts, parts]

    assert joined(messages) == messages


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (401, {"error": {"message": "No such key: sk-hush."}}),
        (403, {"error": "sk-hush may not"}),
        (400, {"error": {"message": "x" * 497 + "sk-hush"}}),
        (400, b"sk-hush is wrong"),
        (400, b"x" * 497 + b"sk-hush"),
    ],
)
def test_a_key_that_a_server_repeats_is_in_no_error(server, status, content):
    server.next(Reply(content, status=status))

    with pytest.raises(ToolrosterError) as raised:
        _model(server, "sk-hush").chat(HELLO)

    assert "[ke" in raised.value.detail
    assert "sk-" not in raised.value.detail


@pytest.mark.parametrize(
    ("status", "error", "says"),
    [
        (401, Unauthenticated, "TOOLROSTER_LLM_API_KEY"),
        (403, PermissionMissing, "not for you"),
        (404, DocumentInvalid, "not for you"),
        (400, DocumentInvalid, "(400): not for you"),
        (429, Unavailable, "answers 429"),
        (500, Unavailable, "Start it with the model 'qwen'"),
    ],
)
def test_what_a_server_refuses_is_an_error_that_says_what_to_do(server, status, error, says):
    server.next(Reply({"error": {"message": "not for you"}}, status=status))

    with pytest.raises(error) as raised:
        _model(server).chat(HELLO)

    assert says in raised.value.detail


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"choices": []},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": "", "tool_calls": [{"id": "a"}]}}]},
        {"choices": [{"message": {"content": "x" * 100_000}}]},
        b"<html>",
        [],
    ],
)
def test_an_answer_that_makes_no_sense_is_no_answer(server, content):
    server.next(Reply(content))

    with pytest.raises(Unavailable):
        _model(server).chat(HELLO)


def test_a_failure_is_tried_once_more(server):
    pauses: list[float] = []
    wire = Wire(timeout_seconds=20, pauses_seconds=(1.0,), sleep=pauses.append)
    server.next(Reply({}, status=500), _said(content="Good day."))

    reply = OpenAICompatible(server.url, "qwen", wire=wire).chat(HELLO)

    assert (reply.text, pauses) == ("Good day.", [1.0])


def test_a_server_that_is_not_there_is_named_with_what_to_do():
    with Server().running() as gone:
        url = gone.url

    with pytest.raises(Unavailable) as raised:
        OpenAICompatible(url, "qwen", wire=ONCE).chat(HELLO)

    assert f"Start it with the model 'qwen', or correct the address: {url}" in raised.value.detail


@pytest.mark.parametrize(
    "url", ["localhost:1234", "ftp://host/v1", "http://user:pw@host/v1", "http://h:x/v1", ""]
)
def test_an_address_that_is_none_is_refused_at_once(url):
    with pytest.raises(ToolrosterError) as raised:
        OpenAICompatible(url, "qwen")

    assert raised.value.status == 422


def test_a_key_never_shows():
    model = OpenAICompatible("http://llm.test/v1", "qwen", "key-1")

    assert "key-1" not in repr(model)
    with pytest.raises(DocumentInvalid):
        OpenAICompatible("http://llm.test/v1", "qwen", "two\nlines")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>\nA call? <tool_call>\n</think>\n\nNo.", "No."),
        ("<think>never ends", ""),
        ("No thoughts.", "No thoughts."),
        ("What is <think>x</think>?", "What is <think>x</think>?"),
    ],
)
def test_thoughts_before_an_answer_are_no_part_of_it(text, left):
    assert without_thinking(text) == left
