"""What the catalogue page lists: the newest version of each tool by name, or what a search finds."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from django.db.models import Exists, F, OuterRef, Q
from django.http import QueryDict
from pydantic import Field, ValidationError

from registry import conf
from registry.api.call import Call
from registry.models import ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import finding
from registry.services import catalogue, spaces
from registry.services.catalogue import Filters
from toolroster import faults, spelling, strict_json
from toolroster.definition import Label, Part

PAGE = 25
FOUND = 10


class PageQuery(Part):
    """The fields of the search form; `after` is `name:provider`, the last tool of the page before."""

    q: Annotated[str, Field(max_length=2000)] | None = None
    category: Label | None = None
    provider: Annotated[str, Field(max_length=63)] | None = None
    include_deprecated: bool = False
    after: Annotated[str, Field(max_length=200)] | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Registrations as they are served; those found by a search say why. `after` continues the list."""

    tools: list[dict[str, Any]] = field(default_factory=list)
    after: str | None = None
    nothing_fits: bool = False


def query_of(given: QueryDict) -> PageQuery:
    """Return the form's fields; blank ones do not narrow, and those of others are ignored.

    Raises:
        DocumentInvalid, Malformed: a value is wrong.
    """
    filled = {name: text for name in PageQuery.model_fields if (text := given.get(name, "").strip())}
    strict_json.check(filled)
    try:
        return PageQuery.model_validate(filled, strict=False)
    except ValidationError as error:
        raise faults.document_invalid(error, model=PageQuery, sent=spelling.Sent()) from error


def look(query: PageQuery, *, call: Call) -> Listing:
    """Return what the visitor may see of what was asked for."""
    filters = Filters(
        categories=[query.category] if query.category else (),
        provider=query.provider,
        include_deprecated=query.include_deprecated,
    )
    available = catalogue.available(filters, principal=call.principal, cutoff=call.seen.cutoff)
    if query.q:
        return _search(query.q, available, call)
    return _page(query.after or "", available, call, is_mixed=query.include_deprecated)


def _search(text: str, available: ToolRegistrationQuerySet, call: Call) -> Listing:
    in_use = spaces.all_in_use(conf.wanted_embeddings())
    found = finding.find(text, visible=available, spaces=in_use, top_k=FOUND)
    tools = [{**call.render(one.registration), "why": one.hit.why} for one in found.results]
    return Listing(tools, nothing_fits=found.nothing_fits)


def _page(after: str, available: ToolRegistrationQuerySet, call: Call, *, is_mixed: bool) -> Listing:
    """Return a page: the tools in use, then those of which only deprecated versions are left."""
    in_use = available.active().filter(of_tool=OuterRef("of_tool"))
    left = available.deprecated().exclude(Exists(in_use))
    rows = catalogue.in_use_first(
        after,
        PAGE + 1,
        active=lambda last: newest_by_name(available.active(), after=last).with_last_beat(),
        deprecated=(lambda last: newest_by_name(left, after=last).with_last_beat()) if is_mixed else None,
    )
    shown = rows[:PAGE]
    last = _place(shown[-1]) if len(rows) > PAGE else None
    return Listing([call.render(row) for row in shown], last)


def newest_by_name(found: ToolRegistrationQuerySet, *, after: str = "") -> ToolRegistrationQuerySet:
    """Keep the newest version of each tool, a release before a prerelease, by name behind a place."""
    if after:
        name, _, provider = after.partition(":")
        behind = Q(of_tool__name__gt=name) | Q(of_tool__provider__name__gt=provider)
        found = found.filter(behind, of_tool__name__gte=name)  # one range of the index on names
    tool = ("of_tool__name", "of_tool__provider__name")
    return found.order_by(*tool, "is_prerelease", F("version_key").desc()).distinct(*tool)


def _place(row: ToolRegistration) -> str:
    return catalogue.place_of(row, f"{row.document['name']}:{row.document['provider']}")
