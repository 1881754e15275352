"""Where the references of a JSON Schema lead: to a schema inside the document, and never in a circle.

A remote reference could change under a published version; one that leads nowhere, or back to itself before
any part of the value was read, makes validators fail at the first call (2020-12 core §9.4.1).
"""

import graphlib
from collections.abc import Iterator
from typing import Any

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from toolroster.errors import Fault
from toolroster.schema_walk import Path, children, pointer, walk

_Resolver = Any
"""`referencing` keeps the class of its resolvers to itself."""
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
    return list(_local_faults(schema, references)) if references else []


def _remote(path: Path, text: str) -> Fault:
    return Fault(
        pointer(path),
        "remote_reference",
        f"{text[:100]!r} leaves the document; only local references (#…) are followed.",
    )


def _local_faults(
    schema: dict[str, Any], references: list[tuple[Path, dict[str, Any], str]]
) -> Iterator[Fault]:
    try:
        resolvers = _resolvers(schema)
    except ValueError as error:  # from urljoin
        yield Fault("/$id", "schema_invalid", f"An $id is no URI reference: {error}.")
        return
    edges = {id(node): [id(child) for child in _in_place(node)] for _, _, node in walk(schema)}
    for path, node, text in references:
        try:
            target = _nearest(resolvers, path).lookup(text).contents
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


def _resolvers(schema: dict[str, Any]) -> dict[Path, _Resolver]:
    """Return a resolver for each base that references start from: the root's and each inner `$id`'s."""
    base = str(schema.get("$id", ""))
    registry: Registry[Any] = Registry().with_resource(base, DRAFT202012.create_resource(schema))
    # Uncrawled, each lookup of an anchor would search the whole schema anew.
    resolvers: dict[Path, _Resolver] = {(): registry.crawl().resolver(base)}
    for path, _, node in walk(schema):
        if path and isinstance(node, dict) and "$id" in node:
            resource = DRAFT202012.create_resource(node)
            resolvers[path] = _nearest(resolvers, path).in_subresource(resource)
    return resolvers


def _nearest(resolvers: dict[Path, _Resolver], path: Path) -> _Resolver:
    return next(resolvers[path[:length]] for length in range(len(path), -1, -1) if path[:length] in resolvers)


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
