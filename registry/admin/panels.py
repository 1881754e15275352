"""Tables on the page of a registration: its revisions, its leases, its last events. Read-only."""

import json
from collections.abc import Sequence

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from registry.admin.badges import age, badge, lease_state, leases_now
from registry.models import ToolEvent, ToolInstance, ToolPresentation, ToolRegistration

MOST_ROWS = 20
"""Rows of a table; the rest is on the list it links to."""


def document(row: ToolRegistration) -> SafeString:
    """Return the registration document, its parameters in their order."""
    return format_html(
        '<pre class="document">{}</pre>', json.dumps(row.document, indent=2, ensure_ascii=False)
    )


def revisions(row: ToolRegistration) -> SafeString:
    """Return the revisions of the words, the newest first."""
    newest = row.presentations.order_by("-revision")[:MOST_ROWS]
    rows = [
        [
            one.revision,
            _standing(row, one),
            one.display_name,
            one.description,
            " · ".join(one.examples),
            ", ".join(one.tags),
        ]
        for one in newest
    ]
    headings = ["Revision", "State", "Display name", "Description", "Examples", "Tags"]
    return _panel(headings, rows, "toolpresentation", f"registration__id__exact={row.pk}")


def _standing(row: ToolRegistration, revision: ToolPresentation) -> str:
    if revision.pk == row.pending_presentation_id:
        return badge("WAITING")
    return badge("SERVED") if revision.pk == row.approved_presentation_id else ""


def leases(row: ToolRegistration) -> SafeString:
    """Return the leases, the freshest first, judged now."""
    seen = leases_now()
    rows = [
        [one.provider_instance, one.endpoint, _lease(one), age(one.last_beat_at, seen.now)]
        for one in row.instances.order_by("-last_beat_at", "pk")[:MOST_ROWS]
    ]
    headings = ["Instance", "Endpoint", "Lease", "Last beat"]
    return _panel(headings, rows, "toolinstance", f"registration__id__exact={row.pk}")


def _lease(instance: ToolInstance) -> SafeString:
    refused = instance.refusal is not None
    return badge("REFUSED" if refused else lease_state(instance.last_beat_at, leases_now()))


def events(row: ToolRegistration) -> SafeString:
    """Return what happened last."""
    newest = ToolEvent.objects.filter(tool_id=row.tool_id).order_by("-pk")[:MOST_ROWS]
    rows = [[f"{one.occurred_at:%Y-%m-%d %H:%M:%S}", one.kind, facts(one)] for one in newest]
    return _panel(["At (UTC)", "Event", "Facts"], rows, "toolevent", f"tool_id={row.tool_id}")


def facts(event: ToolEvent) -> str:
    """Return the data of an event as `name: value` pairs."""
    return "; ".join(
        f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in event.data.items()
        if value not in ("", None)
    )


def _panel(headings: list[str], rows: Sequence[Sequence[object]], model: str, query: str) -> SafeString:
    context = {
        "headings": headings,
        "rows": rows,
        "more_url": f"{reverse(f'admin:registry_{model}_changelist')}?{query}",
        "is_cut": len(rows) == MOST_ROWS,
    }
    return render_to_string("admin/registry/panel.html", context)
