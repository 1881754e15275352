"""Query sets whose SQL is built once: Django takes milliseconds to build one, and a tenth of that to run it.

The rule of visibility and all conditions stay in query sets; only their text is kept. A statement is built
with a stand-in in the place of each value, and run with the values in the places of the stand-ins.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection, models

from oauth.principal import Principal, Reach

Values = Mapping[str, Any]
"""Texts, times and numbers by name."""
Shape = tuple[Hashable, ...]
"""What decides which conditions a query set has, beside the names of its values."""

_FIRST_MOMENT = datetime(1, 1, 1, tzinfo=UTC)
_FIRST_NUMBER = -1_000_000_000
_MOST_KEPT = 512


@dataclass(frozen=True, slots=True)
class _Kept:
    model: type[models.Model]
    sql: str
    params: Sequence[Any]
    """Names of values where `names` has their stand-in, constants elsewhere."""
    names: Mapping[int, str]


class Statement:
    """A query set of values and a shape.

    `build` must not look at a value: the text that is kept serves all values of the same names and shape.
    """

    def __init__(self, build: Callable[[Values, Shape], "models.QuerySet[Any, Any]"]) -> None:
        self._build = build
        self._kept: dict[Hashable, _Kept] = {}

    def instances(self, values: Values, shape: Shape = ()) -> list[Any]:
        """Return the rows as models; annotations are attributes."""
        kept = self._of(values, shape)
        if not kept.sql:
            return []
        manager: Any = kept.model._default_manager  # noqa: SLF001 - Django's documented name
        return list(manager.raw(kept.sql, self._params(kept, values)))

    def rows(self, values: Values, shape: Shape = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query set of `values_list`."""
        kept = self._of(values, shape)
        if not kept.sql:
            return []
        with connection.cursor() as cursor:
            cursor.execute(kept.sql, self._params(kept, values))
            return list(cursor.fetchall())

    def _params(self, kept: _Kept, values: Values) -> list[Any]:
        return [
            values[kept.names[place]] if place in kept.names else constant
            for place, constant in enumerate(kept.params)
        ]

    def _of(self, values: Values, shape: Shape) -> _Kept:
        key = (shape, *values)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._built(values, shape)
            if len(self._kept) > _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
        return found

    def _built(self, values: Values, shape: Shape) -> _Kept:
        stand_ins = {name: _stand_in(number, value) for number, (name, value) in enumerate(values.items())}
        query = self._build(stand_ins, shape)
        try:
            sql, params = query.query.sql_with_params()
        except EmptyResultSet:  # no row can satisfy it, whatever the values
            return _Kept(query.model, "", (), {})
        named = {stand_in: name for name, stand_in in stand_ins.items()}
        names = {
            place: named[param]
            for place, param in enumerate(params)
            if isinstance(param, Hashable) and param in named
        }
        missing = set(values) - set(names.values())
        if missing:
            raise ValueError(f"The statement does not hold {', '.join(sorted(missing))}.")
        return _Kept(query.model, sql, list(params), names)


def _stand_in(number: int, value: Any) -> Any:
    """Return a value of the same type that no row and no constant has."""
    match value:
        case str():
            return f"\ue000{number:04}\ue000"
        case datetime():
            return _FIRST_MOMENT + timedelta(microseconds=number)
        case int():
            return _FIRST_NUMBER - number
    raise TypeError(f"{type(value).__name__} cannot be a value of a statement.")


def values_of(principal: Principal) -> dict[str, str]:
    """Return what a principal brings to a statement that is filtered by `visible_to`."""
    if principal.reach is not Reach.BY_SCOPE:
        return {}
    scopes = {f"scope {number}": scope for number, scope in enumerate(sorted(principal.scopes))}
    return scopes | {f"role {number}": role for number, role in enumerate(sorted(principal.roles))}


def principal_in(values: Values, reach: Hashable) -> Principal:
    """Return a principal of a reach, with the scopes and roles among a statement's values."""
    scopes = frozenset(value for name, value in values.items() if name.startswith("scope "))
    roles = frozenset(value for name, value in values.items() if name.startswith("role "))
    return Principal(None, None, scopes, roles, Reach(reach))
