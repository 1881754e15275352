"""Agents that find their tools at run time: the one of seeds/004 and the team of seeds/000.

`react` does one task, `orchestrator` lets a team of `integrated` agents talk. Both share `tool_loop`, and
ask an `llm`: any `openai_compatible` server, or the `scripted` one of the demo.
"""

from toolroster.agents.integrated import DiscoveryIntegratedAgent
from toolroster.agents.openai_compatible import OpenAICompatible
from toolroster.agents.orchestrator import OrchestratorWithDiscovery
from toolroster.agents.react import AgentResult, AgentTask, ReActAgent
from toolroster.agents.scripted import ScriptedModel

__all__ = [
    "AgentResult",
    "AgentTask",
    "DiscoveryIntegratedAgent",
    "OpenAICompatible",
    "OrchestratorWithDiscovery",
    "ReActAgent",
    "ScriptedModel",
]
