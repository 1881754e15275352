"""Read the calls in a model's answer: the `<tool_call>` format of seeds/004, or native ones."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from toolroster import strict_json
from toolroster.agents.llm import NativeCall, Reply
from toolroster.errors import Malformed, ToolrosterError

OPENING, CLOSING = "<tool_call>", "</tool_call>"
EXAMPLE = f'{OPENING}\n{{"tool": "name_of_the_tool", "params": {{"parameter": "value"}}}}\n{CLOSING}'
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


def calls_in(reply: Reply) -> list[ToolCall | BrokenCall]:
    """Return the calls of an answer in their order: native ones, or else those in the text."""
    return [_native(call) for call in reply.calls] if reply.calls else parse(reply.text)


def parse(text: str) -> list[ToolCall | BrokenCall]:
    """Return the calls that a text holds, in their order."""
    found: list[ToolCall | BrokenCall] = []
    place = text.find(OPENING)
    while place >= 0:
        start = place + len(OPENING)
        end = _end(text, start)
        if end < 0:
            return [*found, BrokenCall(Malformed(f"{OPENING} is not closed by {CLOSING}."))]
        found.append(_call(text[start:end].strip()))
        place = text.find(OPENING, end + len(CLOSING))
    return found


def without_calls(text: str) -> str:
    """Return what a text says beside its calls."""
    kept, place = "", 0
    while (opening := text.find(OPENING, place)) >= 0:
        kept += text[place:opening]
        end = _end(text, opening + len(OPENING))
        if end < 0:
            return kept.strip()
        place = end + len(CLOSING)
    return (kept + text[place:]).strip()


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
