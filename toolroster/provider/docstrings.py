"""What a docstring says, in the styles of Google, NumPy and reST."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import docstring_parser


@dataclass(frozen=True, slots=True)
class Said:
    """The description of a function, of its parameters and of its result; "" for what is not said."""

    description: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""


def read(function: Callable[..., Any]) -> Said:
    """Read a function's docstring; one that breaks its style is a description as a whole."""
    text = inspect.getdoc(function) or ""
    try:
        parsed = docstring_parser.parse(text)
    except Exception:  # noqa: BLE001 - the parser also raises IndexError and the like for odd texts
        return Said(text)
    parts = (parsed.short_description, parsed.long_description)
    return Said(
        description="\n\n".join(part.strip() for part in parts if part),
        parameters={one.arg_name: one.description.strip() for one in parsed.params if one.description},
        returns=(parsed.returns.description or "").strip() if parsed.returns else "",
    )
