"""Write to the outbox. The registry never knows who reads it."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from registry.models import ToolEvent, ToolRegistration
from registry.services import generations

FIELDS = ("pk", "tool_id", "scopes", "allowed_roles", "review", "categories")
"""What an event takes from a registration, for queries that load no more."""


def record(
    kind: ToolEvent.Kind,
    registrations: Iterable[ToolRegistration],
    *,
    now: datetime,
    by: str = "",
    data: dict[str, Any] | Callable[[ToolRegistration], dict[str, Any]] | None = None,
) -> None:
    """Add one event per registration, in the caller's transaction; kept lists that show it end with it.

    `data` is that of all, or asked for each; `by` is who decided.

    The row keeps what decides who may read it: scopes, roles, and whether the registration is approved.
    """
    registrations = list(registrations)
    if registrations:
        generations.replace_on_commit(label for row in registrations for label in row.categories)
    ToolEvent.objects.bulk_create(
        ToolEvent(
            kind=kind,
            tool_id=registration.tool_id,
            occurred_at=now,
            actor=by,
            scopes=registration.scopes,
            roles=registration.allowed_roles,
            is_published=registration.review == ToolRegistration.Review.APPROVED,
            data=data(registration) if callable(data) else data or {},
        )
        for registration in registrations
    )


def record_for(
    kind: ToolEvent.Kind,
    registration: ToolRegistration,
    recipients: Iterable[int],
    *,
    now: datetime,
    data: dict[str, Any],
) -> None:
    """Add an event about a registration for each of these applications, and for nobody else."""
    ToolEvent.objects.bulk_create(
        ToolEvent(
            kind=kind,
            tool_id=registration.tool_id,
            occurred_at=now,
            recipient_id=recipient,
            data=data,
        )
        for recipient in recipients
    )


def record_for_registry(kind: ToolEvent.Kind, *, now: datetime, data: dict[str, Any]) -> None:
    """Add an event about the registry itself; every kept list ends with it."""
    generations.replace_everything_on_commit()
    ToolEvent.objects.create(kind=kind, occurred_at=now, data=data)
