"""How each agent of a team gets its tokens: its own client, from the environment or from `demo.json`."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import httpx

from toolroster.access import Access
from toolroster.oauth import ClientCredentials

DEMO_NOTE = "demo.json"
HOME = ".toolroster"
LOCAL = frozenset({"http://localhost:8006", "http://127.0.0.1:8006"})
"""Where the environment's secrets go if it does not say where."""


@runtime_checkable
class AgentAccess(Protocol):
    """Who an agent is to the registry."""

    def access(self, agent_name: str, scopes: Sequence[str]) -> Access:
        """Return how an agent shows who it is; anonymous without scopes, or without a client of its own."""


@runtime_checkable
class _TokenGiver(Protocol):
    """The client of seeds/000: it gives tokens, and no way to renew them."""

    def get_token(self, agent_name: str, scopes: Sequence[str], /) -> str | None: ...


OAuth = AgentAccess | _TokenGiver
"""What tells an agent who it is: better the first, which renews its tokens."""


def access_of(client: OAuth, agent_name: str, scopes: Sequence[str]) -> Access:
    """Return how an agent shows who it is, of a client of either kind."""
    if isinstance(client, AgentAccess):
        return client.access(agent_name, scopes)
    return Access(token=(client.get_token(agent_name, scopes) if scopes else None) or "")


@dataclass(frozen=True)
class OAuthClient:
    """The clients of a team's agents, for the authorization server at `url`."""

    url: str
    clients: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    """By the agent's name: id and secret."""

    @classmethod
    def of(cls, url: str, names: Sequence[str], environment: Mapping[str, str] = os.environ) -> "OAuthClient":
        """Find the clients of agents: `TOOLROSTER_CLIENT_ID_<NAME>` and `…_SECRET_<NAME>`, or `demo.json`.

        They are for the server of `TOOLROSTER_URL`, without it for the one of `make run` on this machine, and
        the note for the one that wrote it: another one is shown nothing.
        """
        address = url.rstrip("/")
        found = _noted(Path(environment.get("TOOLROSTER_HOME", HOME)) / DEMO_NOTE, address)
        given = environment.get("TOOLROSTER_URL", "").rstrip("/")
        if address in ({given} if given else LOCAL):
            found |= _given(names, environment)
        return cls(address, {name: found[name] for name in names if name in found})

    def access(self, agent_name: str, scopes: Sequence[str]) -> Access:
        """Return how an agent shows who it is.

        An agent without scopes is anonymous: a token that asks for none has all that its client may have
        (RFC 6749 §3.3).
        """
        if not scopes or agent_name not in self.clients:
            return Access()
        client_id, secret = self.clients[agent_name]
        return _AccessAt(client_id, secret, scopes=tuple(scopes), oauth_url=self.url)

    def get_token(self, agent_name: str, scopes: Sequence[str]) -> str | None:
        """Return a token, None for an anonymous agent (seeds/000); see `ClientCredentials.token`."""
        auth = self.access(agent_name, scopes).auth(self.url)
        return auth.token() if isinstance(auth, ClientCredentials) else None


@dataclass(frozen=True)
class _AccessAt(Access):
    """Access whose tokens come from another address than the registry's."""

    oauth_url: str = ""

    def auth(self, registry_url: str) -> httpx.Auth | None:
        return super().auth(self.oauth_url or registry_url)


def variable(kind: str, name: str) -> str:
    """Return the environment variable of an agent's `ID` or `SECRET`."""
    return f"TOOLROSTER_CLIENT_{kind}_{name.upper().replace('-', '_')}"


def _given(names: Sequence[str], environment: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    pairs = {
        name: (environment.get(variable("ID", name), ""), environment.get(variable("SECRET", name), ""))
        for name in names
    }
    return {name: pair for name, pair in pairs.items() if all(pair)}


def _noted(path: Path, url: str) -> dict[str, tuple[str, str]]:
    """Read the clients that `make run` noted; a note that cannot be read is none."""
    try:
        note: Any = json.loads(path.read_bytes())
        if str(note["base_url"]).rstrip("/") != url:
            return {}
        return {
            str(one["name"]): (str(one["client_id"]), str(one["client_secret"])) for one in note["clients"]
        }
    except (OSError, ValueError, LookupError, TypeError):
        return {}
