"""Write the seeds' texts for system prompts.

seeds/004's `generateToolsDescription` has a section for each tool, seeds/000's
`generate_tool_prompt_context` a line. The words are the seeds' own in their language.
"""

# ruff: noqa: RUF001 - the Chinese text has the full-width punctuation of its language

from dataclasses import dataclass
from typing import Any

from toolroster.prompts.described import Rendering
from toolroster.prompts.prose import one_line, plain_name, plain_value
from toolroster.prompts.selection import Offer

_MOST_VALUES = 20
"""Values of an enum that are listed; the rest is "…"."""


@dataclass(frozen=True, slots=True)
class _Words:
    lines: str
    sections: str
    description: str
    parameters: str
    required: str
    any_type: str
    values: str
    costly: str


_WORDS = {
    "de": _Words(
        lines="Verfügbare Tools:",
        sections="Du kannst die folgenden Tools verwenden:",
        description="Beschreibung: ",
        parameters="Parameter:",
        required="erforderlich",
        any_type="beliebig",
        values="eines von: ",
        costly="⚠️ Achtung: Aufrufe dieses Tools sind teuer, bitte sparsam verwenden.",
    ),
    "en": _Words(
        lines="Available tools:",
        sections="You can use the following tools:",
        description="Description: ",
        parameters="Parameters:",
        required="required",
        any_type="any",
        values="one of: ",
        costly="⚠️ Note: calls to this tool are expensive, please use it sparingly.",
    ),
    "zh": _Words(
        lines="可用工具：",
        sections="你可以使用以下工具：",
        description="描述：",
        parameters="参数：",
        required="必填",
        any_type="任意",
        values="可选值：",
        costly="⚠️ 注意：此工具调用成本较高，请谨慎使用。",
    ),
}
LANGUAGES = tuple(_WORDS)


def opening_004(language: str) -> str:
    """Return what stands before the sections."""
    return f"{_WORDS[language].sections}\n\n"


def section(offer: Offer, name: str, language: str) -> Rendering:
    """Return a tool's section: name, description, parameters, and a warning if it is costly."""
    words = _WORDS[language]
    said = one_line(offer.description)
    lines = [f"## {name}", *([words.description + said] if said else []), words.parameters]
    lines += [_parameter_line(parameter, words) for parameter in offer.parameters]
    if offer.capabilities.get("cost_level") == "HIGH":
        lines.append(words.costly)
    return Rendering("\n".join(lines) + "\n\n")


def opening_000(language: str) -> str:
    """Return what stands before the lines."""
    return _WORDS[language].lines


def line(offer: Offer, name: str, language: str) -> Rendering:
    """Return a tool's line: name, names of its parameters, description."""
    said = one_line(offer.description)
    called = f"{name}({', '.join(plain_name(p['name']) for p in offer.parameters)})"
    return Rendering(f"\n- {called}: {said}" if said else f"\n- {called}")


def _parameter_line(parameter: dict[str, Any], words: _Words) -> str:
    marks = [_type_of(parameter) or words.any_type]
    if parameter.get("required"):
        marks.append(words.required)
    if values := parameter.get("enum"):
        listed = [plain_value(value) for value in values[:_MOST_VALUES]]
        marks.append(words.values + " | ".join(listed + ["…"] * (len(values) > _MOST_VALUES)))
    said = one_line(parameter.get("description") or "")
    head = f"- {plain_name(parameter['name'])} ({', '.join(marks)})"
    return f"{head}: {said}" if said else head


def _type_of(schema: Any) -> str:
    """Return the type as it is published, those of its forms with "|" between them, "" if it names none."""
    if not isinstance(schema, dict):
        return ""
    if isinstance(named := schema.get("type"), str):
        return named
    if isinstance(named, list):
        return " | ".join(named)
    forms = [_type_of(form) for form in schema.get("anyOf") or schema.get("oneOf") or []]
    return " | ".join(dict.fromkeys(forms)) if all(forms) else ""
