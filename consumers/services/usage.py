"""Who calls what: sums over time, tools that nobody calls, and calls that agents report themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDay

from consumers.models import CallOutcome, ToolCallUsage
from oauth.principal import Principal
from registry.models import Provider, ProviderOwner, ToolRegistration
from registry.services import resolution
from toolroster.errors import DocumentInvalid, Fault, PermissionMissing, ToolrosterError

_FAILED = (CallOutcome.FAILED, CallOutcome.TIMED_OUT, CallOutcome.UNAVAILABLE)
COLUMNS: dict[str, dict[str, Any]] = {
    "tool": {"provider": F("provider"), "name": F("name")},
    "version": {"version": F("version")},
    "agent": {"agent": F("agent")},
    "provider": {"provider": F("provider")},
    "outcome": {"outcome": F("outcome")},
    "hour": {"hour": F("hour")},
    "day": {"day": TruncDay("hour", tzinfo=UTC)},
}
"""What calls are summed by, and the columns that say so."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which calls; None and () do not narrow. `tool` is `[provider/]name`."""

    group_by: Sequence[str] = ()
    tool: str | None = None
    version: str | None = None
    agent: str | None = None
    provider: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 1000


def of(wanted: Wanted, *, principal: Principal) -> list[dict[str, Any]]:
    """Return sums of calls, most calls first; an operator sees all, others their own tools and calls."""
    rows = _narrowed(_readable(principal), wanted)
    groups = {name: what for by in wanted.group_by or ("tool",) for name, what in COLUMNS[by].items()}
    named = {f"by_{name}": what for name, what in groups.items()}
    summed = rows.values(**named).annotate(
        number=Sum("calls"),
        failures=Coalesce(Sum("calls", filter=Q(outcome__in=_FAILED)), 0),
        timed=Sum("calls", filter=~Q(outcome=CallOutcome.REPORTED)),
        total_ms=Sum("duration_ms"),
        most_ms=Max("longest_ms"),
        sent=Sum("request_bytes"),
        received=Sum("response_bytes"),
    )
    ordered = summed.order_by("-number", *named)[: wanted.limit]
    return [_row(row, list(groups)) for row in ordered]


def unused(*, principal: Principal, since: datetime, most: int) -> list[ToolRegistration]:
    """Return versions in use that nobody called since, the ones registered first at the top."""
    calls = ToolCallUsage.objects.filter(tool_id=OuterRef("tool_id"), hour__gte=since)
    calls = calls.exclude(outcome__in=[CallOutcome.REFUSED, CallOutcome.PENDING])
    rows = ToolRegistration.objects.visible_to(principal).active().filter(registered_at__lt=since)
    return list(rows.filter(~Exists(calls)).order_by("registered_at", "pk")[:most])


@transaction.atomic
def report(usage_by_tool: Mapping[str, int], *, principal: Principal, now: datetime) -> int:
    """Add calls that an agent made itself, by tool ids, references or names; return how many.

    Raises:
        PermissionMissing: nobody in particular asks.
        DocumentInvalid: a tool is none that the agent may see; nothing is added then.
    """
    if principal.application_id is None:
        raise PermissionMissing("Calls are reported with the token of the agent that made them.")
    counts: dict[str, int] = {}
    for name, count in usage_by_tool.items():
        row = _meant(name, principal)
        counts[row.tool_id] = counts.get(row.tool_id, 0) + count
    hour = now.replace(minute=0, second=0, microsecond=0)
    for tool_id, count in sorted(counts.items()):
        _add(tool_id, count, hour, principal)
    return sum(counts.values())


def _meant(name: str, principal: Principal) -> ToolRegistration:
    try:
        return resolution.named(name, principal=principal)
    except ToolrosterError as error:
        pointer = "/usage_by_tool/" + name.replace("~", "~0").replace("/", "~1")
        fault = Fault(pointer, error.code, error.detail)
        raise DocumentInvalid(f"{pointer}: {error.detail}", errors=[fault], nearest=error.nearest) from error


def _add(tool_id: str, count: int, hour: datetime, principal: Principal) -> None:
    provider, name, version = tool_id.split(":", 2)
    key = {
        "hour": hour,
        "tool_id": tool_id,
        "application_id": principal.application_id,
        "agent": principal.client_id,
        "outcome": CallOutcome.REPORTED,
    }
    row, _ = ToolCallUsage.objects.get_or_create(
        **key,
        defaults={
            "provider": provider,
            "name": name,
            "version": version,
            "calls": 0,
            "duration_ms": 0,
            "longest_ms": 0,
            "request_bytes": 0,
            "response_bytes": 0,
        },
    )
    ToolCallUsage.objects.filter(pk=row.pk).update(calls=F("calls") + count)


def _readable(principal: Principal) -> QuerySet[ToolCallUsage]:
    if principal.has("tools:admin"):
        return ToolCallUsage.objects.all()
    if principal.application_id is None:
        return ToolCallUsage.objects.none()
    owned = ProviderOwner.objects.filter(application=principal.application_id).values("provider")
    names = Provider.objects.filter(pk__in=owned).values("name")
    return ToolCallUsage.objects.filter(Q(application_id=principal.application_id) | Q(provider__in=names))


def _narrowed(rows: QuerySet[ToolCallUsage], wanted: Wanted) -> QuerySet[ToolCallUsage]:
    provider, _, name = (wanted.tool or "").rpartition("/")
    exact = {
        "name": name,
        "provider": (provider or wanted.provider or "").lower(),
        "version": wanted.version,
        "agent": wanted.agent,
    }
    rows = rows.filter(**{column: value for column, value in exact.items() if value})
    if wanted.since is not None:
        rows = rows.filter(hour__gte=wanted.since - timedelta(hours=1) + timedelta(microseconds=1))
    return rows.filter(hour__lt=wanted.until) if wanted.until is not None else rows


def _row(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    timed = row["timed"] or 0
    return {
        **{name: _said(row[f"by_{name}"]) for name in names},
        "calls": row["number"],
        "failed": row["failures"],
        "mean_duration_ms": round(row["total_ms"] / timed, 3) if timed else None,
        "longest_duration_ms": round(row["most_ms"], 3) if timed else None,
        "request_bytes": row["sent"],
        "response_bytes": row["received"],
    }


def _said(value: Any) -> Any:
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
