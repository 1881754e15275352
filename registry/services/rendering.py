"""The registration as it is served: its document and the facts of the moment."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

import orjson
from django.utils.http import http_date

from registry.models import ToolRegistration
from registry.models.instance import ENDED
from registry.services.leases import LeaseView

Health = ToolRegistration.Health


def registration(row: ToolRegistration, *, seen: LeaseView) -> dict[str, Any]:
    """Return the JSON object of a registration that was read `with_last_beat()`."""
    return {"tool_id": row.tool_id, **row.document, **_facts(row, seen)}


def registration_text(row: ToolRegistration, *, seen: LeaseView) -> bytes:
    """Return the JSON text of the same: the stored text between the facts, without reading it."""
    head, facts = orjson.dumps({"tool_id": row.tool_id}), orjson.dumps(_facts(row, seen))
    return b"".join((head[:-1], b",", row.document_text.encode()[1:-1], b",", facts[1:]))


def _facts(row: ToolRegistration, seen: LeaseView) -> dict[str, Any]:
    """Return what is true at the moment: health by the leases now, not by the last sweep."""
    last_beat_at: datetime | None = getattr(row, "last_beat_at", None)
    health = current_health(row, last_beat_at, seen)
    return {
        "status": status(row.lifecycle, health),
        "review": row.review,
        "lifecycle": row.lifecycle,
        "health": health,
        "registered_at": timestamp(row.registered_at),
        "updated_at": timestamp(row.updated_at),
        "last_heartbeat_at": timestamp(last_beat_at) if last_beat_at and last_beat_at > ENDED else None,
        "contract_hash": row.contract_hash,
        "deprecated_at": timestamp(row.deprecated_at),
        "yanked_at": timestamp(row.yanked_at),
        "sunset_at": timestamp(row.sunset_at),
        "replaced_by": row.replaced_by or None,
        "deprecation_reason": row.deprecation_reason or None,
    }


def farewell_headers(row: ToolRegistration) -> dict[str, str]:
    """Return what HTTP says of a deprecated version: RFC 9745, RFC 8594, and a link to what replaces it."""
    found: dict[str, str] = {}
    if row.lifecycle == ToolRegistration.Lifecycle.DEPRECATED and row.deprecated_at is not None:
        found["Deprecation"] = f"@{int(row.deprecated_at.timestamp())}"
        if row.sunset_at is not None:
            found["Sunset"] = http_date(row.sunset_at.timestamp())
        if row.replaced_by:
            found["Link"] = f'</api/tools/resolve?ref={quote(row.replaced_by)}>; rel="successor-version"'
    return found


def current_health(row: ToolRegistration, last_beat_at: datetime | None, seen: LeaseView) -> str:
    """Return the health now: UNAVAILABLE stands; else the last beat decides, and whether calls fail."""
    if row.health == Health.UNMONITORED:
        return Health.SUSPECT.value if _is_failing(row, seen) else row.health
    if row.health == Health.UNAVAILABLE:
        return row.health
    if last_beat_at is None or last_beat_at <= seen.cutoff:
        return Health.UNAVAILABLE.value
    is_suspect = last_beat_at <= seen.suspect_cutoff or _is_failing(row, seen)
    return Health.SUSPECT.value if is_suspect else Health.HEALTHY.value


def _is_failing(row: ToolRegistration, seen: LeaseView) -> bool:
    return row.failing_until is not None and row.failing_until > seen.now


def status(lifecycle: str, health: str) -> str:
    """Return the seeds' one word, derived: RETIRED > UNAVAILABLE > DEPRECATED > ACTIVE."""
    if lifecycle == ToolRegistration.Lifecycle.RETIRED:
        return "RETIRED"
    return "UNAVAILABLE" if health == Health.UNAVAILABLE else lifecycle


def timestamp(moment: datetime | None) -> str | None:
    """Return RFC 3339 in UTC with `Z`, None for None."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
