"""What a model is told of its calls: results and errors, bounded, and never mistaken for ours."""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolroster.agents.llm import Message, NativeCall, Reply
from toolroster.agents.tool_calls import EXAMPLE, replayable
from toolroster.agents.wording import Wording
from toolroster.errors import ToolrosterError
from toolroster.prompts.prose import prose

MOST_CHARACTERS = 8000
"""Of one result, about 2000 tokens: what is longer would push the task out of a small model's context."""
_MARKS = re.compile(r"<(?=\s*/?\s*(?:tool_(?:result|call)|memory)\b)", re.IGNORECASE)
_SPEAKER = re.compile(r"^([^\S\n]*)\[(?=[^\]\n]*\]\s*[:\uff1a])", re.MULTILINE)
"""The bracket of `[name]:` at the start of a line, as speakers are told; the escape is a full-width colon."""
_TOLD = ("code", "detail", "errors", "nearest", "retryable", "retry_after_seconds")


@dataclass(frozen=True, slots=True)
class Said:
    """What came of one call, as it is told: `id` is that of a native call."""

    tool: str
    text: str
    id: str = ""


def of_error(error: ToolrosterError) -> str:
    """Return what helps a model to correct itself, as compact JSON; empty members are left out."""
    problem = error.problem()
    told = {name: problem[name] for name in _TOLD if problem[name] not in (None, [])}
    return _sendable(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


def bounded(text: str, wording: Wording, *, most_characters: int = MOST_CHARACTERS) -> str:
    """Return the text, or its beginning with a note that it was cut."""
    if len(text) <= most_characters:
        return _sendable(text)
    note = wording.cut.format(shown=most_characters, whole=len(text))
    return f"{_sendable(text[:most_characters])}\n{note}"


def messages(
    reply: Reply, told: Sequence[Said], wording: Wording, *, with_example: bool = False
) -> list[Message]:
    """Return an answer with calls and what came of them, as the next messages of the conversation.

    Calls in the text are answered by one message of the user: servers refuse the role `tool` without an id,
    and templates of some models two users in a row. The example of a call stands behind the results, where
    its tags stay tags.
    """
    if reply.calls:
        results = [{"role": "tool", "tool_call_id": one.id, "content": neutral(one.text)} for one in told]
        return [assistant(reply), *results]
    sections = "\n".join(map(_section, told))
    example = f"\n{wording.example}\n{EXAMPLE}" if with_example else ""
    return [assistant(reply), {"role": "user", "content": f"{wording.result}\n{sections}{example}"}]


def with_note(conversation: Sequence[Message], note: str) -> list[Message]:
    """Return a conversation with a note of the user at its end, in the last message if that is the user's."""
    *before, last = conversation
    if last["role"] != "user":
        return [*conversation, {"role": "user", "content": note}]
    return [*before, {**last, "content": f"{last['content']}\n\n{note}"}]


def assistant(reply: Reply) -> Message:
    """Return an answer as a message of the conversation."""
    if not reply.calls:
        return {"role": "assistant", "content": reply.text}
    calls = list(map(_native, reply.calls))
    return {"role": "assistant", "content": reply.text or None, "tool_calls": calls}


def neutral(text: str) -> str:
    """Return text of others in which none of our tags is one."""
    return _MARKS.sub("&lt;", text)


def quoted(text: str) -> str:
    """Return what somebody said, so that no line of it passes for another speaker's or for a result."""
    return _SPEAKER.sub(r"\1\\[", neutral(prose(text)))


def _sendable(text: str) -> str:
    """Return the text as UTF-8 can carry it: a tool may answer lone surrogates."""
    return text.encode(errors="replace").decode()


def _native(call: NativeCall) -> Message:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": replayable(call)},
    }


def _section(said: Said) -> str:
    """Return a result between tags that it cannot close itself."""
    inner = neutral(said.text)
    return f'<tool_result tool="{html.escape(said.tool)}">\n{inner}\n</tool_result>'
