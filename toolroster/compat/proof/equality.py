"""Equality of JSON values: 1 is 1.0 and is not true (2020-12 core §4.2.2)."""

import json
from typing import Any

from toolroster.schema_walk import rewrite, without_words


def is_same(a: Any, b: Any) -> bool:
    """Tell whether two JSON values are one."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_same(a[name], b[name]) for name in a)
    are_numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
    return bool((are_numbers or type(a) is type(b)) and a == b)


def text_of(value: Any) -> str:
    """Return a text that equal values share; it may tell apart what is equal (1 and 1.0)."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)


def words_of(raw: Any) -> str:
    """Return a text that subschemas share which say the same in another order and with other notes.

    A list is a union or a list of conjuncts, which have no order either.
    """
    if isinstance(raw, (list, tuple)):
        return "[" + ",".join(sorted(words_of(one) for one in raw)) + "]"
    return text_of(rewrite(without_words(raw), _in_order))


def _in_order(node: dict[str, Any]) -> dict[str, Any]:
    sets = {k: sorted(node[k], key=text_of) for k in _SETS if isinstance(node.get(k), list)}
    return node | sets if sets else node


_SETS = ("allOf", "anyOf", "enum", "oneOf", "required", "type")


def _plain(value: Any) -> Any:
    return sorted(value, key=str) if isinstance(value, (set, frozenset)) else str(value)
