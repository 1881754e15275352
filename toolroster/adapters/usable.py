"""What every framework is given of a tool: a safe name, words, a schema, and how it is called."""

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from toolroster import prompts
from toolroster.client.answers import Registration
from toolroster.client.asynchronous import AsyncRegistry
from toolroster.client.calling import Caller, Target
from toolroster.client.exchange import Filters
from toolroster.client.registry import Registry
from toolroster.errors import DocumentInvalid, ToolrosterError
from toolroster.prompts import Described, without_absent

logger = logging.getLogger("toolroster.adapters")

Schema = dict[str, Any]
What = str | Registration | Mapping[str, Any]
"""A reference to resolve, a registration, or its document, as a search gives it."""


AnyRegistry = Registry | AsyncRegistry


@dataclass(frozen=True, slots=True)
class Usable:
    """One tool, named and described as a model's API takes it."""

    name: str
    description: str
    schema: Schema = field(repr=False)
    """What the model is told of the arguments: strict where the schema can be (`is_strict`)."""
    is_strict: bool
    tool: Registration
    _caller: Caller = field(repr=False)

    @property
    def requires_approval(self) -> bool:
        """Tell whether a person has to agree before each call."""
        return bool((self.tool.document.get("policy") or {}).get("requires_approval"))

    def use(self, arguments: Mapping[str, Any]) -> Any:
        """Call it with what a model sent and return its result; the errors are those of `Caller.call`."""
        return self._caller.call(Target.of(self.tool), self._sent(arguments))

    async def use_async(self, arguments: Mapping[str, Any]) -> Any:
        """Do the same as `use` on the running event loop."""
        return await self._caller.call_async(Target.of(self.tool), self._sent(arguments))

    def _sent(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return without_absent(dict(arguments), self.tool.input_schema)


def usable(
    registry: AnyRegistry,
    what: tuple[What, ...],
    format: str,  # noqa: A002 - the word of `prompts.describe`
    **filters: Unpack[Filters],
) -> list[Usable]:
    """Return the tools that are meant, or all that can be used, one version of each, in a stable order.

    Raises:
        DocumentInvalid: references or filters are given, and the registry is one of an event loop, which is
            asked by `await registry.available()` instead.
        ToolrosterError: what the registry says to a reference.
    """
    found = {tool.tool_id: tool for tool in _found(registry, what, filters)}
    told = prompts.describe([tool.document for tool in found.values()], format=format)
    _log_missing(found, told)
    entries = [entry.get("function", entry) for entry in told.content if isinstance(entry, dict)]
    return [_usable(entry, found[told.names[entry["name"]]], registry.caller) for entry in entries]


def _usable(entry: dict[str, Any], tool: Registration, caller: Caller) -> Usable:
    schema = entry.get("parameters") or entry.get("input_schema") or {}
    return Usable(
        entry["name"], entry.get("description", ""), schema, bool(entry.get("strict")), tool, caller
    )


def _log_missing(found: Iterable[str], told: Described) -> None:
    reasons = {note.tool_id: note.reason for note in told.notes}
    for tool_id in sorted(set(found) - set(told.names.values())):
        reason = reasons.get(tool_id, "another version is, or there are more tools than the vendor takes.")
        logger.warning("%s is not offered: %s", tool_id, reason)


def _found(registry: AnyRegistry, what: tuple[What, ...], filters: Filters) -> list[Registration]:
    asked = registry if isinstance(registry, Registry) else None
    if asked is None and (filters or not what or any(isinstance(one, str) for one in what)):
        raise DocumentInvalid(
            "An AsyncRegistry is asked before: tools(registry, *await registry.available(...))."
        )
    if asked is not None and not what:
        return list(asked.available(**filters))
    return [_registration(asked, one) for one in what]


def _registration(registry: Registry | None, one: What) -> Registration:
    if isinstance(one, str) and registry is not None:
        return registry.resolve(one)
    return one if isinstance(one, Registration) else Registration(dict(one))  # type: ignore[arg-type]


def text_of(result: Any) -> str:
    """Return a result as a model reads it: a text as it is, anything else as JSON."""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def words_of(error: ToolrosterError) -> str:
    """Return an error as a model reads it: what is wrong, where, what was meant, and whether to try again."""
    said = error.problem()
    kept = ("code", "detail", "errors", "nearest", "retryable", "retry_after_seconds")
    return json.dumps({name: said[name] for name in kept if said[name] not in (None, [])}, ensure_ascii=False)
