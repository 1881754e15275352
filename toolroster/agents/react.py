"""The agent of seeds/004: it learns its tools from the registry, and calls them through the router."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, Protocol, Self

from toolroster.agents.llm import LLM, Message
from toolroster.agents.tool_loop import CallMade, Outcome, ToolLoop
from toolroster.agents.wording import WORDINGS, Language
from toolroster.errors import ToolNotFound
from toolroster.prompts.described import Described
from toolroster.prompts.formats import describe
from toolroster.reference import parse_tool_id
from toolroster.routing.result import ToolResult

MOST_STEPS = 50
ToolCalling = Literal["text", "native"]
"""Calls in the answer's text (`<tool_call>`), or by the server's own means."""


class Invoker(Protocol):
    """What calls tools for an agent: the router, or something in its place."""

    def invoke(
        self, tool: str, params: Mapping[str, Any], version_constraint: str | None = None
    ) -> ToolResult:
        """Call a tool by its reference; None for the constraint means the latest version.

        Raises:
            ToolrosterError: what is wrong, said so that a model can correct itself.
        """


class HasDocument(Protocol):
    """A registration; `toolroster.client.Registration` is one."""

    @property
    def document(self) -> dict[str, Any]: ...


class Offering(Protocol):
    """Where the tools of a category are known; `toolroster.client.Registry` is one."""

    def available(self, *, category: Sequence[str]) -> Sequence[HasDocument]:
        """Return all that can be used now in any of these categories, in all for none."""


@dataclass(frozen=True, slots=True)
class AgentTask:
    """What is to be done, with tools of which categories (all for none), in how many steps at most."""

    instruction: str
    required_capabilities: Sequence[str] = ()
    max_steps: int = 10


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What became of a task: `response` of a success, `reason` of a failure; the other one is ""."""

    is_success: bool
    response: str = ""
    reason: str = ""
    steps: int = 0
    calls: tuple[CallMade, ...] = ()

    @classmethod
    def success(cls, response: str, *, steps: int = 0, calls: Sequence[CallMade] = ()) -> Self:
        """Return the result of a task that was done."""
        return cls(True, response=response, steps=steps, calls=tuple(calls))  # noqa: FBT003 - a dataclass

    @classmethod
    def failed(cls, reason: str, *, steps: int = 0, calls: Sequence[CallMade] = ()) -> Self:
        """Return the result of a task that was given up."""
        return cls(False, reason=reason, steps=steps, calls=tuple(calls))  # noqa: FBT003 - a dataclass


@dataclass(frozen=True)
class ReActAgent:
    """An agent that thinks, acts and observes until it has an answer.

        agent = ReActAgent(router, OpenAICompatible("http://localhost:1234/v1", "qwen3"), registry)
        agent.run(AgentTask("Mail the report to Ada", required_capabilities=["communication"]))

    `max_steps` bounds every task. It calls the tools that it was told of and no others.
    """

    router: Invoker
    llm: LLM
    registry: Offering
    language: Language = "zh"
    max_steps: int = MOST_STEPS
    tool_calling: ToolCalling = "text"

    def run(self, task: AgentTask) -> AgentResult:
        """Do a task; the tools are those that there are when it begins.

        Raises:
            ToolrosterError: the registry or the model gives no answer at all; what tools raise is told to the
                model, and a model that fails later has failed, with the calls that were made.
        """
        found = self.registry.available(category=list(task.required_capabilities))
        described = self._described([one.document for one in found])
        told = _ToldTools(self.router, described)
        tools = described.content if isinstance(described.content, list) else None
        loop = ToolLoop(self.llm, told.invoke, WORDINGS[self.language], tools=tools)
        limit = max(0, min(task.max_steps, self.max_steps))
        return self._result(loop.run(self._messages(task, described), max_steps=limit))

    def _described(self, documents: list[dict[str, Any]]) -> Described:
        format_ = "openai" if self.tool_calling == "native" else "seed_004"
        return describe(documents, format=format_, language=self.language)

    def _messages(self, task: AgentTask, described: Described) -> list[Message]:
        wording, tools = WORDINGS[self.language], described.content
        system = wording.system_prompt(tools) if isinstance(tools, str) else wording.assistant
        return [{"role": "system", "content": system}, {"role": "user", "content": task.instruction}]

    def _result(self, outcome: Outcome) -> AgentResult:
        if outcome.answer is None:
            failure = outcome.failure
            reason = failure.detail if failure else WORDINGS[self.language].out_of_steps
            return AgentResult.failed(reason, steps=outcome.steps, calls=outcome.calls)
        return AgentResult.success(outcome.answer, steps=outcome.steps, calls=outcome.calls)


@dataclass(frozen=True, slots=True)
class _ToldTools:
    """The tools that a model was told of, by the names it was told."""

    router: Invoker
    described: Described

    def invoke(self, name: str, params: Mapping[str, Any]) -> ToolResult:
        """Call a tool; one that was not offered is none, whatever a result made the model believe.

        The provider is named, so that no namesake answers. The version is the latest, as in seeds/004.
        """
        names = self.described.names
        if name not in names:
            near = get_close_matches(name, names, n=5, cutoff=0.4)
            raise ToolNotFound(f"{name[:100]!r} is not among your tools.", nearest=near or sorted(names)[:10])
        provider, tool, _ = parse_tool_id(names[name])
        return self.router.invoke(f"{provider}/{tool}", params, None)
