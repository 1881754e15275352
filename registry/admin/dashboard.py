"""The tag library `governance`: what the admin's first page says of the registry.

Counts are capped, and each panel is asked for only where the person may view its rows.
"""

from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import reverse

from registry.admin import badges, panels
from registry.admin.paging import MOST_COUNTED, capped_count
from registry.admin.registration import WAITS
from registry.models import LeaseWatch, Provider, Tool, ToolEvent, ToolRegistration

register = template.Library()

_EVENTS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its name, and the list behind it."""

    label: str
    number: int
    url: str
    tone: str = ""

    @property
    def text(self) -> str:
        """The number; `10000+` where counting stopped."""
        return f"{self.number}{'+' if self.number >= MOST_COUNTED else ''}"


@register.simple_tag(takes_context=True)
def governance(context: dict[str, Any]) -> dict[str, Any]:
    """Return what exists, what is sick, what waits, and the last events."""
    user = context["request"].user
    answer: dict[str, Any] = {"exists": _exists(user)}
    if user.has_perm("registry.view_toolregistration"):
        answer |= {"sick": _sick(), "waits": _waits(), "alarm": _alarm()}
    if user.has_perm("registry.view_toolevent"):
        newest = ToolEvent.objects.order_by("-pk")[:_EVENTS]
        answer["events"] = [(event, panels.facts(event)) for event in newest]
    return answer


def _exists(user: Any) -> list[Figure]:
    shown = [(Tool, "tools"), (ToolRegistration, "registrations"), (Provider, "providers")]
    return [
        Figure(label, capped_count(model._default_manager.all()), _list(model))  # noqa: SLF001 - Django's documented name
        for model, label in shown
        if user.has_perm(f"registry.view_{model._meta.model_name}")  # noqa: SLF001 - Django's documented name
    ]


def _sick() -> list[Figure]:
    """Return what is sick by its beats or by its calls; retired versions are nobody's concern."""
    lifecycle = ToolRegistration.Lifecycle
    kept = ToolRegistration.objects.filter(lifecycle__in=[lifecycle.ACTIVE, lifecycle.DEPRECATED])
    url = f"{_list(ToolRegistration)}?lifecycle__in=ACTIVE,DEPRECATED&health__exact="
    silent = [
        Figure(health.label.lower(), number, url + health, "bad" if number else "")
        for health in (ToolRegistration.Health.SUSPECT, ToolRegistration.Health.UNAVAILABLE)
        for number in [capped_count(kept.filter(health=health))]
    ]
    failing = capped_count(kept.filter(failing_until__isnull=False))
    failing_url = f"{_list(ToolRegistration)}?failing_until__isnull=False"
    return [*silent, Figure("calls fail", failing, failing_url, "bad" if failing else "")]


def _waits() -> list[Figure]:
    number = capped_count(ToolRegistration.objects.filter(WAITS))
    return [Figure("to decide", number, f"{_list(ToolRegistration)}?waits=yes", "wait" if number else "")]


def _alarm() -> str:
    """Say why nothing is marked stale, empty while all is well."""
    seen = badges.leases_now()
    watch = LeaseWatch.objects.first()
    if seen.is_held or (watch is not None and watch.held_since is not None):
        return (
            f"{seen.silent} leases of {seen.silent_providers} providers are silent at once: the registry "
            "suspects itself and marks nothing stale. Check its network; "
            "manage.py mark_stale_tools --force overrules it."
        )
    return "The registry was away: a grace period holds, nothing is marked stale." if seen.is_grace else ""


def _list(model: type[Any]) -> str:
    return reverse(f"admin:registry_{model._meta.model_name}_changelist")  # noqa: SLF001 - Django's documented name
