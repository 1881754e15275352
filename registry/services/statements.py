"""Query sets whose SQL is built once: Django takes milliseconds to build one, and a tenth of that to run it.

The rule of visibility and all conditions stay in query sets; only their text is kept. A statement is built
with a stand-in in the place of each value, and run with the values in the places of the stand-ins.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any
from weakref import WeakSet

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor

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
    constants: Sequence[Any]
    names: Mapping[int, str]
    """The places of `constants` where values go, and which."""
    annotations: Sequence[str]


class Statement:
    """A query set of values and a shape.

    `build` must not look at a value: the text that is kept serves all values of the same names and shape.
    """

    def __init__(self, build: Callable[[Values, Shape], "models.QuerySet[Any, Any]"]) -> None:
        self._build = build
        self._kept: dict[Hashable, _Kept] = {}

    def instances(self, values: Values, shape: Shape = ()) -> list[Any]:
        """Return the rows as models, with all their columns; annotations are attributes."""
        kept = self._of(values, shape)
        rows = self._run(kept, values)
        names = [field.attname for field in kept.model._meta.concrete_fields]  # noqa: SLF001 - documented
        return [_instance(kept, names, row) for row in rows]

    def rows(self, values: Values, shape: Shape = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query set of `values_list`."""
        return self._run(self._of(values, shape), values)

    def _run(self, kept: _Kept, values: Values) -> list[tuple[Any, ...]]:
        if not kept.sql:
            return []
        with _cursor() as cursor:
            cursor.execute(kept.sql, self._params(kept, values))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def _params(self, kept: _Kept, values: Values) -> list[Any]:
        return [
            values[kept.names[place]] if place in kept.names else constant
            for place, constant in enumerate(kept.constants)
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
            return _Kept(query.model, "", (), {}, ())
        named = {stand_in: name for name, stand_in in stand_ins.items()}
        names = {
            place: named[param]
            for place, param in enumerate(params)
            if isinstance(param, Hashable) and param in named
        }
        missing = set(values) - set(names.values())
        if missing:
            raise ValueError(f"The statement does not hold {', '.join(sorted(missing))}.")
        constants = [_plain(param) for param in params]
        return _Kept(query.model, sql, constants, names, tuple(query.query.annotation_select))


_prepared: WeakSet[Any] = WeakSet()
"""Connections that keep prepared statements, and plan each once. For itself PostgreSQL would plan them each
time: its guess of what a plan for any values costs is too high."""


def _cursor() -> CursorWrapper:
    """Return a cursor that sends values beside the text, wrapped as Django wraps its own."""
    connection.ensure_connection()
    raw = connection.connection
    if settings.PREPARED_STATEMENTS and raw not in _prepared:
        raw.execute("SET plan_cache_mode TO force_generic_plan")
        raw.prepare_threshold = 0  # Django switches preparing off; its own cursors send whole texts
        _prepared.add(raw)
    cursor: Any = Cursor(raw)
    is_logged = connection.queries_logged
    made: CursorWrapper = (connection.make_debug_cursor if is_logged else connection.make_cursor)(cursor)
    return made


def _instance(kept: _Kept, names: Sequence[str], row: tuple[Any, ...]) -> models.Model:
    instance = kept.model.from_db("default", names, row[: len(names)])
    for name, value in zip(kept.annotations, row[len(names) :], strict=True):
        setattr(instance, name, value)
    return instance


def _plain(param: Any) -> Any:
    """Return a constant as psycopg sends it right: of an enumeration it would send the name."""
    return param.value if isinstance(param, Enum) else param


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
