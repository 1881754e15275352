"""Lookups of our own."""

from typing import Any

from django.db.models import AutoField, BigAutoField, ForeignKey, Lookup


@AutoField.register_lookup
@BigAutoField.register_lookup
@ForeignKey.register_lookup
class AnyOf(Lookup):
    """`pk__any_of=[…]`: one array for all ids. `__in` would send thousands of values, each parsed."""

    lookup_name = "any_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Return `column = ANY(array)`, which PostgreSQL looks up in a hash table."""
        left, params = self.process_lhs(compiler, connection)
        return f"{left} = ANY(%s::bigint[])", [*params, list(self.rhs)]
