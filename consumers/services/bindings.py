"""Declare which tools an agent uses, in which ranges."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from consumers.models import ToolBinding
from oauth.models import Application
from oauth.principal import Principal
from registry.models import ToolRegistration
from registry.services import resolution
from toolroster import semver
from toolroster.channels import LATEST, split
from toolroster.errors import DocumentInvalid, Fault, PermissionMissing, ToolrosterError
from toolroster.reference import parse_reference

MOST = 200
"""References that an agent declares at the most."""


def application_of(principal: Principal) -> Application:
    """Return the agent that asks.

    Raises:
        PermissionMissing: nobody in particular asks.
    """
    if principal.application_id is None:
        raise PermissionMissing("This is about the agent that asks: send the token of an OAuth client.")
    found: Application = Application.objects.get(pk=principal.application_id)
    return found


def of(application: Application) -> list[ToolBinding]:
    """Return an agent's bindings in the order of tools."""
    return list(application.tool_bindings.whole().order_by("tool__provider__name", "tool__name"))


@transaction.atomic
def declare(
    refs: Sequence[str], *, application: Application, principal: Principal, now: datetime
) -> list[ToolBinding]:
    """Make references the whole of what an agent uses; return its bindings.

    A tool that was declared before keeps its version while the new range holds it and it is not retired.

    Raises:
        ToolrosterError: a reference is wrong, means nothing that the agent may see, or a tool stands twice;
            each fault points at its reference. Nothing is changed then.
    """
    Application.objects.select_for_update(of=("self",), no_key=True).get(pk=application.pk)
    # Locked, then read: a migration that holds one of them has moved it by then.
    list(application.tool_bindings.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    before = {one.tool_id: one for one in application.tool_bindings.select_related("bound")}
    wanted = [_declared(ref, f"/refs/{place}", principal) for place, ref in enumerate(refs)]
    _check_once(wanted)
    rows = [_row(row, text, before, application, now) for row, text in wanted]
    application.tool_bindings.exclude(tool__in=[row.tool_id for row in rows]).delete()
    ToolBinding.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["application", "tool"],
        update_fields=["range", "bound", "declared_at"],
    )
    return of(application)


def _declared(ref: str, at: str, principal: Principal) -> tuple[ToolRegistration, str]:
    """Return the version that a reference means now, and its range."""
    try:
        return resolution.named(ref, principal=principal), _range_of(ref)
    except ToolrosterError as error:
        error.errors = (Fault(at, error.code, error.detail),)
        raise


def _range_of(ref: str) -> str:
    """Return the range of a reference; a tool id is an exact one, `latest` is none."""
    text = ref.split(":", 2)[2] if ref.count(":") > 1 else parse_reference(ref).range or ""
    return "" if text.strip() == LATEST else text.strip()


def _check_once(wanted: Sequence[tuple[ToolRegistration, str]]) -> None:
    seen: dict[int, int] = {}
    for place, (row, _) in enumerate(wanted):
        if row.of_tool_id in seen:
            fault = Fault(f"/refs/{place}", "duplicate", f"/refs/{seen[row.of_tool_id]} is the same tool.")
            raise DocumentInvalid("A tool is declared once.", errors=[fault])
        seen[row.of_tool_id] = place


def _row(
    row: ToolRegistration,
    text: str,
    before: dict[int, ToolBinding],
    application: Application,
    now: datetime,
) -> ToolBinding:
    old = before.get(row.of_tool_id)
    keeps = old is not None and is_in_range(old.bound, text) and old.bound.is_in_use
    keeps = keeps and not split(text)[0]  # what a channel points at decides
    bound = old.bound if old is not None and keeps else row
    return ToolBinding(
        application=application, tool_id=row.of_tool_id, range=text, bound=bound, declared_at=now
    )


def is_in_range(row: ToolRegistration, text: str) -> bool:
    """Tell whether a binding's range allows a version; without one every release, or what a channel means."""
    channel, wanted = split(text)
    if wanted:
        return semver.satisfies(row.version, wanted)
    return bool(channel) or not row.is_prerelease
