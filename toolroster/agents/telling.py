"""What a team's run prints, line by line; the words up to the first turn are those of seeds/000."""

import json
from collections.abc import Callable, Iterator

from toolroster.agents.config import AgentConfig
from toolroster.agents.integrated import DiscoveryIntegratedAgent
from toolroster.agents.oauth_client import variable
from toolroster.agents.session import Session
from toolroster.agents.tool_loop import CallMade
from toolroster.client.agent import Rediscovered
from toolroster.prompts.prose import one_line, prose

CREATING = "🔍 Creating agents with dynamic tool discovery..."
_LONGEST_TOLD = 200


def created(agent: DiscoveryIntegratedAgent) -> Iterator[str]:
    """Give what is said of a new agent: its scopes, and what it discovered."""
    config = agent.config
    yield ""
    yield f"   ✓ {one_line(config.role)} ({config.name})"
    yield f"      OAuth Scopes: {', '.join(config.oauth_scopes) or 'None'}"
    tools = agent.tool_agent.available_tools
    if tools:
        yield f"      [{config.name}] 🔍 Discovered {len(tools)} tools:"
    else:
        yield "      Discovered Tools: None"
    for tool in tools:
        yield f"         ✓ {one_line(tool.name)}: {one_line(tool.description)}"
    yield from _warnings(agent, config)


def _warnings(agent: DiscoveryIntegratedAgent, config: AgentConfig) -> Iterator[str]:
    if config.tools is not None:
        yield "      ⚠️ `tools` in the configuration is not used: tools are discovered. Delete it."
    if config.oauth_scopes and agent.is_anonymous:
        names = f"{variable('ID', config.name)} and {variable('SECRET', config.name)}"
        yield f"      ⚠️ No client for these scopes: set {names}, or run `make run`."
        yield "         They are shown to TOOLROSTER_URL alone, without it to http://localhost:8006."


def rediscovered(name: str, news: Rediscovered) -> Iterator[str]:
    """Give what an agent gained and lost since its last turn."""
    for tool in news.gained:
        yield f"   [{name}] 🔍 + {one_line(tool)}"
    for tool in news.lost:
        yield f"   [{name}] 🔍 - {one_line(tool)}"


def turn(
    agent: DiscoveryIntegratedAgent, turn_id: int, message: str, redact: Callable[[CallMade], CallMade]
) -> Iterator[str]:
    """Give what an agent called and said; `redact` returns of a call what may be shown."""
    yield ""
    yield f"💬 Turn {turn_id}: {one_line(agent.config.role)} ({agent.config.name})"
    yield from calls(agent, redact)
    for line in prose(message).split("\n"):
        yield f"   {line}".rstrip()


def calls(agent: DiscoveryIntegratedAgent, redact: Callable[[CallMade], CallMade]) -> Iterator[str]:
    """Give what an agent called in its last turn."""
    for call in agent.last.calls if agent.last else ():
        yield f"   🔧 {_call(redact(call))}"


def _call(call: CallMade) -> str:
    params = json.dumps(call.params, ensure_ascii=False)
    mark = "→" if call.is_success else "✗"
    return f"{_cut(f'{call.tool}({params})')} {mark} {_cut(call.told)}"


def statistics(session: Session) -> Iterator[str]:
    """Give how often which agent used which tool."""
    yield ""
    yield "📊 Tool usage statistics"
    for name, told in (session.end.statistics if session.end else {}).items():
        used = ", ".join(f"{one_line(tool)}: {count}" for tool, count in told["usage_by_tool"].items())
        yield (
            f"   {name}: {told['total_tool_calls']} calls, {told['total_tools_available']} tools available"
            + (f" ({used})" if used else "")
        )


def summary(session: Session) -> Iterator[str]:
    """Give how a session ended."""
    failed = sum(not one.call.is_success for one in session.calls)
    tokens = sum(one.usage.total_tokens for one in session.messages)
    yield ""
    yield f"📝 Summary of session {session.start.session_id}"
    yield f"   Model: {one_line(session.start.model)}"
    yield f"   Messages: {len(session.messages)}, tool calls: {len(session.calls)} ({failed} failed)"
    yield f"   Tokens: {tokens or 'not told'}"
    if session.end is None:
        return
    if session.end.failure:
        yield f"   ❌ It ended early: {one_line(session.end.failure)}"
    for line in prose(session.end.summary).split("\n"):
        yield f"   {line}".rstrip()


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST_TOLD else f"{line[:_LONGEST_TOLD]}…"
