"""Which provider answers a bare name."""

from datetime import datetime

from django.db import transaction

from registry.models import Tool, ToolEvent
from registry.services import events
from toolroster.errors import Conflict


def other_default(tool: Tool) -> str | None:
    """Return `provider/name` of another tool that is marked for the name, None if there is none.

    Locks the tools of the name, so that two people who mark at once take turns; call it in a transaction.
    """
    same_name = Tool.objects.filter(name=tool.name).select_related("provider")
    rows = list(same_name.order_by("pk").select_for_update(of=("self",), no_key=True))
    others = (str(row) for row in rows if row.is_default_for_name and row.pk != tool.pk)
    return next(others, None)


@transaction.atomic
def mark_default(tool: Tool, *, is_default: bool, now: datetime) -> None:
    """Let a tool answer its bare name, or no longer; one event for each change.

    Raises:
        Conflict: another provider's tool is marked.
    """
    other = other_default(tool)
    if is_default and other is not None:
        raise Conflict(f"{other} is the default for this name; take its mark away first.")
    if (
        Tool.objects.filter(pk=tool.pk)
        .exclude(is_default_for_name=is_default)
        .update(is_default_for_name=is_default)
    ):
        data = {"tool": str(tool), "is_default": is_default}
        events.record_for_registry(ToolEvent.Kind.NAME_DEFAULT, now=now, data=data)
