"""Point channels at versions, and say where they point."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from oauth.principal import Principal
from registry.models import Tool, ToolChannel, ToolEvent, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.services import events
from registry.services.inside import inside_of
from registry.services.rendering import timestamp
from toolroster.channels import FOLLOWING, LATEST, STABLE, is_channel, split
from toolroster.errors import Conflict, DocumentInvalid, Fault, NoMatchingVersion

MOST = 50
"""Channels of a tool that are pinned at the most."""


@dataclass(frozen=True, slots=True)
class Pointing:
    """A channel, the version that it means, and since when it is pinned there: None for one that follows."""

    channel: str
    registration: ToolRegistration
    pinned_at: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        """Return where the channel points."""
        row = self.registration
        return {
            "channel": self.channel,
            "tool_id": row.tool_id,
            "version": row.version,
            "lifecycle": row.lifecycle,
            "pinned_at": timestamp(self.pinned_at),
        }


def of(tool: Tool, *, principal: Principal) -> list[Pointing]:
    """Return the channels of a tool that mean something to the principal, by their names."""
    visible = ToolRegistration.objects.visible_to(principal).filter(of_tool=tool)
    pins = ToolChannel.objects.filter(tool=tool, registration__in=visible).select_related("registration")
    found = {pin.name: Pointing(pin.name, pin.registration, pin.pinned_at) for pin in pins}
    pinned = set(ToolChannel.objects.filter(tool=tool).values_list("name", flat=True))
    for name in FOLLOWING.keys() - pinned:
        inside = inside_of(name, include_prerelease=False)
        row = visible.filter(inside.condition()).newest_first().first()
        if row is not None:
            found[name] = Pointing(name, row)
    return [found[name] for name in sorted(found)]


@transaction.atomic
def pin(tool: Tool, name: str, row: ToolRegistration, *, now: datetime, by: str = "") -> Pointing:
    """Point a channel at a version until it is pointed elsewhere or freed.

    Raises:
        DocumentInvalid: no name of a channel, or a prerelease for `latest` or `stable`.
        Conflict: the version is not active, or there are too many channels.
    """
    _check_name(name)
    row = ToolRegistration.objects.select_for_update(no_key=True, of=("self",)).get(pk=row.pk)
    Tool.objects.select_for_update(no_key=True).get(pk=tool.pk)  # versions first, as those who publish do
    if not row.is_in_use:
        raise Conflict(f"{row.tool_id} is not approved and active: no channel points at it.")
    if row.is_prerelease and name in {LATEST, STABLE}:
        fault = Fault("/version", "prerelease", f"{name} means releases; {row.version} is a prerelease.")
        raise DocumentInvalid(fault.detail, errors=[fault])
    known = ToolChannel.objects.filter(tool=tool).select_related("registration")
    before = known.filter(name=name).first()
    if before is not None and before.registration_id == row.pk:
        return Pointing(name, row, before.pinned_at)
    if before is None and known.count() >= MOST:
        raise Conflict(f"A tool has at most {MOST} channels.")
    values = {"registration": row, "pinned_at": now, "actor": by}
    ToolChannel.objects.update_or_create(tool=tool, name=name, defaults=values)
    data = {"channel": name, "to": row.version}  # what it pointed at may not be for all who may see this
    events.record(ToolEvent.Kind.CHANNEL_PINNED, [row], now=now, by=by, data=data)
    return Pointing(name, row, now)


@transaction.atomic
def free(tool: Tool, name: str, *, now: datetime, by: str = "") -> None:
    """Let a channel go: `latest`, `stable` and `next` follow again, another one is gone.

    Raises:
        NoMatchingVersion: it is not pinned; `nearest` holds those that are.
    """
    pins = (
        ToolChannel.objects.filter(tool=tool)
        .select_related("registration__of_tool")
        .select_for_update(of=("self",))
    )
    found = pins.filter(name=name).first()
    if found is None:
        raise _unknown(tool, name, pins)
    found.delete()
    data = {"channel": name, "from": found.registration.version}
    events.record(ToolEvent.Kind.CHANNEL_FREED, [found.registration], now=now, by=by, data=data)


def explained(text: str, tool: Tool, versions: ToolRegistrationQuerySet) -> NoMatchingVersion | None:
    """Return why a reference with a channel means nothing now; None where its range alone is to blame.

    `versions` are those of the tool that the caller may see.
    """
    channel, wanted = split(text)
    if not channel:
        return None
    pinned = ToolChannel.objects.filter(tool=tool, name=channel).select_related("registration").first()
    if pinned is None:
        seen = ToolChannel.objects.filter(registration__in=versions)
        return _unknown(tool, channel, seen) if channel not in FOLLOWING else None
    row = pinned.registration
    if not versions.filter(pk=row.pk).exists():
        return NoMatchingVersion(f"The channel {channel} of {tool} points at nothing that you may use.")
    why = (
        f"is {row.lifecycle}" if row.lifecycle != ToolRegistration.Lifecycle.ACTIVE else f"is not in {wanted}"
    )
    return NoMatchingVersion(f"The channel {channel} of {tool} points at {row.version}, which {why}.")


def _unknown(tool: Tool, name: str, seen: QuerySet[ToolChannel]) -> NoMatchingVersion:
    known = {*FOLLOWING, *seen.values_list("name", flat=True)}
    return NoMatchingVersion(f"The channel {name} of {tool} is not pinned.", nearest=sorted(known))


def _check_name(name: str) -> None:
    if not is_channel(name):
        fault = Fault(
            "/channel", "pattern", "A small letter, then at most 39 of a-z, 0-9, '_' and '-'; no range."
        )
        raise DocumentInvalid(f"{name[:100]!r} is no name of a channel.", errors=[fault])
