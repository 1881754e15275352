"""Parse JSON strictly: what later parts could not store, compare or send is refused here.

RFC 8259 leaves duplicate names, lone surrogates and huge numbers to the receiver; RFC 7493 (I-JSON)
forbids them. The limits hold for every body that enters the platform.
"""

import json
import math
from collections import Counter
from typing import Any, NoReturn, TypeAlias

from toolroster.errors import Fault, Malformed
from toolroster.schema_walk import pointer

MAX_DEPTH = 100
"""Deepest nesting of arrays and objects in a body; the outermost one is level 1."""
_INTEGERS = range(-(2**63), 2**64)

# Where a value stands: the place of what holds it, and its name or index there; None for the whole body.
_Place: TypeAlias = "tuple[_Place, str | int] | None"


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
        raise _refusal("not_utf8", f"The body is not UTF-8: byte {error.start} cannot be decoded.") from error
    except RecursionError as error:
        raise _refusal("too_deep", f"The body is nested deeper than {MAX_DEPTH} levels.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _refusal("not_json", f"The body is not JSON: {error.msg} at {where}.") from error
    except ValueError as error:  # an integer of more digits than int() takes
        raise _refusal("number_too_large", "A number in the body has too many digits.") from error
    check(value)
    return value


def check(value: Any) -> None:
    """Refuse a parsed value that breaks the limits; see `loads`. The fault points at what breaks them."""
    pending: list[tuple[Any, int, _Place]] = [(value, 1, None)]
    while pending:
        item, depth, place = pending.pop()
        if not isinstance(item, dict | list):
            _check_scalar(item, place)
            continue
        if depth > MAX_DEPTH:
            raise _refusal("too_deep", f"The body is nested deeper than {MAX_DEPTH} levels.", place)
        if isinstance(item, dict):
            for name in item:
                _check_text(name, place)  # the object is named: a pointer could not hold this name
        members = item.items() if isinstance(item, dict) else enumerate(item)
        pending.extend((member, depth + 1, (place, key)) for key, member in members)


def _check_scalar(item: Any, place: _Place) -> None:
    if isinstance(item, str):
        _check_text(item, place)
    elif isinstance(item, float) and not math.isfinite(item):
        raise _refusal("number_too_large", "A number is too large for a 64-bit float.", place)
    elif isinstance(item, int) and item not in _INTEGERS:
        raise _refusal(
            "number_too_large", "An integer does not fit into 64 bits; send it as a string.", place
        )


def _check_text(text: str, place: _Place) -> None:
    if "\0" in text:
        raise _refusal("nul", "A string holds the NUL character (U+0000).", place)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise _refusal("lone_surrogate", "A string holds a lone surrogate (U+D800 to U+DFFF).", place)


def _refusal(code: str, detail: str, place: _Place = None) -> Malformed:
    path: list[str | int] = []
    while place is not None:
        place, key = place
        path.append(key)
    where = pointer(tuple(reversed(path)))
    return Malformed(f"{where}: {detail}" if where else detail, errors=[Fault(where, code, detail)])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _refusal("duplicate_name", f"An object in the body has the name {twice[:100]!a} twice.")
    return members


def _refuse_constant(constant: str) -> NoReturn:
    raise _refusal("not_json", f"The body holds {constant}, which is not JSON.")
