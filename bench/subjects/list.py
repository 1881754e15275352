"""A page of a hundred tools, as JSON bytes."""

from dataclasses import dataclass

import orjson

from bench import data, naive
from bench.measure import Variant
from oauth.principal import Principal
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
    reader = _Reader(data.principal(), leases.view(now=data.NOW, policy=data.POLICY))
    second = reader.page(Filters(), None).next
    yardstick = Variant("ModelSerializer, N+1", lambda: naive.listing(_LIMIT))
    pages = {
        "first page": lambda: reader.json(Filters(), None),
        "second page": lambda: reader.json(Filters(), second),
        "of one provider": lambda: reader.json(Filters(provider="bench-0"), None),
        "of one tag": lambda: reader.json(Filters(tags=["mail"]), None),
    }
    return [yardstick, *(Variant(name, act, against=yardstick.name) for name, act in pages.items())]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who reads, and how leases look meanwhile."""

    principal: Principal
    seen: LeaseView

    def json(self, filters: Filters, cursor: str | None) -> bytes:
        page = self.page(filters, cursor)
        rows = [rendering.registration(row, seen=self.seen) for row in page.registrations]
        return orjson.dumps({"results": rows, "next": page.next})

    def page(self, filters: Filters, cursor: str | None) -> Page:
        found = catalogue.available(filters, principal=self.principal, cutoff=self.seen.cutoff)
        return catalogue.page(found, limit=_LIMIT, cursor=cursor)
