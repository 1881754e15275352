"""The loop of an agent: ask the model, call the tools it wants, tell it what came, until it just answers."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from toolroster.agents import feedback
from toolroster.agents.feedback import Said
from toolroster.agents.llm import LLM, Message, Usage
from toolroster.agents.tool_calls import EXAMPLE, BrokenCall, ToolCall, calls_in
from toolroster.agents.wording import Wording
from toolroster.errors import Conflict, ToolrosterError
from toolroster.routing.result import ToolResult

MOST_CALLS = 8
"""Calls that one answer may ask for; a model in a rut asks for hundreds."""
_LONGEST_NAME = 200

Invoke = Callable[[str, Mapping[str, Any]], ToolResult]
"""Calls a tool by the name that the model was told; raises ToolrosterError."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """One call of an agent: `told` is what the model read of it, `error_code` "" for a success.

    `tool` is the name that the model wrote, `tool_id` what served, "" if nothing did.
    """

    tool: str
    params: dict[str, Any] = field(repr=False)
    told: str = field(repr=False)
    tool_id: str = ""
    error_code: str = ""
    duration_ms: float = 0.0

    @property
    def is_success(self) -> bool:
        return not self.error_code


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a loop came to: the answer, None if the steps ran out, and the whole conversation."""

    answer: str | None
    steps: int
    calls: tuple[CallMade, ...]
    usage: Usage
    messages: tuple[Message, ...] = field(repr=False)


@dataclass(frozen=True)
class ToolLoop:
    """How an agent's answers become calls; `tools` are offered natively, None is in the prompt alone."""

    llm: LLM
    invoke: Invoke
    wording: Wording
    _: KW_ONLY
    tools: Sequence[dict[str, Any]] | None = None
    most_characters: int = feedback.MOST_CHARACTERS
    ticks: Callable[[], float] = time.monotonic

    def run(self, messages: Sequence[Message], *, max_steps: int) -> Outcome:
        """Ask the model at most `max_steps` times.

        Raises:
            ToolrosterError: the model gives no answer; what tools raise is told to the model.
        """
        said, made, usage = list(messages), list[CallMade](), Usage()
        for step in range(1, max_steps + 1):
            reply = self.llm.chat(said, self.tools)
            usage += reply.usage
            calls = calls_in(reply)
            if not calls:
                said.append(feedback.assistant(reply))
                return Outcome(reply.text, step, tuple(made), usage, tuple(said))
            now = [self._made(call, place) for place, call in enumerate(calls)]
            told = [Said(one.tool, one.told, call.id) for one, call in zip(now, calls, strict=True)]
            said += feedback.messages(reply, told, self.wording)
            made += now
        return Outcome(None, max_steps, tuple(made), usage, tuple(said))

    def _made(self, call: ToolCall | BrokenCall, place: int) -> CallMade:
        if isinstance(call, BrokenCall):
            return _failed(call.tool, {}, call.error, example="" if call.id else EXAMPLE)
        if place >= MOST_CALLS:
            error = Conflict(f"An answer may hold {MOST_CALLS} calls; this one was not made.")
            return _failed(call.tool, call.params, error)
        return self._called(call)

    def _called(self, call: ToolCall) -> CallMade:
        begun = self.ticks()
        try:
            result = self.invoke(call.tool, call.params)
        except ToolrosterError as error:
            return _failed(call.tool, call.params, error, duration_ms=1000 * (self.ticks() - begun))
        told = feedback.bounded(str(result), self.wording, most_characters=self.most_characters)
        return CallMade(
            call.tool, call.params, told, tool_id=result.tool_id, duration_ms=1000 * (self.ticks() - begun)
        )


def _failed(
    tool: str, params: dict[str, Any], error: ToolrosterError, *, example: str = "", duration_ms: float = 0.0
) -> CallMade:
    told = feedback.of_error(error, example=example)
    return CallMade(tool[:_LONGEST_NAME], params, told, error_code=error.code, duration_ms=duration_ms)
