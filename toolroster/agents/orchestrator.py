"""Let a team of agents talk in turns, each with the tools that it discovers (seeds/000)."""

import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import click
import httpx

from toolroster.agents import telling
from toolroster.agents.compression import ExtractiveSummarizer, LLMSummarizer, Statement, Summarizer
from toolroster.agents.config import AgentConfig, TeamConfig, load
from toolroster.agents.health import ServiceHealthChecker
from toolroster.agents.integrated import DiscoveryIntegratedAgent, Options
from toolroster.agents.llm import LLM
from toolroster.agents.memory import Memory, MemoryClient
from toolroster.agents.memory_client import SCOPE, WIRE, MemoryServiceClient
from toolroster.agents.oauth_client import OAuth, OAuthClient, access_of
from toolroster.agents.openai_compatible import API_KEY, OpenAICompatible
from toolroster.agents.scripted import ScriptedModel
from toolroster.agents.session import (
    InMemorySessionLog,
    Member,
    MessageSaid,
    Session,
    SessionEnded,
    SessionLog,
    SessionStarted,
    ToolCalled,
)
from toolroster.agents.tool_loop import CallMade
from toolroster.client import DiskCache
from toolroster.errors import ToolrosterError

MODERATOR = "session"
"""Who says the topic; the client of this name is who remembers at a memory service."""


@dataclass(frozen=True)
class Parts:
    """What an orchestrator works with; None for what it makes itself, as the configuration says.

    `say` prints a line, `clock` gives seconds since 1970, `log` also keeps what happens elsewhere. `redact`
    returns of a call what may be printed.
    """

    say: Callable[[str], None] = click.echo
    llm: LLM | None = None
    memory: MemoryClient | None = None
    log: SessionLog | None = None
    oauth: OAuth | None = None
    cache: DiskCache | None = None
    transport: httpx.BaseTransport | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    clock: Callable[[], float] = time.time
    redact: Callable[[CallMade], CallMade] = lambda call: call


class OrchestratorWithDiscovery:
    """A team in one session, from its configuration; agents discover when it is made, and before each turn.

        with OrchestratorWithDiscovery("agents_config.yaml", "http://localhost:8006") as team:
            session = team.run()

    Raises:
        DocumentInvalid: the configuration is wrong.
        ToolrosterError: the client of an agent is refused; a service that is away is only said to be so.
    """

    def __init__(
        self,
        config_path: str | Path,
        discovery_url: str = "http://localhost:8006",
        *,
        parts: Parts = Parts(),
        session_id: str | None = None,
    ) -> None:
        self.config: TeamConfig = load(Path(config_path))
        self.discovery_url = discovery_url.rstrip("/")
        self.session_id = session_id or str(uuid.uuid4())
        self._parts = parts
        self._kept = InMemorySessionLog()
        self.db_manager: SessionLog = _Both(self._kept, parts.log) if parts.log else self._kept
        self._oauth_url = (self.config.services.oauth or self.discovery_url).rstrip("/")
        names = [*(agent.name for agent in self.config.agents), MODERATOR]
        self.oauth_client: OAuth = parts.oauth or OAuthClient.of(self._oauth_url, names, parts.environment)
        self.llm_client = parts.llm or model_of(self.config, parts.environment)
        self.summarizer = summarizer_of(self.llm_client, self.config)
        self.memory_client = parts.memory or self._memory()
        self.agents: dict[str, DiscoveryIntegratedAgent] = {}
        self._check_services()
        self._create_agents()

    @property
    def session(self) -> Session:
        """What was kept of the session, for `toolroster.agents.export`; there is none before it runs."""
        return self._kept.sessions[self.session_id]

    def run(self, turns: int | None = None) -> Session:
        """Let the agents speak, each when it is its turn; None for as many turns as configured.

        Where the model gives no answer the session ends, and `end.failure` says why.
        """
        self.db_manager.started(self._start())
        order = self.config.turn_order
        failure = ""
        for turn_id in range(1, (self.config.session.turns if turns is None else turns) + 1):
            agent = self.agents[order[(turn_id - 1) % len(order)]]
            try:
                self._turn(agent, turn_id)
            except ToolrosterError as error:
                self._say(telling.calls(agent, self._parts.redact))
                failure = f"{agent.config.name} in turn {turn_id}: {error.detail}"
                break
        self.db_manager.ended(self._end(failure))
        self._say(telling.statistics(self.session))
        self._say(telling.summary(self.session))
        return self.session

    def close(self) -> None:
        """Close all connections."""
        for agent in self.agents.values():
            agent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._parts.say(line)

    def _memory(self) -> MemoryClient:
        recent, url = self.config.memory.recent, self.config.services.memory
        if url is None:
            return Memory(recent=recent, summarizer=self.summarizer)
        wire = replace(WIRE, transport=self._parts.transport)
        access = access_of(self.oauth_client, MODERATOR, (SCOPE,))
        return MemoryServiceClient(url, access, recent=recent, wire=wire)

    def _check_services(self) -> None:
        checker = ServiceHealthChecker(self._parts.say, self._parts.transport)
        checker.begin()
        checker.check_service(self._oauth_url, "OAuth Service")
        if self.config.services.memory:
            checker.check_service(self.config.services.memory, "Memory Service")
        else:
            checker.tell_healthy("Memory Service")  # it is in this process
        checker.check_service(self.discovery_url, "Tool Discovery Server")

    def _create_agents(self) -> None:
        self._say(["", telling.CREATING])
        session = self.config.session
        options = Options(
            language=self.config.language,
            open_tools=self.config.open_tools,
            tool_calling=self.config.llm.tool_calling if self.config.llm else "text",
            max_tool_steps=session.max_tool_steps,
            cache=self._parts.cache,
            transport=self._parts.transport,
        )
        for agent_config in self.config.agents:
            agent = self._agent(agent_config, options)
            self.agents[agent_config.name] = agent
            self._say(telling.created(agent))

    def _agent(self, config: AgentConfig, options: Options) -> DiscoveryIntegratedAgent:
        try:
            return DiscoveryIntegratedAgent(
                config,
                self.llm_client,
                self.oauth_client,
                self.memory_client,
                self.db_manager,
                self.discovery_url,
                self.session_id,
                options,
            )
        except ToolrosterError as error:
            self._say(["", f"   ❌ {config.name}: {error.detail}"])
            self.close()
            raise

    def _turn(self, agent: DiscoveryIntegratedAgent, turn_id: int) -> None:
        self._say(telling.rediscovered(agent.config.name, agent.rediscover_tools()))
        message = agent.respond(self._context(), turn_id)
        self._say(telling.turn(agent, turn_id, message, self._parts.redact))

    def _context(self) -> list[dict[str, str]]:
        """Return the topic, and the last messages of all."""
        said = self.session.messages[-self.config.memory.recent :]
        topic = {"agent": MODERATOR, "message": self.config.session.topic}
        return [topic, *({"agent": one.agent, "message": one.message} for one in said)]

    def _start(self) -> SessionStarted:
        members = tuple(
            Member(
                agent.config.name,
                agent.config.role,
                tuple(agent.config.oauth_scopes),
                tuple(agent.tool_agent.list_tools()),
            )
            for agent in self.agents.values()
        )
        model = str(getattr(self.llm_client, "model", type(self.llm_client).__name__))
        about = (self.session_id, self.config.session.topic, model, members, self._now())
        return SessionStarted(*about, turn_order=tuple(self.config.turn_order))

    def _end(self, failure: str) -> SessionEnded:
        stats = {name: agent.tool_agent.get_tool_usage_stats() for name, agent in self.agents.items()}
        # A model that failed a moment ago is not asked again.
        summarizer = ExtractiveSummarizer(self._most_characters) if failure else self.summarizer
        summary = summarizer.summarize([Statement(one.agent, one.message) for one in self.session.messages])
        return SessionEnded(self.session_id, summary, failure, stats, self._now())

    @property
    def _most_characters(self) -> int:
        return self.config.memory.summary_characters

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._parts.clock(), UTC)


@dataclass(frozen=True, slots=True)
class _Both:
    """Two logs that hear the same."""

    first: SessionLog
    second: SessionLog

    def started(self, event: SessionStarted) -> None:
        self.first.started(event)
        self.second.started(event)

    def message(self, event: MessageSaid) -> None:
        self.first.message(event)
        self.second.message(event)

    def call(self, event: ToolCalled) -> None:
        self.first.call(event)
        self.second.call(event)

    def ended(self, event: SessionEnded) -> None:
        self.first.ended(event)
        self.second.ended(event)


def model_of(config: TeamConfig, environment: Mapping[str, str]) -> LLM:
    """Return the model that a configuration names, its key from the environment; else the scripted one."""
    llm = config.llm
    if llm is None:
        return ScriptedModel()
    return OpenAICompatible(
        llm.base_url,
        llm.model,
        environment.get(API_KEY, ""),
        temperature=llm.temperature,
        max_tokens=llm.max_tokens,
    )


def summarizer_of(llm: LLM, config: TeamConfig) -> Summarizer:
    """Return what makes summaries: the model of a session, unless it is the scripted one."""
    most = config.memory.summary_characters
    if isinstance(llm, ScriptedModel):  # it would play a part instead
        return ExtractiveSummarizer(most)
    return LLMSummarizer(llm, config.language, most)
