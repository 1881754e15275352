"""Arguments of a call: defaults filled in, checked against the schema, translated for another tool."""

import copy
from collections.abc import Mapping
from typing import Any

from toolroster import arguments
from toolroster.errors import ArgumentsInvalid, DocumentInvalid

_DEEPEST = 20


def prepared(params: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the schema's defaults for what is absent.

    Raises:
        ArgumentsInvalid: with a fault for each thing that is wrong, so that a model can mend it.
    """
    try:
        arguments.check(params, schema)
    except DocumentInvalid as error:
        raise ArgumentsInvalid(error.detail, errors=error.errors, nearest=error.nearest) from error
    return _filled(dict(params), schema, _DEEPEST)


def fits(params: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema takes arguments."""
    return not arguments.faults(params, schema)


def translated(
    params: Mapping[str, Any],
    mapping: Mapping[str, Any],
    *,
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
) -> dict[str, Any]:
    """Return arguments for a declared alternative, from our schema to theirs.

    `mapping` has for a name of theirs the name of ours whose value it gets; a text that is no name of ours
    and any other value is a constant, and so is the value of `{"const": …}`. Arguments of one name that both
    tools know need no mapping; what is left is left out.
    """
    known, named = _properties(theirs), _properties(ours)
    used = {said for said in mapping.values() if isinstance(said, str)}
    found = {name: value for name, value in params.items() if name in known and name not in used}
    for name, said in mapping.items():
        if not (isinstance(said, str) and said in named):
            is_wrapped = isinstance(said, Mapping) and said.keys() == {"const"}
            found[name] = said["const"] if is_wrapped else said
        elif said in params:
            found[name] = params[said]
    return found


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema.get("properties") or {}


def _filled(value: dict[str, Any], schema: Any, depth: int) -> dict[str, Any]:
    known = schema.get("properties") if isinstance(schema, Mapping) else None
    if depth == 0 or not isinstance(known, Mapping):
        return value
    for name, about in known.items():
        if not isinstance(about, Mapping):
            continue
        if name not in value and "default" in about:
            value[name] = copy.deepcopy(about["default"])
        elif isinstance(value.get(name), dict):
            value[name] = _filled(dict(value[name]), about, depth - 1)
    return value
