"""The agent of seeds/000: it discovers its tools when it starts, and whenever it is told to."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

import httpx

from toolroster.access import Access
from toolroster.client.calling import Target
from toolroster.client.disk import DiskCache
from toolroster.client.registry import Registry
from toolroster.errors import ToolNotFound, Unavailable

logger = logging.getLogger("toolroster.agent")

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


_KINDS: dict[str, type] = {
    "name": str,
    "endpoint": str,
    "scopes": list,
    "description": str,
    "parameters": dict,
    "returns": str,
    "host": str,
    "port": int,
}


@dataclass(frozen=True)
class DiscoveredTool:
    """A tool as discovery tells of it (seeds/000 ToolDefinition)."""

    name: str
    endpoint: str
    scopes: list[str] = field(default_factory=list)
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    returns: str = ""
    host: str = "localhost"
    port: int = 8002

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read what discovery says; what only other servers say is passed over.

        Raises:
            ValueError: it is no tool of the protocol.
        """
        given = {name: value for name, value in dict(told).items() if name in _KINDS and value is not None}
        wrong = [name for name, value in given.items() if not isinstance(value, _KINDS[name])]
        if wrong or not {"name", "endpoint"} <= given.keys():
            raise ValueError(f"{str(told)[:200]} is no tool of the discovery protocol")
        return cls(**given)

    def get_url(self) -> str:
        """Return where it is called; an endpoint that is an address stands for itself."""
        if "://" in self.endpoint:
            return self.endpoint
        origin = self.host if "://" in self.host else f"http://{self.host}"
        return f"{origin}:{self.port}{self.endpoint}"

    @property
    def input_schema(self) -> dict[str, Any]:
        """The schema of its arguments; without parameters anything goes: the seed's tools may name none."""
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        for name, said in self.parameters.items():
            about = said if isinstance(said, dict) else {}
            keywords = {key: value for key, value in about.items() if key != "required"}
            kind = keywords.get("type")
            if not (isinstance(kind, str) and kind in _TYPES):
                keywords.pop("type", None)
            schema["properties"][name] = keywords
        if self.parameters:
            schema["additionalProperties"] = False
            schema["required"] = [
                name
                for name, said in self.parameters.items()
                if isinstance(said, dict) and said.get("required") is True
            ]
        return schema

    @property
    def target(self) -> Target:
        """What is called."""
        return Target(self.name, self.get_url(), self.input_schema, wants_token=bool(self.scopes))


@dataclass(frozen=True, slots=True)
class Rediscovered:
    """Which tools an agent gained and lost."""

    gained: list[str]
    lost: list[str]


class DynamicToolAgent:
    """An agent that knows one address and a token, and learns at run time what it may use.

        agent = DynamicToolAgent("safecracker", token, "http://localhost:8006")
        agent.use_tool("calculator", expression="17 * 23")

    Works with any server that speaks the protocol of seeds/000. With `access` instead of a token it gets its
    tokens itself. While the server is away the last known tools are used (`age_seconds`).
    """

    def __init__(
        self,
        name: str,
        oauth_token: str | None = None,
        discovery_url: str | None = None,
        *,
        access: Access | None = None,
        cache: DiskCache | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.name = name
        self.available_tools: list[DiscoveredTool] = []
        self.age_seconds = 0.0
        self.tool_usage_count: Counter[str] = Counter()
        self._reported: Counter[str] = Counter()
        self._cache = cache
        self._transport = transport
        self._token = oauth_token
        self._access = access or (Access(token=oauth_token) if oauth_token else None)
        self._registry = self._registry_at(discovery_url)
        self.discovery_url = self._registry.url
        self._discover_tools()

    @property
    def oauth_token(self) -> str | None:
        """The token it shows; a new one counts from the next discovery and call on."""
        return self._token

    @oauth_token.setter
    def oauth_token(self, token: str | None) -> None:
        self._token = token
        self._access = Access(token=token) if token else Access()
        self._registry.close()
        self._registry = self._registry_at(self.discovery_url)

    def rediscover_tools(self) -> Rediscovered:
        """Discover again; return what was gained and lost."""
        before = set(self.list_tools())
        self._discover_tools()
        after = set(self.list_tools())
        return Rediscovered(sorted(after - before), sorted(before - after))

    def get_tool(self, tool_name: str) -> DiscoveredTool | None:
        """Return a tool by its name, None if it was not discovered."""
        return next((tool for tool in self.available_tools if tool.name == tool_name), None)

    def has_tool(self, tool_name: str) -> bool:
        """Tell whether a tool was discovered."""
        return self.get_tool(tool_name) is not None

    def list_tools(self) -> list[str]:
        """Return the names of the tools."""
        return [tool.name for tool in self.available_tools]

    def get_tool_info(self, tool_name: str) -> dict[str, Any] | None:
        """Return what discovery says of a tool, and its address."""
        tool = self.get_tool(tool_name)
        return None if tool is None else {**vars(tool), "url": tool.get_url()}

    def use_tool(self, tool_name: str, /, **kwargs: Any) -> Any:
        """Call a tool and return its result; counted.

        Raises:
            ToolNotFound: it was not discovered; `nearest` has what was.
            DocumentInvalid: the arguments are not what its parameters say; nothing was called.
            Unavailable: it does not answer.
            ToolrosterError: what the tool says is wrong.
        """
        tool = self.get_tool(tool_name)
        if tool is None:
            near = get_close_matches(tool_name, self.list_tools(), n=5, cutoff=0.4)
            raise ToolNotFound(
                f"{self.name} knows no tool {tool_name!r}.", nearest=near or self.list_tools()[:10]
            )
        result = self._registry.caller.call(tool.target, kwargs)
        self.tool_usage_count[tool_name] += 1
        return result

    def get_tool_usage_stats(self) -> dict[str, Any]:
        """Return how often which tool was used, in the shape of seeds/000."""
        used = self.tool_usage_count.most_common()
        return {
            "agent": self.name,
            "total_tools_available": len(self.available_tools),
            "total_tool_calls": self.tool_usage_count.total(),
            "usage_by_tool": dict(used),
            "most_used_tool": used[0][0] if used else None,
        }

    def report_usage(self) -> int:
        """Tell the registry how often which tool was used since it was told last; return how many calls."""
        new = self.tool_usage_count - self._reported
        if not new:
            return 0
        told = {**self.get_tool_usage_stats(), "usage_by_tool": dict(new), "total_tool_calls": new.total()}
        added = self._registry.report_usage(told)
        self._reported += new
        return added

    def generate_tool_prompt_context(self) -> str:
        """Return the list of tools for a prompt, in the words of seeds/000; "" without any."""
        if not self.available_tools:
            return ""
        lines = [
            f"- {one.name}({', '.join(one.parameters)}): {one.description}" for one in self.available_tools
        ]
        return "\n".join(["Available tools:", *lines])

    def close(self) -> None:
        """Close all connections."""
        self._registry.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _registry_at(self, url: str | None) -> Registry:
        return Registry(url, access=self._access, cache=self._cache, transport=self._transport)

    def _discover_tools(self) -> None:
        try:
            told = self._registry.discover()
        except Unavailable as error:  # fails open: an agent without tools still runs, and says so
            logger.warning("[%s] no tools were discovered: %s", self.name, error.detail)
            return
        self.age_seconds = told.age_seconds
        self.available_tools = list(_tools(told.content["tools"]))
        logger.info("[%s] Discovered %s tools:", self.name, len(self.available_tools))
        for tool in self.available_tools:
            logger.info("  - %s: %s", tool.name, tool.description)


def _tools(told: Iterable[Any]) -> Iterator[DiscoveredTool]:
    """Give what can be read; one bad entry does not empty the list."""
    for one in told:
        try:
            yield DiscoveredTool.of(one)
        except (ValueError, TypeError):
            logger.warning("passed over: %.200s is no tool of the discovery protocol", one)
