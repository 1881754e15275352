"""A page of a hundred tools, as JSON bytes."""

import orjson

from bench import data, naive
from bench.measure import Variant
from registry.services import catalogue, leases, rendering
from registry.services.catalogue import Filters, Page
from registry.services.leases import LeaseView

UNIT = "page of 100 tools"

_LIMIT = 100


def variants() -> list[Variant]:
    """Return the catalogue's pages beside a serializer that makes a query a row.

    The look at the leases is not in it: a web process takes one in two seconds (see `sweep`).
    """
    data.renew()
    seen = leases.view(now=data.NOW, policy=data.POLICY)
    second = _page(seen, Filters(), None).next
    yardstick = Variant("ModelSerializer, N+1", lambda: naive.listing(_LIMIT))
    pages = {
        "first page": lambda: _json(seen, Filters(), None),
        "second page": lambda: _json(seen, Filters(), second),
        "of one provider": lambda: _json(seen, Filters(provider="bench-0"), None),
        "of one tag": lambda: _json(seen, Filters(tags=["mail"]), None),
    }
    return [yardstick, *(Variant(name, act, against=yardstick.name) for name, act in pages.items())]


def _json(seen: LeaseView, filters: Filters, cursor: str | None) -> bytes:
    page = _page(seen, filters, cursor)
    rows = [rendering.registration(row, seen=seen) for row in page.registrations]
    return orjson.dumps({"results": rows, "next": page.next})


def _page(seen: LeaseView, filters: Filters, cursor: str | None) -> Page:
    found = catalogue.available(filters, principal=data.principal(), cutoff=seen.cutoff)
    return catalogue.page(found, limit=_LIMIT, cursor=cursor)
