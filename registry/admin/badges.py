"""States and times as people read them: a word and a colour, never the colour alone."""

from datetime import datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import now as the_time

from registry import conf
from registry.models.instance import ENDED
from registry.services import leases
from registry.services.leases import LeaseView

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def badge(state: str) -> SafeString:
    """Return a state as a badge; `badges.css` knows its colour and sign."""
    return format_html(
        '<span class="badge badge-{}">{}</span>', state.lower(), state.replace("_", " ").capitalize()
    )


def age(moment: datetime | None, now: datetime) -> str:
    """Return how long ago a beat was, in its largest unit: `12 s ago`."""
    if moment is None:
        return "never"
    if moment <= ENDED:
        return "given back"
    seconds = max(0, int((now - moment).total_seconds()))
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "now"


def leases_now() -> LeaseView:
    """Return how leases look now: where the admin reads the clock."""
    return leases.recent.at(now=the_time(), policy=conf.lease_policy())


def lease_state(last_beat_at: datetime, seen: LeaseView) -> str:
    """Return the health that one lease alone would give."""
    if last_beat_at <= seen.cutoff:
        return "UNAVAILABLE"
    return "SUSPECT" if last_beat_at <= seen.suspect_cutoff else "HEALTHY"
