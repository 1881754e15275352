"""Where the references of a JSON Schema lead: to a schema inside the document, and never in a circle.

A remote reference could change under a published version; one that leads nowhere, or back to itself before
any part of the value was read, makes validators fail at the first call (2020-12 core §9.4.1).
"""

import graphlib
from collections.abc import Iterator
from typing import Any

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from toolroster.errors import Fault
from toolroster.schema_walk import Path, children, pointer, walk

_KEYWORDS = ("$ref", "$dynamicRef")
_IN_PLACE = frozenset({"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"})
"""Keywords whose subschemas judge the same value as the schema they stand in (2020-12 core §10.2)."""


def reference_faults(schema: dict[str, Any]) -> list[Fault]:
    """Return what is wrong with the references of a schema that fits the metaschema."""
    references = [
        ((*path, keyword), node, node[keyword])
        for path, _, node in walk(schema)
        if isinstance(node, dict)
        for keyword in _KEYWORDS
        if keyword in node
    ]
    if remote := [_remote(path, text) for path, _, text in references if not text.startswith("#")]:
        return remote
    if not references or _has_inner_resources(schema):
        return []
    return list(_local_faults(schema, references))


def _remote(path: Path, text: str) -> Fault:
    return Fault(
        pointer(path),
        "remote_reference",
        f"{text[:100]!r} leaves the document; only local references (#…) are followed.",
    )


def _has_inner_resources(schema: dict[str, Any]) -> bool:
    """Tell whether an inner `$id` gives local references another base; these are not followed here."""
    return any("$id" in node for path, _, node in walk(schema) if path and isinstance(node, dict))


def _local_faults(
    schema: dict[str, Any], references: list[tuple[Path, dict[str, Any], str]]
) -> Iterator[Fault]:
    resource: Resource[Any] = DRAFT202012.create_resource(schema)
    resolver = Registry().with_resource("", resource).resolver()
    edges = {id(node): [id(child) for child in _in_place(node)] for _, _, node in walk(schema)}
    for path, node, text in references:
        try:
            target = resolver.lookup(text).contents
        except (Unresolvable, ValueError, TypeError):  # the last two: a step into a list or a scalar
            target = None
        if isinstance(target, dict | bool):
            edges[id(node)].append(id(target))
        else:
            yield Fault(
                pointer(path), "reference_unresolvable", f"{text[:100]!r} leads to no schema in the document."
            )
    if circle := _circle(edges):
        where = next(path for path, node, _ in references if id(node) in circle)
        yield Fault(pointer(where), "reference_endless", "The reference leads back to itself.")


def _in_place(node: Any) -> Iterator[dict[str, Any]]:
    return (child for step, child in children(node) if step[0] in _IN_PLACE and isinstance(child, dict))


def _circle(edges: dict[int, list[int]]) -> list[int]:
    """Return the nodes of one circle, [] if there is none."""
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        found: list[int] = error.args[1]
        return found
    return []
