"""The loop of an agent: ask the model, call the tools it wants, tell it what came, until it just answers."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from toolroster.agents import feedback
from toolroster.agents.feedback import Said
from toolroster.agents.llm import LLM, Message, Reply, Usage
from toolroster.agents.tool_calls import MOST_CALLS, BrokenCall, ToolCall, calls_in
from toolroster.agents.wording import Wording
from toolroster.errors import Conflict, ToolrosterError, Unavailable
from toolroster.routing.result import ToolResult

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
    """What a loop came to: the answer, None if there was none, and the whole conversation.

    Without an answer the steps ran out, or `failure` is what the model failed with after it had an answer.
    """

    answer: str | None
    steps: int
    calls: tuple[CallMade, ...]
    usage: Usage
    messages: tuple[Message, ...] = field(repr=False)
    failure: ToolrosterError | None = None


@dataclass(frozen=True)
class ToolLoop:
    """How an agent's answers become calls; `tools` are offered natively, None is in the prompt alone.

    `on_call` hears of each call when it returns: what was called is known whatever comes after it.
    """

    llm: LLM
    invoke: Invoke
    wording: Wording
    _: KW_ONLY
    tools: Sequence[dict[str, Any]] | None = None
    on_call: Callable[[CallMade], None] | None = None
    most_characters: int = feedback.MOST_CHARACTERS
    ticks: Callable[[], float] = time.monotonic

    def run(self, messages: Sequence[Message], *, max_steps: int) -> Outcome:
        """Ask the model at most `max_steps` times.

        Raises:
            ToolrosterError: the model gives no answer at all; what tools raise is told to the model.
        """
        run = _Run(self, list(messages))
        for _ in range(max_steps):
            try:
                reply = self.llm.chat(run.messages, self.tools)
            except ToolrosterError as error:
                if not run.calls:
                    raise
                return run.outcome(failure=error)
            answer = run.goes_on(reply)
            if answer is not None:
                return run.outcome(answer) if answer else run.outcome(failure=no_answer())
        return run.outcome()


@dataclass(slots=True)
class _Run:
    """One conversation of a loop, as far as it came."""

    loop: ToolLoop
    messages: list[Message]
    calls: list[CallMade] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    steps: int = 0

    def outcome(self, answer: str | None = None, *, failure: ToolrosterError | None = None) -> Outcome:
        return Outcome(answer, self.steps, tuple(self.calls), self.usage, tuple(self.messages), failure)

    def goes_on(self, reply: Reply) -> str | None:
        """Make the calls of an answer, None, or return its text where it has none."""
        self.steps += 1
        self.usage += reply.usage
        calls = calls_in(reply, is_native=self.loop.tools is not None)
        if not calls:
            self.messages.append(feedback.assistant(reply))
            return reply.text if reply.text.strip() else ""
        made = [self._made(call, place) for place, call in enumerate(calls)]
        told = [Said(one.tool, one.told, call.id) for one, call in zip(made, calls, strict=True)]
        is_broken = any(isinstance(call, BrokenCall) for call in calls)
        # A call without an answer is refused by servers, and so those that are not read are not said.
        said = replace(reply, calls=reply.calls[: len(calls)])
        self.messages += feedback.messages(said, told, self.loop.wording, with_example=is_broken)
        return None

    def _made(self, call: ToolCall | BrokenCall, place: int) -> CallMade:
        if place >= MOST_CALLS:
            made = _failed(call, Conflict(f"An answer may hold {MOST_CALLS} calls; the rest were not made."))
        elif isinstance(call, BrokenCall):
            made = _failed(call, call.error)
        else:
            made = self._called(call)
        self.calls.append(made)
        if self.loop.on_call is not None:
            self.loop.on_call(made)
        return made

    def _called(self, call: ToolCall) -> CallMade:
        loop = self.loop
        begun = loop.ticks()
        try:
            result = loop.invoke(call.tool, call.params)
        except ToolrosterError as error:
            return _failed(call, error, duration_ms=1000 * (loop.ticks() - begun))
        told = feedback.bounded(str(result), loop.wording, most_characters=loop.most_characters)
        lasted = 1000 * (loop.ticks() - begun)
        return CallMade(call.tool, call.params, told, tool_id=result.tool_id, duration_ms=lasted)


def no_answer() -> Unavailable:
    """Return the error for an answer that is empty."""
    return Unavailable("The model's answer is empty: it only thought, or `max_tokens` is too small.")


def _failed(call: ToolCall | BrokenCall, error: ToolrosterError, *, duration_ms: float = 0.0) -> CallMade:
    params = call.params if isinstance(call, ToolCall) else {}
    told = feedback.of_error(error)
    return CallMade(call.tool[:_LONGEST_NAME], params, told, error_code=error.code, duration_ms=duration_ms)
