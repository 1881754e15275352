"""What may be recorded of a team's calls: nothing that a schema marks `x-sensitive`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from consumers.services.storing import storable
from registry.models import ToolRegistration
from toolroster.agents.tool_loop import CallMade
from toolroster.routing.calls import params_hash
from toolroster.routing.sensitive import HIDDEN, redacted

NOT_RECORDED = "[not recorded]"
"""Stands for values of a tool whose schema is not known here: what of them is sensitive nobody can tell."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas of one version of a tool; None for an output that is not described."""

    input: Mapping[str, Any]
    output: Mapping[str, Any] | None = None


def of_registry(name: str) -> list[Schemas]:
    """Return the schemas of every version that a name of discovery may mean here.

    Which one an agent saw depends on who it is, and discovery tells no mark: the marks of all count.
    """
    rows = ToolRegistration.objects.filter(_called(storable(name))).order_by("pk")
    documents = (row.document for row in rows.iterator())
    return [Schemas(one["input_schema"], one["output_schema"]) for one in documents]


def elsewhere(name: str) -> list[Schemas]:
    """Return what is known of the tools of another registry: nothing."""
    return []


def _called(name: str) -> Q:
    """Return the condition on tools called `name`, `provider__name` or `provider:name`; see `catalogue`."""
    found = Q(of_tool__name=name)
    for separator in ("__", ":"):
        provider, is_split, bare = name.partition(separator)
        if is_split:
            found |= Q(of_tool__provider__name=provider, of_tool__name=bare)
    return found


def recordable(call: CallMade, schemas: Sequence[Schemas]) -> CallMade:
    """Return a call without what must not be kept; what it came to is kept where nothing was sensitive."""
    if not schemas:
        return replace(call, params=dict.fromkeys(call.params, NOT_RECORDED), told=NOT_RECORDED)
    params: Any = call.params
    for one in schemas:
        params = redacted(params, one.input)
    if not isinstance(params, dict):
        params = dict.fromkeys(call.params, HIDDEN)
    if any(_marks(one.input) for one in schemas):  # a misspelt name may hold what the right one would
        known = {name for one in schemas for name in one.input.get("properties") or {}}
        params = {name: value if name in known else HIDDEN for name, value in params.items()}
    is_open = params == call.params and not any(_marks(one.output) for one in schemas)
    return replace(call, params=params, told=call.told if is_open else HIDDEN)


def _marks(schema: Any) -> bool:
    return '"x-sensitive": true' in json.dumps(schema)


def hash_of(call: CallMade, kept: CallMade) -> str:
    """Return the hash of arguments, "" where some are hidden: small ones could be tried out."""
    return params_hash(call.params) if kept.params == call.params else ""
