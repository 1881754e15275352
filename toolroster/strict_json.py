"""Parse JSON strictly: what later parts could not store, compare or send is refused here.

RFC 8259 leaves duplicate names, lone surrogates and huge numbers to the receiver; RFC 7493 (I-JSON)
forbids them. The limits hold for every body that enters the platform.
"""

import json
import math
from collections import Counter
from typing import Any, NoReturn

from toolroster.errors import Malformed

MAX_DEPTH = 100
"""Deepest nesting of arrays and objects in a body; the outermost one is level 1."""
_INTEGERS = range(-(2**63), 2**64)


def loads(body: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        Malformed: not JSON, not UTF-8, nested deeper than MAX_DEPTH, a name twice in one object, NUL
            or a lone surrogate in a string, NaN, infinity or an integer beyond 64 bits.
    """
    try:
        text = body.decode()
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Malformed(f"The body is not UTF-8: byte {error.start} cannot be decoded.") from error
    except RecursionError as error:
        raise Malformed(f"The body is nested deeper than {MAX_DEPTH} levels.") from error
    except json.JSONDecodeError as error:
        raise Malformed(
            f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except ValueError as error:  # an integer of more digits than int() takes
        raise Malformed("A number in the body has too many digits.") from error
    check(value)
    return value


def check(value: Any) -> None:
    """Refuse a parsed value that breaks the limits; see `loads`."""
    pending = [(value, 1)]
    while pending:
        item, depth = pending.pop()
        if not isinstance(item, dict | list):
            _check_scalar(item)
            continue
        if depth > MAX_DEPTH:
            raise Malformed(f"The body is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(item, dict):
            for name in item:
                _check_text(name)
        members = item.values() if isinstance(item, dict) else item
        pending.extend((member, depth + 1) for member in members)


def _check_scalar(item: Any) -> None:
    if isinstance(item, str):
        _check_text(item)
    elif isinstance(item, float) and not math.isfinite(item):
        raise Malformed("A number in the body is too large for a 64-bit float.")
    elif isinstance(item, int) and item not in _INTEGERS:
        raise Malformed("An integer in the body does not fit into 64 bits; send it as a string.")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise Malformed("A string in the body holds the NUL character (U+0000).")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise Malformed("A string in the body holds a lone surrogate (U+D800 to U+DFFF).")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise Malformed(f"An object in the body has the name {twice[:100]!r} twice.")
    return members


def _refuse_constant(constant: str) -> NoReturn:
    raise Malformed(f"The body holds {constant}, which is not JSON.")
