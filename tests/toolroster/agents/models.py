"""Models and routers that say what they are told, and keep what they were asked."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from toolroster.agents.llm import Message, NativeCall, Reply, ToolChoice
from toolroster.errors import ToolrosterError
from toolroster.routing.result import ToolResult


class ToldModel:
    """A model that gives one reply after the other, the last one over and over."""

    def __init__(self, *replies: str | Reply | ToolrosterError) -> None:
        self.conversations: list[list[Message]] = []
        self.tools: list[Any] = []
        self.choices: list[ToolChoice] = []
        self._replies = deque(replies)

    def chat(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] | None = None,
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        self.conversations.append(deepcopy(list(messages)))
        self.tools.append(tools)
        self.choices.append(tool_choice)
        reply = self._replies.popleft() if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, ToolrosterError):
            raise reply
        return Reply(reply) if isinstance(reply, str) else reply

    @property
    def heard(self) -> str:
        """What the last message that it was sent says."""
        return str(self.conversations[-1][-1]["content"])


class ToldRouter:
    """A router whose tools give these contents, or raise these errors, by reference."""

    def __init__(self, **contents: Any) -> None:
        self.calls: list[tuple[str, dict[str, Any], str | None]] = []
        self._contents = contents

    def invoke(
        self, tool: str, params: Mapping[str, Any], version_constraint: str | None = None
    ) -> ToolResult:
        self.calls.append((tool, dict(params), version_constraint))
        content = self._contents[tool.rpartition("/")[2]]
        if isinstance(content, ToolrosterError):
            raise content
        return ToolResult("call-1", tool, f"{tool.replace('/', ':')}:1.0.0", content)


def call(tool: str, **params: Any) -> str:
    """Return a call as a model writes it."""
    return f"<tool_call>\n{json.dumps({'tool': tool, 'params': params})}\n</tool_call>"


def native(*calls: tuple[str, str]) -> Reply:
    """Return native calls: name and arguments."""
    return Reply("", tuple(NativeCall(f"id-{place}", *one) for place, one in enumerate(calls)))
