"""Every operation of a registry, without any I/O: a generator that gives requests and takes what came back.

`registry` and `asynchronous` drive them. What a request reads is kept under its key; where nothing came back
in time, what was kept before is taken, with its age.
"""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from toolroster import semver
from toolroster.client.answers import Listed, Registration, is_away
from toolroster.errors import NoMatchingVersion, ToolNotFound, Unavailable
from toolroster.reference import Reference, parse_reference

T = TypeVar("T")

MOST_PAGES = 1000
_LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that only reads: a path below the registry's address, a query, or a JSON value to post."""

    path: str
    query: Sequence[tuple[str, str]] = ()
    json: Any = None

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
        told = yield Ask("/api/tools/available", query)
        page = _object(told.content)
        age = max(age, told.age_seconds)
        rows += [_registration(row, told) for row in _rows(page)]
        cursor = page.get("next")
        if not cursor:
            break
    return Listed(rows, age_seconds=age)


def search(query: str, top_k: int, filters: Mapping[str, Any]) -> Operation[list[dict[str, Any]]]:
    """Give results `{tool, similarity, score, why, near_duplicates}`, best first."""
    told = yield Ask("/api/tools/search", json={"query": query, "top_k": top_k, **_given(filters)})
    return _rows(_object(told.content))


def resolve(ref: str, *, include_prerelease: bool, known: Iterable[Told]) -> Operation[Registration]:
    """Give the one registration that is meant; offline by what was read before."""
    parse_reference(ref)
    query = [("ref", ref), *([("include_prerelease", "true")] if include_prerelease else [])]
    try:
        told = yield Ask("/api/tools/resolve", query)
    except Unavailable as error:
        if not is_away(error):
            raise
        return _offline(ref, known, error, include_prerelease=include_prerelease)
    return _registration(told.content, told)


def get(tool_id: str) -> Operation[Registration]:
    """Give one registration by its id."""
    told = yield Ask(f"/api/tools/{quote(tool_id, safe=':')}")
    return _registration(told.content, told)


def versions(provider: str, name: str) -> Operation[Listed]:
    """Give all versions of a tool, the newest first."""
    told = yield Ask(f"/api/tools/{quote(provider)}/{quote(name)}/versions")
    rows = _rows(_object(told.content))
    return Listed([_registration(row, told) for row in rows], age_seconds=told.age_seconds)


def discover() -> Operation[Told]:
    """Give what the discovery protocol of seeds/000 says of tools, from any server that speaks it."""
    told = yield Ask("/")
    if not isinstance(_object(told.content).get("tools"), list):
        raise Unavailable("The discovery server's answer makes no sense.")
    return told


def stats() -> Operation[dict[str, Any]]:
    """Give the statistics of the registry."""
    told = yield Ask("/api/stats")
    return _object(told.content)


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
    text = wanted.range or _LATEST
    exact = semver.valid_version(text.removeprefix("=")) is not None
    usable = rows if exact else [row for row in rows if row.document.get("lifecycle", "ACTIVE") == "ACTIVE"]
    version = semver.max_satisfying(
        [row.version for row in usable],
        "*" if text == _LATEST else text,
        include_prerelease=include_prerelease,
    )
    if version is None:
        raise NoMatchingVersion(f"No known version of {wanted.name} is in {text}.")
    return next(row for row in usable if row.version == version)


def _is_meant(row: Registration, wanted: Reference) -> bool:
    return row.name == wanted.name and wanted.provider in {None, row.provider}


def _documents(content: Any) -> Iterable[Mapping[str, Any]]:
    """Give the registrations in an answer, whatever it was an answer to."""
    if isinstance(content, dict) and {"tool_id", "provider", "name", "version"} <= content.keys():
        yield content
    elif isinstance(content, dict):
        for one in content.get("results") or ():
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


def _object(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise Unavailable("The registry's answer makes no sense.")
    return content


def _rows(page: Mapping[str, Any]) -> list[Any]:
    rows = page.get("results")
    if not isinstance(rows, list):
        raise Unavailable("The registry's answer makes no sense.")
    return rows


def _registration(row: Any, told: Told) -> Registration:
    if not isinstance(row, dict) or "tool_id" not in row:
        raise Unavailable("The registry's answer makes no sense.")
    return Registration(row, age_seconds=told.age_seconds)
