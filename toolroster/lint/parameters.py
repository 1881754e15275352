"""The parameters: each described, typed, and its choices explained, those inside objects as well."""

import json
from collections.abc import Iterator
from typing import Any

from toolroster.lint.draft import Draft, Property
from toolroster.lint.finding import Hit
from toolroster.lint.wording import says_only, shown

_FEWEST_CHOICES = 2
_MOST_CHOICES = 100
"""Choices that are looked for in a description; more than these no description lists."""
_TYPING = frozenset({"$dynamicRef", "$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf", "type"})
"""Keywords that say which values are meant; `properties` and `items` alone leave it open."""
_HOW = {
    "array": "what one item is, and how many are allowed",
    "boolean": "what true does, and what false does",
    "integer": "what it counts, its unit, and the lowest and the highest value",
    "number": "what it measures, its unit, and the lowest and the highest value",
    "object": "what it stands for, and which members belong together",
    "string": "what it means, its format, and an example value",
}
_HOW_FORMAT = {
    "date": "which day it is, written as 2026-11-30",
    "date-time": "which moment it is, in which time zone, written as 2026-11-30T09:00:00Z",
    "email": "whose address it is, written as anna@example.org",
    "uri": "which page or file it leads to, written as https://example.org/report.pdf",
    "uuid": "whose id it is, and which tool returns it",
}


def undescribed(draft: Draft) -> Iterator[Hit]:
    """Find parameters without a description."""
    for parameter in draft.properties:
        if not parameter.description.strip() and "$ref" not in parameter.keywords:
            message = f"The parameter `{parameter.label}` has no description."
            yield Hit(parameter.path, message, f'Add "description": "…" that says {_how(parameter)}.')


def repeating_name(draft: Draft) -> Iterator[Hit]:
    """Find descriptions that have no word that is not in the parameter's name."""
    for parameter in draft.properties:
        if says_only(parameter.description, *parameter.names):
            said = shown(parameter.description)
            message = f"The description {said} of the parameter `{parameter.label}` only repeats its name."
            path = (*parameter.path, "description")
            yield Hit(path, message, f"Say what the name does not: {_how(parameter)}.")


def untyped(draft: Draft) -> Iterator[Hit]:
    """Find parameters that take any value."""
    for parameter in draft.properties:
        if not any(_states(parameter.keywords, keyword) for keyword in _TYPING):
            message = f"The parameter `{parameter.label}` has no type, so any value is accepted."
            yield Hit(parameter.path, message, f'Add "type": "{_likely_type(parameter.keywords)}".')


def _states(keywords: dict[str, Any], keyword: str) -> bool:
    """Tell whether the keyword is there; null means absent, but is a value for `const`."""
    return keyword in keywords and (keywords[keyword] is not None or keyword == "const")


def unexplained_choices(draft: Draft) -> Iterator[Hit]:
    """Find choices of which the description mentions none."""
    for parameter in draft.properties:
        choices = _choices(parameter.keywords)
        said = parameter.description.lower()
        if len(choices) >= _FEWEST_CHOICES and not any(
            choice.lower() in said for choice in choices[:_MOST_CHOICES]
        ):
            first = [shown(choice, 30) for choice in choices[:3]]
            and_more = ", …" if len(choices) > len(first) else ""
            message = f"The choices of `{parameter.label}` ({', '.join(first)}{and_more}) are not explained."
            each = "; ".join(f"{choice[1:-1]}: …" for choice in first)
            yield Hit(parameter.path, message, f'Say in its description what each choice means: "{each}".')


def _choices(keywords: dict[str, Any]) -> list[str]:
    """Return the choices that are words or numbers; true, false and null explain themselves."""
    return [
        str(choice)
        for choice in keywords.get("enum") or []
        if isinstance(choice, str | int | float) and not isinstance(choice, bool) and choice != ""
    ]


def _how(parameter: Property) -> str:
    """Return what a description of a parameter like this one says."""
    form = parameter.keywords.get("format")
    if isinstance(form, str) and form in _HOW_FORMAT:
        return _HOW_FORMAT[form]
    return _HOW.get(_likely_type(parameter.keywords), _HOW["string"])


def _likely_type(keywords: dict[str, Any]) -> str:
    """Return the type that is stated, or that default and structure hint at; "string" when nothing does."""
    types = keywords.get("type")
    stated = types if isinstance(types, list) else [types]
    named = [name for name in stated if name in _HOW]
    if named:
        return str(named[0])
    if "properties" in keywords:
        return "object"
    if "items" in keywords:
        return "array"
    return _type_of(keywords.get("default"))


def _type_of(value: Any) -> str:
    kinds = {"t": "boolean", "f": "boolean", '"': "string", "[": "array", "{": "object", "n": "string"}
    text = json.dumps(value)
    return kinds.get(text[0], "number" if isinstance(value, float) else "integer")
