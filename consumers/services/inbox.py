"""What agents are told: events for them, of what they are bound to, and of everything that they may see."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from consumers.models import InboxMark
from oauth.models import Application
from oauth.principal import Principal
from registry.models import ToolEvent
from registry.models.event import ToolEventQuerySet, settled_horizon
from toolroster.errors import DocumentInvalid, Fault

Kind = ToolEvent.Kind
CONCERNS = (Kind.UPDATED, Kind.DEPRECATED, Kind.YANKED, Kind.RESTORED, Kind.RETIRED)
"""What somebody who is bound to a version wants to know of it."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the outbox, handed out as `transaction-event`; a reader goes on behind it."""

    transaction_id: int = 0
    event_id: int = 0

    def __str__(self) -> str:
        return f"{self.transaction_id}-{self.event_id}"

    @classmethod
    def of(cls, text: str, at: str = "/after") -> "Place":
        """Read a place.

        Raises:
            DocumentInvalid: it was never handed out.
        """
        first, dash, second = text.partition("-")
        digits = (first, second)
        if not dash or not all(one.isascii() and one.isdecimal() and len(one) < 19 for one in digits):
            fault = Fault(at, "place_invalid", "Send `next` of the answer before as it is.")
            raise DocumentInvalid(f"{at}: It is no place in the events.", errors=[fault])
        return cls(int(first), int(second))


@dataclass(frozen=True, slots=True)
class Events:
    """Events in their order, and the place behind the last one."""

    events: list[ToolEvent]
    next: Place


def everyone(*, principal: Principal, after: Place, limit: int) -> Events:
    """Return what happened behind a place, as far as the principal may know of it."""
    return _page(ToolEvent.objects.visible_to(principal), after, limit)


def of(application: Application, *, principal: Principal, after: Place | None, limit: int) -> Events:
    """Return what concerns an agent, behind a place or behind what it has acknowledged."""
    place = acknowledged(application) if after is None else after
    bound = application.tool_bindings.values("bound__tool_id")
    seen = ToolEvent.objects.visible_to(principal)
    mine = Q(recipient_id=application.pk) | Q(tool_id__in=bound, kind__in=CONCERNS)
    return _page(seen.filter(mine), place, limit)


def _page(found: ToolEventQuerySet, after: Place, limit: int) -> Events:
    """Return what is settled behind a place; a page that is not full leads to the end of it.

    So who reads nothing for a long time does not look through what is not for them again.
    """
    horizon = settled_horizon()
    behind = found.settled(horizon).behind(after.transaction_id, after.event_id)
    events = list(behind.in_order()[:limit])
    if len(events) == limit:
        return Events(events, Place(events[-1].transaction_id, events[-1].pk))
    return Events(events, max(after, Place(horizon, 0)))


def acknowledged(application: Application) -> Place:
    """Return how far an agent has read."""
    mark = InboxMark.objects.filter(application=application).first()
    return Place(mark.transaction_id, mark.event_id) if mark else Place()


def acknowledge(application: Application, place: Place, *, now: datetime) -> None:
    """Note how far an agent has read. A place before that changes nothing: nothing comes back."""
    mark, _ = InboxMark.objects.get_or_create(
        application=application, defaults={"transaction_id": 0, "event_id": 0, "acknowledged_at": now}
    )
    before = Q(transaction_id__lt=place.transaction_id)
    before |= Q(transaction_id=place.transaction_id, event_id__lt=place.event_id)
    InboxMark.objects.filter(before, pk=mark.pk).update(
        transaction_id=place.transaction_id, event_id=place.event_id, acknowledged_at=now
    )
