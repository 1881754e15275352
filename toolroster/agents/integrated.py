"""An agent of the team of seeds/000: it discovers its tools, speaks in turns, remembers, and keeps a log."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from toolroster.agents import feedback
from toolroster.agents.config import AgentConfig
from toolroster.agents.llm import LLM, Message, Usage
from toolroster.agents.memory import CompressedMemory, MemoryClient
from toolroster.agents.oauth_client import AgentAccess
from toolroster.agents.react import ToolCalling
from toolroster.agents.session import MessageSaid, SessionLog, ToolCalled
from toolroster.agents.tool_calls import without_calls
from toolroster.agents.tool_loop import Outcome, ToolLoop
from toolroster.agents.wording import WORDINGS, Language, Wording
from toolroster.client import DiskCache, DynamicToolAgent
from toolroster.client.agent import DiscoveredTool, Rediscovered
from toolroster.errors import Unavailable
from toolroster.prompts.described import Described
from toolroster.prompts.formats import describe
from toolroster.routing.result import ToolResult

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """How an agent behaves: `max_tool_steps` answers of one turn may ask for tools.

    Without `open_tools` it uses only tools that one of its scopes opens, as in seeds/000.
    """

    language: Language = "en"
    tool_calling: ToolCalling = "text"
    max_tool_steps: int = 4
    open_tools: bool = True
    cache: DiskCache | None = None
    transport: httpx.BaseTransport | None = None

    @property
    def wording(self) -> Wording:
        return WORDINGS[self.language]


class DiscoveryIntegratedAgent:
    """One agent of a session; `tool_agent` discovers and calls its tools, and counts the calls.

    An anonymous agent, as one without scopes is, finds what needs no scope: the server of seeds/000 shows
    everything to who shows no token, but the tools would refuse it.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the signature of seeds/000
        self,
        config: AgentConfig,
        llm_client: LLM,
        oauth_client: AgentAccess,
        memory_client: MemoryClient,
        db_manager: SessionLog,
        discovery_url: str,
        session_id: str,
        options: Options = Options(),
    ) -> None:
        self.config = config
        self.session_id = session_id
        self.usage = Usage()
        self.last: Outcome | None = None
        """What the last turn came to."""
        self._llm = llm_client
        self._memory = memory_client
        self._log = db_manager
        self._options = options
        access = oauth_client.access(config.name, config.oauth_scopes)
        self.is_anonymous = not (access.client_id or access.token)
        self.tool_agent = DynamicToolAgent(
            config.name,
            discovery_url=discovery_url,
            access=access,
            cache=options.cache,
            transport=options.transport,
        )
        self._keep_usable()

    def rediscover_tools(self) -> Rediscovered:
        """Discover again; return what was gained and lost."""
        before = set(self.tool_agent.list_tools())
        self.tool_agent.rediscover_tools()
        self._keep_usable()
        after = set(self.tool_agent.list_tools())
        return Rediscovered(sorted(after - before), sorted(before - after))

    def respond(self, context: Sequence[Mapping[str, str]], turn_id: int) -> str:
        """Answer the last messages of a session, each `{agent, message}`; kept in memory and log.

        Raises:
            ToolrosterError: the model gives no answer, or the memory refuses this agent; what tools raise is
                told to the model.
        """
        described = self._described()
        tools = described.content if isinstance(described.content, list) else None
        loop = ToolLoop(
            self._llm,
            lambda name, params: self._use(described.names.get(name, name), params),
            self._options.wording,
            tools=tools,
        )
        outcome = loop.run(self._messages(context, described), max_steps=self._options.max_tool_steps)
        self.last = outcome
        for call in outcome.calls:
            self._log.call(ToolCalled(self.session_id, turn_id, self.config.name, call))
        message, usage = self._said(outcome)
        self.usage += usage
        self._log.message(MessageSaid(self.session_id, turn_id, self.config.name, message, usage))
        self._remember(turn_id, message)
        return message

    def close(self) -> None:
        """Close all connections."""
        self.tool_agent.close()

    def _keep_usable(self) -> None:
        found = self.tool_agent.available_tools
        self.tool_agent.available_tools = [one for one in found if self._is_usable(one)]

    def _is_usable(self, tool: DiscoveredTool) -> bool:
        return not self.is_anonymous if tool.scopes else self._options.open_tools

    def _use(self, name: str, params: Mapping[str, Any]) -> ToolResult:
        result = self.tool_agent.use_tool(name, **params)
        return ToolResult(call_id="", asked=name, tool_id=name, content=result)

    def _described(self) -> Described:
        """Return the tools as the model is told of them; its names are mapped to the discovered ones.

        The text is that of `DynamicToolAgent.generate_tool_prompt_context`, but what strangers wrote of
        their tools cannot begin a line of its own.
        """
        format_ = "openai" if self._options.tool_calling == "native" else "seed_000"
        tools = map(_document, self.tool_agent.available_tools)
        return describe(tools, format=format_, language=self._options.language)

    def _messages(self, context: Sequence[Mapping[str, str]], described: Described) -> list[Message]:
        about = self.config.system_prompt or f"You are {self.config.name}, the {self.config.role}."
        system = [about, self._tool_context(described), self._memory_context(context)]
        said = [f"[{one['agent']}]: {one['message']}" for one in context]
        return [
            *({"role": "system", "content": text} for text in system if text),
            *({"role": "user", "content": text} for text in said),
        ]

    def _tool_context(self, described: Described) -> str:
        """Return the seed's list of tools, and how to call one; "" without any, or if the server is told."""
        if not (described.names and isinstance(described.content, str)):
            return ""
        return f"\n{described.content}\n\n{self._options.wording.format}"

    def _memory_context(self, context: Sequence[Mapping[str, str]]) -> str:
        """Return what this agent said before, as far as the context does not say it again."""
        memory = self._remembered()
        shown = {one["message"] for one in context}
        lines = [one.message for one in memory.recent if one.message not in shown]
        known = [text for text in (memory.summary, *lines) if text]
        return "\n".join([self._options.wording.memory, *known]) if known else ""

    def _remember(self, turn_id: int, message: str) -> None:
        try:
            self._memory.store_memory(self.config.name, turn_id, message, self.session_id)
        except Unavailable as error:  # fails open: what was said is in the log
            logger.warning("[%s] turn %s is not remembered: %s", self.config.name, turn_id, error.detail)

    def _remembered(self) -> CompressedMemory:
        try:
            return self._memory.get_compressed_memory(self.config.name, self.session_id)
        except Unavailable as error:  # fails open: the context has what was said last
            logger.warning("[%s] speaks without its memory: %s", self.config.name, error.detail)
            return CompressedMemory("", (), 0)

    def _said(self, outcome: Outcome) -> tuple[str, Usage]:
        """Return the answer; where the steps ran out, the one to being told so."""
        text, usage = outcome.answer, outcome.usage
        if text is None:
            asked = feedback.with_note(outcome.messages, self._options.wording.answer_now)
            reply = self._llm.chat(asked)
            text, usage = without_calls(reply.text), usage + reply.usage
        return text.strip().removeprefix(f"[{self.config.name}]:").strip(), usage


def _document(tool: DiscoveredTool) -> dict[str, Any]:
    """Return a discovered tool as a registration, as far as a description needs one."""
    return {
        "tool_id": tool.name,
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
