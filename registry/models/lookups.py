"""Lookups of our own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from django.core.exceptions import EmptyResultSet
from django.db.models import AutoField, BigAutoField, ForeignKey, Lookup


@dataclass(frozen=True, slots=True)
class IdArray:
    """Ids for `any_of`, as PostgreSQL writes an array: `{3,7}`. No sequence: Django would look at each id."""

    text: str

    @classmethod
    def of(cls, ids: Iterable[int]) -> Self:
        """Write ids as an array."""
        return cls("{" + ",".join(map(str, ids)) + "}")


@AutoField.register_lookup
@BigAutoField.register_lookup
@ForeignKey.register_lookup
class AnyOf(Lookup):
    """`pk__any_of=IdArray.of([1, 2])`: one array for all ids.

    `__in` sends thousands of values, each parsed, and a list of twenty thousand costs 10 ms in each query.
    """

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Return `column = ANY(array)`; nothing is asked for no ids.

        The array is a subquery: PostgreSQL would look at each id while it plans.
        """
        if self.rhs.text == "{}":
            raise EmptyResultSet
        left, params = self.process_lhs(compiler, connection)
        return f"{left} = ANY((SELECT %s::bigint[])::bigint[])", [*params, self.rhs.text]
