"""Pages of tables too large to count."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

MOST_COUNTED = 10_000
"""Rows that a page of the admin or the dashboard counts at most; beyond, people search instead of paging."""


def capped_count(rows: "QuerySet[Any]") -> int:
    """Return how many rows there are, `MOST_COUNTED` for that many and more."""
    return rows.order_by().values("pk")[:MOST_COUNTED].count()


class CappedPaginator(Paginator):  # type: ignore[type-arg]  # generic in the stubs alone
    """Counts up to a limit and pages no further."""

    @cached_property
    def count(self) -> int:
        """The number of rows, capped."""
        return capped_count(self.object_list)  # type: ignore[arg-type]  # admin pages querysets alone

    @property
    def is_capped(self) -> bool:
        """Whether there may be more rows than were counted."""
        return self.count >= MOST_COUNTED
