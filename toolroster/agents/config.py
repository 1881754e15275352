"""The configuration of a team (seeds/000 `agents_config.yaml`): who is in it, its model, how it talks."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolroster import faults, files
from toolroster.agents.memory import RECENT
from toolroster.agents.oauth_client import variable
from toolroster.agents.openai_compatible import API_KEY
from toolroster.agents.react import ToolCalling
from toolroster.agents.wording import Language
from toolroster.errors import DocumentInvalid, Fault
from toolroster.reference import SCOPE_PATTERN
from toolroster.spelling import Sent

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]{0,62}$"
_SECRETS = {
    "api_key": API_KEY,
    "client_secret": "TOOLROSTER_CLIENT_SECRET_<NAME>",
    "client_id": "TOOLROSTER_CLIENT_ID_<NAME>",
}
"""What does not belong in a file, and the environment variable where it does."""

_Name = Annotated[str, Field(pattern=NAME_PATTERN)]
_Scope = Annotated[str, Field(pattern=SCOPE_PATTERN)]
_Address = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AgentConfig(_Part):
    """One agent; `tools` is what was listed before there was discovery: it is reported and not used."""

    name: _Name
    role: str
    system_prompt: str = ""
    oauth_scopes: list[_Scope] = []
    tools: list[str] | None = None


class LLMConfig(_Part):
    """An OpenAI-compatible server; its key comes from the environment."""

    base_url: _Address = "http://localhost:1234/v1"
    model: str
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    tool_calling: ToolCalling = "text"


class MemoryConfig(_Part):
    """How much is remembered as it was said, in messages, and how long a summary is, in characters."""

    recent: Annotated[int, Field(ge=1, le=100)] = RECENT
    summary_characters: Annotated[int, Field(ge=100, le=20_000)] = 1200


class SessionConfig(_Part):
    """How the team talks: `turns` times one agent speaks, in `turn_order`, over and over; () is as listed."""

    turns: Annotated[int, Field(ge=1, le=1000)] = 8
    turn_order: list[str] = []
    topic: str = "Introduce yourself and say what you can contribute."
    max_tool_steps: Annotated[int, Field(ge=1, le=50)] = 4
    """Answers of an agent in one turn that may ask for tools."""


class ServicesConfig(_Part):
    """Addresses; None for `oauth` is the registry, for `memory` one in this process.

    That of the platform's memory is `http://localhost:8006/api/memory`.
    """

    oauth: _Address | None = None
    memory: _Address | None = None


class TeamConfig(_Part):
    """A whole file; without `llm` the scripted model of the demo speaks.

    `open_tools` says whether agents also use tools that ask for no scope, as everybody may; the server of
    seeds/000 shows those to nobody who has a token.
    """

    agents: Annotated[list[AgentConfig], Field(min_length=1, max_length=50)]
    llm: LLMConfig | None = None
    memory: MemoryConfig = MemoryConfig()
    session: SessionConfig = SessionConfig()
    services: ServicesConfig = ServicesConfig()
    open_tools: bool = True
    language: Language = "en"

    @classmethod
    def of(cls, document: Any) -> Self:
        """Read the value of a file.

        Raises:
            DocumentInvalid: what is wrong with it, each with a pointer.
        """
        found = [*_secrets(document, "")]
        if found:
            raise faults.invalid(found)
        try:
            config = cls.model_validate(document)
        except ValidationError as error:
            raise faults.document_invalid(error, model=cls, sent=Sent()) from error
        _check_names(config)
        return config

    @property
    def turn_order(self) -> list[str]:
        return self.session.turn_order or [agent.name for agent in self.agents]


def load(path: Path) -> TeamConfig:
    """Read a file, YAML or JSON.

    Raises:
        DocumentInvalid: there is none, or what is wrong with it.
    """
    try:
        return TeamConfig.of(files.content_of(path))
    except DocumentInvalid as error:
        raise DocumentInvalid(
            f"{path}: {error.detail}", errors=error.errors, nearest=error.nearest
        ) from error


def _secrets(value: Any, where: str) -> Iterator[Fault]:
    members: Mapping[Any, Any] = {}
    if isinstance(value, dict):
        members = value
    elif isinstance(value, list):
        members = dict(enumerate(value))
    for name, inner in members.items():
        if name in _SECRETS:
            detail = f"It does not belong in a file; set {_SECRETS[name]}."
            yield Fault(f"{where}/{name}", "secret_in_file", detail)
        yield from _secrets(inner, f"{where}/{name}")


def _shared_variables(names: Sequence[str]) -> Iterator[Fault]:
    """Give the agents whose secrets would be another's: `a-b` and `A_b` have one variable."""
    owners: dict[str, str] = {}
    for place, name in enumerate(names):
        owner = owners.setdefault(variable("SECRET", name), name)
        if owner != name:
            detail = f"{owner!r} has its secret in {variable('SECRET', name)} already; take another name."
            yield Fault(f"/agents/{place}/name", "duplicate", detail)


def _check_names(config: TeamConfig) -> None:
    names = [agent.name for agent in config.agents]
    found = [
        Fault(f"/agents/{place}/name", "duplicate", f"There is another agent {name!r}.")
        for place, name in enumerate(names)
        if name in names[:place]
    ]
    unknown = [(place, name) for place, name in enumerate(config.session.turn_order) if name not in names]
    for place, name in unknown:
        detail = f"There is no agent {name[:100]!r}."
        found.append(Fault(f"/session/turn_order/{place}", "not_allowed", detail))
    found += _shared_variables(names)
    if found:
        nearest = get_close_matches(unknown[0][1], names, n=3, cutoff=0.3) if unknown else []
        raise faults.invalid(found, nearest=nearest)
