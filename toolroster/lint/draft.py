"""A document under the rules: as it was sent, and as the definition reads it."""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from toolroster.definition import SERVER_OWNED, ToolDefinition
from toolroster.lint import invisible
from toolroster.parameters import as_object
from toolroster.schema_walk import Path, children

_MARKUP_AND_SPACE = re.compile(r"[\s*_`]+")


@dataclass(frozen=True)
class Text:
    """A string of the document, the value or the name of a member, and where it stands."""

    path: Path
    value: str

    @cached_property
    def as_read(self) -> str:
        """Return the text as a model reads it.

        In lower case, without invisible characters, emphasis, entities and the look-alikes that NFKC knows.
        """
        plain = unicodedata.normalize("NFKC", html.unescape(self.value)).replace("\u2019", "'")
        seen = invisible.removed(_MARKUP_AND_SPACE.sub(" ", plain))
        return " ".join(seen.lower().split())


@dataclass(frozen=True, slots=True)
class Property:
    """A parameter or a property inside one: where it stands, its name below its parents', its keywords."""

    path: Path
    names: tuple[str, ...]
    keywords: dict[str, Any]

    @property
    def label(self) -> str:
        return ".".join(name[:40] for name in self.names)

    @property
    def description(self) -> str:
        return self.keywords.get("description") or ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A document that parses; `document` has our names but is otherwise as it was sent."""

    document: dict[str, Any]
    definition: ToolDefinition
    properties: tuple[Property, ...]
    texts: tuple[Text, ...]

    @classmethod
    def of(cls, document: dict[str, Any], definition: ToolDefinition) -> Self:
        """Collect what the rules look at."""
        return cls(
            document=document,
            definition=definition,
            properties=tuple(_properties(document)),
            texts=tuple(_texts({k: v for k, v in document.items() if k not in SERVER_OWNED})),
        )

    def place(self, *steps: str) -> Path:
        """Return the longest beginning of the path that the document has."""
        value: Any = self.document
        for depth, step in enumerate(steps):
            if not isinstance(value, dict) or step not in value:
                return steps[:depth]
            value = value[step]
        return steps


def _properties(document: dict[str, Any]) -> Iterator[Property]:
    """Yield the parameters and what is inside them, in the order of the text."""
    listed = document.get("parameters")
    if not listed:
        yield from _below(("input_schema",), (), document.get("input_schema") or {})
        return
    for index, keywords in enumerate(listed):
        parameter = Property(("parameters", index), (keywords["name"],), keywords)
        yield parameter
        yield from _below(parameter.path, parameter.names, keywords)


def _below(path: Path, names: tuple[str, ...], schema: Any) -> Iterator[Property]:
    pending: list[tuple[Property, bool]] = [(Property(path, names, as_object(schema)), False)]
    while pending:
        node, is_property = pending.pop()
        if is_property:
            yield node
        found = []
        for step, child in children(node.keywords):
            is_named = step[0] == "properties"
            below = (*node.names, str(step[1])) if is_named else node.names
            found.append((Property(node.path + step, below, as_object(child)), is_named))
        pending.extend(reversed(found))


def _texts(document: dict[str, Any]) -> Iterator[Text]:
    """Yield every string, names of members before their values, in the order of the text."""
    pending: list[tuple[Path, Any]] = [((), document)]
    while pending:
        path, value = pending.pop()
        if path and isinstance(path[-1], str):
            yield Text(path, path[-1])
        if isinstance(value, str):
            yield Text(path, value)
        elif isinstance(value, dict | list):
            members = value.items() if isinstance(value, dict) else enumerate(value)
            pending.extend(reversed([((*path, key), member) for key, member in members]))
