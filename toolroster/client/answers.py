"""What a registry answers: registrations, lists with their age, and errors of the one tree."""

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex, overload

import httpx

from toolroster import errors, strict_json
from toolroster.errors import (
    BodyTooLarge,
    Conflict,
    DocumentInvalid,
    Fault,
    Malformed,
    PermissionMissing,
    TimedOut,
    ToolNotFound,
    ToolrosterError,
    ToolUnavailable,
    Unauthenticated,
    Unavailable,
)
from toolroster.farewell import farewell


class Registration:
    """One version of a tool as the registry serves it; `document` is the whole JSON object.

    `age_seconds` says how old it is: 0 when the registry has just said it, more when it comes from memory.
    """

    def __init__(self, document: Mapping[str, Any], *, age_seconds: float = 0.0) -> None:
        self.document = dict(document)
        self.age_seconds = age_seconds

    @property
    def tool_id(self) -> str:
        return str(self.document["tool_id"])

    @property
    def provider(self) -> str:
        return str(self.document["provider"])

    @property
    def name(self) -> str:
        return str(self.document["name"])

    @property
    def version(self) -> str:
        return str(self.document["version"])

    @property
    def description(self) -> str:
        return str(self.document.get("description") or "")

    @property
    def input_schema(self) -> dict[str, Any]:
        return dict(self.document.get("input_schema") or {})

    @property
    def scopes(self) -> list[str]:
        return list(self.document.get("scopes") or [])

    @property
    def url(self) -> str | None:
        """Where it is called, None where it is not called over HTTP."""
        endpoint = self.document.get("endpoint") or {}
        return endpoint.get("url") if endpoint.get("transport", "http") == "http" else None

    @property
    def farewell(self) -> str | None:
        """What is said of a version that is deprecated or yanked, None for one in use."""
        said = farewell(self.document)
        return said[1] if said else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Registration) and self.document == other.document

    __hash__ = None  # type: ignore[assignment] # its document can be changed

    def __repr__(self) -> str:
        return f"<Registration {self.tool_id}>"


class Results(list[dict[str, Any]]):
    """Results of a search, best first, and how old they are in seconds."""

    age_seconds = 0.0


class Stats(dict[str, Any]):
    """Statistics of a registry, and how old they are in seconds."""

    age_seconds = 0.0


class Listed(Sequence[Registration]):
    """Registrations, and how old the list is in seconds: 0 when the registry has just said it."""

    def __init__(self, rows: Iterable[Registration], *, age_seconds: float = 0.0) -> None:
        self._rows = list(rows)
        self.age_seconds = age_seconds

    @overload
    def __getitem__(self, place: SupportsIndex) -> Registration: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Registration]: ...
    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<Listed {[row.tool_id for row in self._rows]}>"


def is_away(error: ToolrosterError) -> bool:
    """Tell whether an error means that nobody answered; that a tool is not alive is an answer."""
    return isinstance(error, Unavailable) and not isinstance(error, (ToolUnavailable, TimedOut))


def content_of(response: httpx.Response) -> Any:
    """Return the JSON value of a registry's answer.

    Raises:
        ToolrosterError: the one that the problem details, or else the status, stand for.
        Unavailable: a server error, or a success that is no JSON.
    """
    is_json = _is_json(response)
    try:
        content = strict_json.loads(response.content) if is_json else None
    except Malformed as error:
        raise Unavailable(f"{response.url.host} answers {response.status_code} with broken JSON.") from error
    if not response.is_success:
        raise error_of(response.status_code, content, host=response.url.host)
    if not is_json:
        raise Unavailable(f"{response.url.host} answers {response.status_code}, but no JSON.")
    return content


def result_of(response: httpx.Response) -> Any:
    """Return what a tool answers: its `result`, or the JSON value or text as it is.

    Raises:
        ToolrosterError: the one that the problem details, or else the status, stand for.
    """
    content: Any = response.text
    if _is_json(response):
        with contextlib.suppress(ValueError):
            content = json.loads(response.content)
    if not response.is_success:
        raise error_of(response.status_code, content, host=response.url.host)
    return content["result"] if isinstance(content, dict) and content.keys() == {"result"} else content


def _is_json(response: httpx.Response) -> bool:
    media_type: str = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" or media_type.endswith("+json")


_BY_STATUS: dict[int, type[ToolrosterError]] = {
    400: Malformed,
    401: Unauthenticated,
    403: PermissionMissing,
    404: ToolNotFound,
    409: Conflict,
    413: BodyTooLarge,
}


def error_of(status: int, problem: Any, *, host: str) -> ToolrosterError:
    """Return the error that problem details (RFC 9457) stand for; without a known code the status decides."""
    said: dict[str, Any] = problem if isinstance(problem, dict) else {}
    by_status = Unavailable if status >= 500 or status == 429 else _BY_STATUS.get(status, DocumentInvalid)
    kind = _by_code().get(str(said.get("code")), by_status)
    if status >= 500 and not issubclass(kind, Unavailable):
        kind = Unavailable
    after = said.get("retry_after_seconds")
    return kind(
        str(said.get("detail") or f"{host} answers {status}."),
        errors=[_fault(one) for one in _list(said.get("errors")) if isinstance(one, dict)],
        nearest=[str(one) for one in _list(said.get("nearest"))],
        retry_after_seconds=after if isinstance(after, int) else None,
        extra={"answered": status, **({"answered_code": said["code"]} if "code" in said else {})},
    )


def _by_code() -> dict[str, type[ToolrosterError]]:
    found: dict[str, type[ToolrosterError]] = {}
    waiting: list[type[ToolrosterError]] = [errors.ToolrosterError]
    while waiting:
        kind = waiting.pop()
        found[kind.code] = kind
        waiting += [one for one in kind.__subclasses__() if one.__module__ == errors.__name__]
    return found


def _fault(one: Mapping[str, Any]) -> Fault:
    return Fault(str(one.get("pointer", "")), str(one.get("code", "")), str(one.get("detail", "")))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
