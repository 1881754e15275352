"""The words of a definition: what explains a tool to people and models, and may be revised in place."""

from dataclasses import asdict, dataclass
from typing import Any, Self

from toolroster.definition import ToolDefinition
from toolroster.schema_walk import Path, children, pointer, walk


@dataclass(frozen=True, slots=True)
class PresentationWords:
    """The words under review; `parameter_descriptions` maps JSON pointers into the input schema."""

    display_name: str
    description: str
    returns: str
    examples: tuple[str, ...]
    tags: tuple[str, ...]
    parameter_descriptions: dict[str, str]

    @classmethod
    def of(cls, definition: ToolDefinition) -> Self:
        """Take the words out of a definition."""
        return cls(
            display_name=definition.display_name,
            description=definition.description,
            returns=definition.returns,
            examples=tuple(definition.examples),
            tags=tuple(definition.capabilities.tags),
            parameter_descriptions=_descriptions(definition.input_schema),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the words as a JSON object."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    def put_into(self, definition: ToolDefinition) -> ToolDefinition:
        """Return the definition with these words in place of its own."""
        document = definition.document()
        document |= {
            "display_name": self.display_name,
            "description": self.description,
            "returns": self.returns,
            "examples": list(self.examples),
            "input_schema": _described(definition.input_schema, (), self.parameter_descriptions),
            "capabilities": document["capabilities"] | {"tags": list(self.tags)},
        }
        return ToolDefinition.parse({k: v for k, v in document.items() if k != "parameters"})


def _descriptions(schema: dict[str, Any]) -> dict[str, str]:
    return {
        pointer(path): node["description"]
        for path, _, node in walk(schema)
        if isinstance(node, dict) and isinstance(node.get("description"), str)
    }


def _described(schema: Any, path: Path, words: dict[str, str]) -> Any:
    """Return a copy of the schema whose descriptions are exactly `words`."""
    if not isinstance(schema, dict):
        return schema
    copy = _with_description({k: _copied(v) for k, v in schema.items()}, words.get(pointer(path)))
    for step, child in children(schema):
        target: Any = copy
        for key in step[:-1]:
            target = target[key]
        target[step[-1]] = _described(child, path + step, words)
    return copy


def _with_description(node: dict[str, Any], said: str | None) -> dict[str, Any]:
    """Put the words where the old ones stood: hashes of whole documents know the order of keywords."""
    if said is None:
        return {k: v for k, v in node.items() if k != "description"}
    if "description" in node:
        return node | {"description": said}
    return {k: node[k] for k in ("type",) if k in node} | {"description": said} | node


def _copied(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
