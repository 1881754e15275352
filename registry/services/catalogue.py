"""The list of what can be used now, filtered and in pages."""

import base64
import binascii
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter

from django.db.models import Count

from oauth.principal import Principal
from registry.models import Tool, ToolRegistration
from registry.models.lookups import IdArray
from registry.models.registration import ToolRegistrationQuerySet
from toolroster.errors import DocumentInvalid, Fault


@dataclass(frozen=True, slots=True)
class Filters:
    """What list and search are narrowed to: None and () do not narrow, several labels mean any of them."""

    categories: Sequence[str] = ()
    tags: Sequence[str] = ()
    provider: str | None = None
    cost_level: str | None = None
    read_only: bool | None = None
    idempotent: bool | None = None
    include_deprecated: bool = False
    include_prerelease: bool = False

    @property
    def are_narrow(self) -> bool:
        """Whether they can leave but few tools, found by an index."""
        return bool(self.categories or self.tags or self.provider)


@dataclass(frozen=True, slots=True)
class Page:
    """Registrations in the order of their ids, and the cursor of the next page, None on the last one."""

    registrations: list[ToolRegistration] = field(default_factory=list)
    next: str | None = None


def available(filters: Filters, *, principal: Principal, cutoff: datetime) -> ToolRegistrationQuerySet:
    """Return what the principal can use now: visible, alive; deprecated and prereleases if asked for."""
    found = ToolRegistration.objects.visible_to(principal).alive(cutoff)
    found = found.listed() if filters.include_deprecated else found.active()
    if not filters.include_prerelease:
        found = found.stable()
    if filters.categories:
        found = found.filter(categories__overlap=list(filters.categories))
    if filters.tags:
        found = found.filter(tags__overlap=list(filters.tags))
    exact = {
        "of_tool__provider__name": filters.provider and filters.provider.lower(),
        "cost_level": filters.cost_level,
        "read_only": filters.read_only,
        "idempotent": filters.idempotent,
    }
    return found.filter(**{name: value for name, value in exact.items() if value is not None})


def page(found: ToolRegistrationQuerySet, *, limit: int, cursor: str | None, is_mixed: bool = False) -> Page:
    """Return one page: a keyset behind the cursor's tool id, never an offset.

    Deprecated versions come last; without `is_mixed` there are none.

    Raises:
        DocumentInvalid: the cursor is none that was handed out.
    """
    rows = in_use_first(
        _read_cursor(cursor) if cursor is not None else "",
        limit + 1,
        active=lambda last: _behind(found.active(), last),
        deprecated=(lambda last: _behind(found.deprecated(), last)) if is_mixed else None,
    )
    if len(rows) <= limit:
        return Page(rows)
    last = place_of(rows[limit - 1], rows[limit - 1].tool_id)
    return Page(rows[:limit], base64.urlsafe_b64encode(last.encode()).decode())


Part = Callable[[str], ToolRegistrationQuerySet]
"""Gives the rows behind a place in their order."""
_DEPRECATED = "~"
"""Begins the places of those that come last; it begins no tool id and no name."""


def in_use_first(last: str, most: int, *, active: Part, deprecated: Part | None) -> list[ToolRegistration]:
    """Return rows behind a place: those in use, then the deprecated ones if any are wanted."""
    rows: list[ToolRegistration] = []
    if not last.startswith(_DEPRECATED):
        rows += active(last)[:most]
        last = _DEPRECATED
    if deprecated is not None and len(rows) < most:
        rows += deprecated(last.removeprefix(_DEPRECATED))[: most - len(rows)]
    return rows


def place_of(row: ToolRegistration, key: str) -> str:
    """Return the place of a row in such a list, by its key in the order of its part."""
    return _DEPRECATED + key if row.lifecycle == ToolRegistration.Lifecycle.DEPRECATED else key


def _behind(found: ToolRegistrationQuerySet, tool_id: str) -> ToolRegistrationQuerySet:
    return found.filter(tool_id__gt=tool_id).with_last_beat().order_by("tool_id")


def _read_cursor(cursor: str) -> str:
    try:
        return _printable(base64.b64decode(cursor, altchars=b"-_", validate=True).decode())
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        fault = Fault("/cursor", "cursor_invalid", "Send `next` of the page before as it is.")
        raise DocumentInvalid("The cursor is none that was handed out.", errors=[fault]) from error


def _printable(tool_id: str) -> str:
    if not tool_id.isprintable():  # PostgreSQL takes no NUL
        raise ValueError("no tool id")
    return tool_id


def newest_per_tool(*, principal: Principal, cutoff: datetime) -> dict[str, ToolRegistration]:
    """Return the newest live stable version of each tool by a unique name: the flat list of seeds/000.

    The one default of a name bears it, and the only offer of a name; the others are `provider__name`. Where
    that is a name already (`a__b` of a stranger) they are `provider:name`: it is nobody's name.
    """
    found = ToolRegistration.objects.visible_to(principal).alive(cutoff).active().stable()
    newest = found.filter(pk__any_of=IdArray.of(key for key, _ in found.ids_of_one_per_tool()))
    rows = list(newest.with_last_beat().order_by("of_tool").select_related("of_tool__provider"))
    offers = _offers({row.of_tool.name for row in rows}, principal)
    taken = Counter(_flat_name(row.of_tool, offers) for row in rows)
    named = {_unique_name(row.of_tool, offers, taken): row for row in rows}
    return dict(sorted(named.items(), key=itemgetter(0)))


def _offers(names: set[str], principal: Principal) -> Counter[str]:
    """Count how many providers offer each name, alive or not: a name must not change its owner by health."""
    visible = ToolRegistration.objects.visible_to(principal).filter(of_tool__name__in=names)
    counted = visible.values_list("of_tool__name").annotate(Count("of_tool", distinct=True))
    return Counter(dict(counted.order_by("of_tool__name")))


def _flat_name(tool: Tool, offers: Counter[str]) -> str:
    is_bare = offers[tool.name] == 1 or tool.is_default_for_name
    return tool.name if is_bare else f"{tool.provider.name}__{tool.name}"


def _unique_name(tool: Tool, offers: Counter[str], taken: Counter[str]) -> str:
    name = _flat_name(tool, offers)
    is_unique = taken[name] == 1 or name == tool.name
    return name if is_unique else f"{tool.provider.name}:{tool.name}"
