"""Every operation of a registry, without any I/O: a generator that gives requests and takes what came back.

`registry` and `asynchronous` drive them. What a request reads is kept under its key; where nothing came back
in time, what was kept before is taken, with its age.
"""

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from toolroster import semver
from toolroster.channels import LATEST, STABLE, split
from toolroster.client.answers import Listed, Registration, Results, Stats, is_away
from toolroster.errors import NoMatchingVersion, ToolNotFound, Unavailable
from toolroster.reference import Reference, parse_reference

T = TypeVar("T")

MOST_PAGES = 1000
_IDENTITY = ("tool_id", "provider", "name", "version")


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: a path below the registry's address, a query, or a JSON value to send.

    `is_sensible` tells whether a JSON value can be its answer. `is_kept`: it only reads, and its answer is
    kept for when the registry is away. `wait_seconds` is how long the registry may take beside the usual.
    """

    path: str
    is_sensible: Callable[[Any], bool]
    query: Sequence[tuple[str, str]] = ()
    json: Any = None
    method: str = ""
    is_kept: bool = True
    wait_seconds: float = 0.0

    @property
    def key(self) -> str:
        """What its answer is kept under, beside whom it was given to."""
        return json.dumps([self.path, list(self.query), self.json], sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Told:
    """The JSON value that came back, and its age in seconds."""

    content: Any = field(repr=False)
    age_seconds: float = 0.0


Operation = Generator[Ask, Told, T]


def available(filters: Mapping[str, Any]) -> Operation[Listed]:
    """Give the list of what can be used, all pages of it."""
    rows: list[Registration] = []
    age, cursor = 0.0, None
    for _ in range(MOST_PAGES):
        query = [*_query(filters), *([("cursor", cursor)] if cursor else [])]
        told = yield Ask("/api/tools/available", _is_list, query)
        page = told.content
        age = max(age, told.age_seconds)
        rows += [Registration(row, age_seconds=told.age_seconds) for row in page["results"]]
        cursor = page.get("next")
        if not cursor:
            break
    return Listed(rows, age_seconds=age)


def search(query: str, top_k: int, filters: Mapping[str, Any]) -> Operation[Results]:
    """Give results `{tool, similarity, score, why, near_duplicates}`, best first."""
    wanted = {"query": query, "top_k": top_k, **_given(filters)}
    told = yield Ask("/api/tools/search", _is_found, json=wanted)
    found = Results(told.content["results"])
    found.age_seconds = told.age_seconds
    return found


def resolve(ref: str, *, include_prerelease: bool, known: Iterable[Told]) -> Operation[Registration]:
    """Give the one registration that is meant; offline by what was read before."""
    parse_reference(ref)
    query = [("ref", ref), *([("include_prerelease", "true")] if include_prerelease else [])]
    try:
        told = yield Ask("/api/tools/resolve", _is_registration, query)
    except Unavailable as error:
        if not is_away(error):
            raise
        return _offline(ref, known, error, include_prerelease=include_prerelease)
    return Registration(told.content, age_seconds=told.age_seconds)


def get(tool_id: str) -> Operation[Registration]:
    """Give one registration by its id."""
    told = yield Ask(f"/api/tools/{quote(tool_id, safe=':')}", _is_registration)
    return Registration(told.content, age_seconds=told.age_seconds)


def versions(provider: str, name: str) -> Operation[Listed]:
    """Give all versions of a tool, the newest first."""
    told = yield Ask(f"/api/tools/{quote(provider)}/{quote(name)}/versions", _is_list)
    rows = (Registration(row, age_seconds=told.age_seconds) for row in told.content["results"])
    return Listed(rows, age_seconds=told.age_seconds)


def discover() -> Operation[Told]:
    """Give what the discovery protocol of seeds/000 says of tools, from any server that speaks it."""
    told = yield Ask("/", _is_discovery)
    return told


def stats() -> Operation[Stats]:
    """Give the statistics of the registry."""
    told = yield Ask("/api/stats", _is_object)
    numbers = Stats(told.content)
    numbers.age_seconds = told.age_seconds
    return numbers


def _offline(ref: str, known: Iterable[Told], away: Unavailable, *, include_prerelease: bool) -> Registration:
    """Resolve a reference among what was read before, by the rules that the registry has.

    Raises:
        Unavailable: nothing that was read before fits; the registry may know more.
    """
    wanted = parse_reference(ref)
    found: dict[str, Registration] = {}
    for told in known:
        for document in _documents(told.content):
            row = Registration(document, age_seconds=told.age_seconds)
            if _is_meant(row, wanted):
                found.setdefault(row.tool_id, row)
    try:
        return _best(list(found.values()), wanted, include_prerelease=include_prerelease)
    except ToolNotFound as error:
        raise Unavailable(f"{away.detail} Nothing known is {ref!r}.") from error


def _best(rows: list[Registration], wanted: Reference, *, include_prerelease: bool) -> Registration:
    providers = sorted({row.provider for row in rows})
    if len(providers) != 1:
        raise ToolNotFound(f"{len(providers)} providers offer {wanted.name!r}.", nearest=providers)
    text = wanted.range or LATEST
    exact = semver.valid_version(text.removeprefix("=")) is not None
    usable = rows if exact else [row for row in rows if row.document.get("lifecycle", "ACTIVE") == "ACTIVE"]
    channel, within = split(text)
    if channel not in {"", LATEST, STABLE}:  # only the registry knows where it points
        raise NoMatchingVersion(f"Where the channel {channel} of {wanted.name} points is not known.")
    version = semver.max_satisfying(
        [row.version for row in usable], within or "*", include_prerelease=include_prerelease
    )
    if version is None:
        raise NoMatchingVersion(f"No known version of {wanted.name} is in {text}.")
    return next(row for row in usable if row.version == version)


def _is_meant(row: Registration, wanted: Reference) -> bool:
    is_alive = row.document.get("health") != "UNAVAILABLE"
    return row.name == wanted.name and wanted.provider in {None, row.provider} and is_alive


def _documents(content: Any) -> Iterable[Mapping[str, Any]]:
    """Give the registrations in an answer, whatever it was an answer to."""
    if _is_registration(content):
        yield content
    elif isinstance(content, dict):
        rows = content.get("results")
        for one in rows if isinstance(rows, list) else ():
            yield from _documents(one.get("tool", one) if isinstance(one, dict) else one)
    elif isinstance(content, list):
        for one in content:
            yield from _documents(one)


def _query(filters: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in _given(filters).items():
        values = value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, _text(one)) for one in values]
    return pairs


def _given(filters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in filters.items() if value not in (None, (), [])}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_object(content: Any) -> bool:
    return isinstance(content, dict)


def _is_discovery(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(content.get("tools"), list)


def _is_registration(content: Any) -> bool:
    return isinstance(content, dict) and all(isinstance(content.get(name), str) for name in _IDENTITY)


def _is_list(content: Any) -> bool:
    rows = content.get("results") if isinstance(content, dict) else None
    return isinstance(rows, list) and all(map(_is_registration, rows))


def _is_found(content: Any) -> bool:
    rows = content.get("results") if isinstance(content, dict) else None
    return isinstance(rows, list) and all(
        isinstance(one, dict) and _is_registration(one.get("tool")) for one in rows
    )
