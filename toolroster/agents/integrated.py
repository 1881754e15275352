"""An agent of the team of seeds/000: it discovers its tools, speaks in turns, remembers, and keeps a log."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from toolroster.access import Access
from toolroster.agents import feedback
from toolroster.agents.config import AgentConfig
from toolroster.agents.llm import LLM, Message, Reply, Usage
from toolroster.agents.memory import CompressedMemory, MemoryClient
from toolroster.agents.oauth_client import OAuth, access_of
from toolroster.agents.react import ToolCalling
from toolroster.agents.session import MessageSaid, SessionLog, ToolCalled
from toolroster.agents.tool_calls import without_calls
from toolroster.agents.tool_loop import CallMade, Outcome, ToolLoop, no_answer
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

    An anonymous agent, as one without scopes is, finds what needs no scope. `oauth_token` is as in the seed:
    a new one counts from the next discovery and call on.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the signature of seeds/000
        self,
        config: AgentConfig,
        llm_client: LLM,
        oauth_client: OAuth,
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
        self.db_manager = db_manager
        self._options = options
        access = access_of(oauth_client, config.name, config.oauth_scopes)
        self.tool_agent = _ToolAgent(config.name, discovery_url, access, options)

    @property
    def is_anonymous(self) -> bool:
        return self.tool_agent.is_anonymous

    @property
    def oauth_token(self) -> str | None:
        """The token that was set; None where a client gets its tokens itself."""
        return self.tool_agent.oauth_token

    @oauth_token.setter
    def oauth_token(self, token: str | None) -> None:
        self.tool_agent.oauth_token = token

    def rediscover_tools(self) -> Rediscovered:
        """Discover again; return what was gained and lost."""
        return self.tool_agent.rediscover_tools()

    def respond(self, context: Sequence[Mapping[str, str]], turn_id: int) -> str:
        """Answer the last messages of a session, each `{agent, message}`; kept in memory and log.

        Raises:
            ToolrosterError: the model gives no answer, or the memory refuses this agent; what tools raise is
                told to the model, and calls that were made are in the log and in `last`.
        """
        self.last = None
        described = self._described()
        tools = described.content if isinstance(described.content, list) else None
        loop = ToolLoop(
            self._llm,
            lambda name, params: self._use(described.names.get(name, name), params),
            self._options.wording,
            tools=tools,
            on_call=lambda call: self._log_call(turn_id, call),
        )
        outcome = loop.run(self._messages(context, described), max_steps=self._options.max_tool_steps)
        self.last = outcome
        message, usage = self._said(outcome, tools)
        self.usage += usage
        self.db_manager.message(MessageSaid(self.session_id, turn_id, self.config.name, message, usage))
        self._remember(turn_id, message)
        return message

    def close(self) -> None:
        """Close all connections."""
        self.tool_agent.close()

    def _log_call(self, turn_id: int, call: CallMade) -> None:
        self.db_manager.call(ToolCalled(self.session_id, turn_id, self.config.name, call))

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
        system = [about, self._tool_context(described)]
        said = [f"[{one['agent']}]: {feedback.quoted(one['message'])}" for one in context]
        return [
            *({"role": "system", "content": text} for text in system if text),
            *({"role": "user", "content": text} for text in [self._memory_context(context), *said] if text),
        ]

    def _tool_context(self, described: Described) -> str:
        """Return the seed's list of tools, and how to call one; "" without any, or if the server is told."""
        if not (described.names and isinstance(described.content, str)):
            return ""
        return f"\n{described.content}\n\n{self._options.wording.format}"

    def _memory_context(self, context: Sequence[Mapping[str, str]]) -> str:
        """Return what this agent said before, as far as the context does not say it again.

        It may hold what tools said: it is data, and no message of the system.
        """
        memory = self._remembered()
        shown = {one["message"] for one in context}
        lines = [one.message for one in memory.recent if one.message not in shown]
        known = [feedback.quoted(text) for text in (memory.summary, *lines) if text]
        return "\n".join([self._options.wording.memory, "<memory>", *known, "</memory>"]) if known else ""

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

    def _said(self, outcome: Outcome, tools: Sequence[dict[str, Any]] | None) -> tuple[str, Usage]:
        """Return the answer; where the steps ran out, the one to being told so."""
        if outcome.failure is not None:
            raise outcome.failure
        text, usage = outcome.answer, outcome.usage
        if text is None:
            reply = self._answer_now(outcome.messages, tools)
            text, usage = reply.text if tools else without_calls(reply.text), usage + reply.usage
        said = text.strip().removeprefix(f"[{self.config.name}]:").strip()
        if not said:
            raise no_answer()
        return said, usage

    def _answer_now(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]] | None) -> Reply:
        """Ask for an answer without a call; tools that the conversation has calls of stay declared."""
        asked = feedback.with_note(messages, self._options.wording.answer_now)
        return self._llm.chat(asked, tools, tool_choice="none") if tools else self._llm.chat(asked)


class _ToolAgent(DynamicToolAgent):
    """Finds what its agent may use: without a token only what needs none, whatever the server shows.

    The server of seeds/000 shows everything to who shows no token, but its tools would refuse the calls.
    """

    def __init__(self, name: str, discovery_url: str, access: Access, options: Options) -> None:
        self._open_tools = options.open_tools
        super().__init__(
            name,
            discovery_url=discovery_url,
            access=access,
            cache=options.cache,
            transport=options.transport,
        )

    @property
    def is_anonymous(self) -> bool:
        return self._access is None or not (self._access.client_id or self._access.token)

    def _discover_tools(self) -> None:
        super()._discover_tools()
        self.available_tools = [one for one in self.available_tools if self._is_usable(one)]

    def _is_usable(self, tool: DiscoveredTool) -> bool:
        return not self.is_anonymous if tool.scopes else self._open_tools


def _document(tool: DiscoveredTool) -> dict[str, Any]:
    """Return a discovered tool as a registration, as far as a description needs one."""
    return {
        "tool_id": tool.name,
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
