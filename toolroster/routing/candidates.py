"""A version of a tool as the router sees it: its contract, its policy, and the instances that serve it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from toolroster.oauth.resource import origin_of
from toolroster.reference import make_tool_id

HEALTHY_FIRST = ("HEALTHY", "UNMONITORED", "SUSPECT", "UNAVAILABLE")
CHEAP_FIRST = ("LOW", "MEDIUM", "HIGH")


@dataclass(frozen=True, slots=True)
class Instance:
    """Who serves a version, and where it is called."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """A fallback that the provider declared; `arguments` maps its parameters to ours, or to constants."""

    ref: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Policy:
    """Under which conditions a version is called (seeds/004 ToolPolicy)."""

    rate_limit_per_minute: int = 100
    timeout_ms: int = 5000
    max_concurrent_calls: int | None = None
    allowed_roles: tuple[str, ...] = ()
    requires_approval: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version that a call may be sent to. `instances` are those that are alive, [] when none is."""

    tool_id: str
    provider: str
    name: str
    version: str
    input_schema: Mapping[str, Any] = field(repr=False, hash=False)
    instances: tuple[Instance, ...]
    method: str = "POST"
    transport: str = "http"
    audience: str = ""
    scopes: tuple[str, ...] = ()
    policy: Policy = Policy()
    description: str = field(default="", repr=False)
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cost_level: str = "LOW"
    idempotent: bool = False
    read_only: bool = False
    destructive: bool = True
    open_world: bool = True
    alternatives: tuple[Alternative, ...] = field(default=(), hash=False)
    health: str = "UNMONITORED"
    lifecycle: str = "ACTIVE"
    may_be_private: bool = False
    """Whether an operator allowed addresses of private networks to its provider."""

    @classmethod
    def of(
        cls,
        document: Mapping[str, Any],
        instances: Sequence[Instance] | None = None,
        *,
        may_be_private: bool = False,
    ) -> Self:
        """Read a registration as the registry serves it; without instances its own address is the one."""
        endpoint = document.get("endpoint") or {}
        url = endpoint.get("url") or ""
        if instances is None:
            is_alive = bool(url) and document.get("health") != "UNAVAILABLE"
            instances = [Instance("", url)] if is_alive else []
        capabilities = document.get("capabilities") or {}
        provider, name, version = document["provider"], document["name"], document["version"]
        return cls(
            tool_id=str(document.get("tool_id") or make_tool_id(provider, name, version)),
            provider=provider,
            name=name,
            version=version,
            input_schema=document.get("input_schema") or {},
            instances=tuple(instances),
            method=str(endpoint.get("method") or "POST"),
            transport=str(endpoint.get("transport") or "http"),
            audience=str(endpoint.get("audience") or ""),
            scopes=tuple(document.get("scopes") or ()),
            policy=_policy(document.get("policy") or {}),
            description=str(document.get("description") or ""),
            categories=tuple(capabilities.get("categories") or ()),
            tags=tuple(capabilities.get("tags") or ()),
            cost_level=str(capabilities.get("cost_level") or "LOW"),
            idempotent=bool(capabilities.get("idempotent")),
            read_only=bool(capabilities.get("read_only")),
            destructive=capabilities.get("destructive") is not False,
            open_world=capabilities.get("open_world") is not False,
            alternatives=tuple(
                Alternative(str(one["ref"]), one.get("arguments") or {})
                for one in document.get("alternatives") or ()
            ),
            health=str(document.get("health") or "UNMONITORED"),
            lifecycle=str(document.get("lifecycle") or "ACTIVE"),
            may_be_private=may_be_private,
        )

    def audience_at(self, instance: Instance) -> str:
        """Return what a token for an instance is for: what was declared, or the origin that is called."""
        return self.audience or origin_of(instance.url)

    @property
    def key(self) -> str:
        """The tool without its version: what has so many places for calls at once."""
        return f"{self.provider}/{self.name}"

    @property
    def is_repeatable(self) -> bool:
        """Whether a call that may have been done can be sent again."""
        return self.read_only or self.idempotent

    @property
    def danger(self) -> int:
        """What a call may do: 0 reads, 1 adds, 2 may destroy; what is not said is the worst (MCP's hints)."""
        return 0 if self.read_only else 1 + self.destructive

    @property
    def rank(self) -> tuple[int, int]:
        """Healthy before suspect, cheap before costly."""
        return HEALTHY_FIRST.index(self.health), CHEAP_FIRST.index(self.cost_level)


def _policy(said: Mapping[str, Any]) -> Policy:
    given = {name: said[name] for name in Policy.__dataclass_fields__ if said.get(name) is not None}
    return Policy(**{**given, "allowed_roles": tuple(given.get("allowed_roles", ()))})
