"""Read the calls in a model's answer: the `<tool_call>` format of seeds/004, or native ones."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolroster import strict_json
from toolroster.agents.llm import NativeCall, Reply
from toolroster.errors import Malformed, ToolrosterError

OPENING, CLOSING = "<tool_call>", "</tool_call>"
EXAMPLE = f'{OPENING}\n{{"tool": "name_of_the_tool", "params": {{"parameter": "value"}}}}\n{CLOSING}'
MOST_CALLS = 8
"""Calls that one answer may ask for; a model in a rut asks for hundreds."""
_BLANKS = re.compile(r"\s*")
_DECODER = json.JSONDecoder()
_LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model wants; `id` is "" for one in the text."""

    tool: str
    params: dict[str, Any] = field(repr=False)
    id: str = ""


@dataclass(frozen=True, slots=True)
class BrokenCall:
    """What was meant as a call, and what is wrong with it; `tool` as far as it can be told."""

    error: ToolrosterError
    tool: str = ""
    id: str = ""


def calls_in(reply: Reply, *, is_native: bool = False) -> list[ToolCall | BrokenCall]:
    """Return the calls of an answer in their order: native ones, or else those in the text.

    Where tools are offered natively the text holds none: what it quotes in tags is not called. At most
    `MOST_CALLS + 1` are read.
    """
    if is_native or reply.calls:
        return [_native(call) for call in reply.calls[: MOST_CALLS + 1]]
    return parse(reply.text)


def parse(text: str) -> list[ToolCall | BrokenCall]:
    """Return the first calls that a text holds, in their order, at most `MOST_CALLS + 1`."""
    return [_call_at(text, span) for span in _spans(text)]


def without_calls(text: str) -> str:
    """Return what a text says beside its calls; behind more than `MOST_CALLS` of them nothing is read."""
    kept, place = "", 0
    spans = _spans(text)
    for span in spans:
        kept += text[place : span.opening]
        place = len(text) if span.end < 0 else span.end + len(CLOSING)
    return (kept if len(spans) > MOST_CALLS else kept + text[place:]).strip()


def replayable(call: NativeCall) -> str:
    """Return arguments as servers take them back: `{}` for what is no JSON object, which vLLM refuses."""
    try:
        _object(call.arguments)
    except Malformed:
        return "{}"
    return call.arguments


class _Span(NamedTuple):
    """Where a call stands: its opening tag, its inside, and its closing tag, -1 for none."""

    opening: int
    start: int
    end: int


def _spans(text: str) -> list[_Span]:
    """Return where the first calls stand; no more, as reading each costs up to the length of the text."""
    found: list[_Span] = []
    place = text.find(OPENING)
    while place >= 0 and len(found) <= MOST_CALLS:
        start = place + len(OPENING)
        found.append(_Span(place, start, _end(text, start)))
        if found[-1].end < 0:
            break
        place = text.find(OPENING, found[-1].end + len(CLOSING))
    return found


def _call_at(text: str, span: _Span) -> ToolCall | BrokenCall:
    if span.end < 0:
        return BrokenCall(Malformed(f"{OPENING} is not closed by {CLOSING}."))
    return _call(text[span.start : span.end].strip())


def _end(text: str, start: int) -> int:
    """Return where the closing tag stands: behind a whole JSON value, whose strings may hold the tag too."""
    try:
        _, after = _DECODER.raw_decode(text, _after_blanks(text, start))
    except (ValueError, RecursionError):
        return text.find(CLOSING, start)
    place = _after_blanks(text, after)
    return place if text.startswith(CLOSING, place) else text.find(CLOSING, place)


def _after_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def _call(text: str) -> ToolCall | BrokenCall:
    try:
        value = _object(text)
    except Malformed as error:
        return BrokenCall(error)
    tool, params = value.get("tool"), value.get("params", {})
    if not (isinstance(tool, str) and tool):
        return BrokenCall(Malformed('The call names no "tool"; its value is the name of one as a string.'))
    if not isinstance(params, dict):
        return BrokenCall(Malformed('"params" is no object; write {} for a tool without any.'), tool)
    return ToolCall(tool, params)


def _native(call: NativeCall) -> ToolCall | BrokenCall:
    try:
        return ToolCall(call.name, _object(call.arguments), call.id)
    except Malformed as error:
        return BrokenCall(error, call.name, call.id)


def _object(text: str) -> dict[str, Any]:
    try:
        value = strict_json.loads(text.encode(errors="replace"))
    except Malformed as error:
        said = error.detail.replace("The body", "The call")
        hint = " Write the JSON alone, without a code fence." if text.startswith("```") else ""
        raise Malformed(f"{said}{hint}", errors=error.errors) from error
    if not isinstance(value, dict):
        raise Malformed(f"{text[:_LONGEST_SHOWN]} is no JSON object.")
    return value
