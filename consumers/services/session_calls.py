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
    is_open = params == call.params and not any(map(_marks_output, schemas))
    return replace(call, params=params, told=call.told if is_open else HIDDEN)


def _marks_output(schemas: Schemas) -> bool:
    return '"x-sensitive": true' in json.dumps(schemas.output)


def hash_of(params: Mapping[str, Any]) -> str:
    """Return the hash of arguments, as the router notes it."""
    return params_hash(params)
