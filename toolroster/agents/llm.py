"""What agents ask of a language model: messages in, text and wishes to call tools out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Message = dict[str, Any]
"""A message as OpenAI-compatible servers take it: `role`, `content`, and what belongs to calls."""

ToolChoice = Literal["auto", "none"]
"""Whether a model may call the tools that it is offered."""
_THINKING = re.compile(r"\s*<think>.*?(</think>\s*|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A call as a server with native tool calling says it; `arguments` is the text the model wrote."""

    id: str
    name: str
    arguments: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a server counted; 0 where it told none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens
        )

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers: text, "" for none, and native calls."""

    text: str
    calls: tuple[NativeCall, ...] = ()
    usage: Usage = Usage()


class LLM(Protocol):
    """A model that answers; `toolroster.agents.openai_compatible` and `scripted` have one each."""

    def chat(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] | None = None,
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Answer a conversation; `tools` are offered in OpenAI's format.

        Raises:
            ToolrosterError: there is no answer; `detail` says what to do.
        """


def without_thinking(text: str) -> str:
    """Return an answer without the thoughts before it: a call that is only thought of is none."""
    return _THINKING.sub("", text, count=1) if _THINKING.match(text) else text
