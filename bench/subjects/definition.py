"""A registration document, checked."""

import json

from bench import documents
from bench.measure import Variant
from toolroster.definition import ToolDefinition

UNIT = "document"


def variants() -> list[Variant]:
    """Return parses of a small and a large document, beside reading their JSON alone."""
    return [variant for parameters in (5, 50) for variant in _of(parameters)]


def _of(parameters: int) -> list[Variant]:
    document = documents.make(provider="bench", name="send", version="1.0.0", parameters=parameters)
    text = json.dumps(document)
    yardstick = f"json.loads, {parameters} parameters"
    return [
        Variant(yardstick, lambda: json.loads(text)),
        Variant(
            f"ToolDefinition.parse, {parameters} parameters",
            lambda: ToolDefinition.parse(document),
            against=yardstick,
        ),
    ]
