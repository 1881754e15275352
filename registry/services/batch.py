"""What a batch of registrations reads at its beginning and writes at its end: set by set, not row by row."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection

from oauth import scopes
from registry.models import Provider, Tool, ToolEvent, ToolInstance, ToolPresentation, ToolRegistration
from registry.services import events, heartbeat, indexing, presentation, refusals
from toolroster import semver
from toolroster.definition import ToolDefinition
from toolroster.words import PresentationWords

Key = tuple[str, str, str]
"""Provider, name and version key: what is one version, whatever its build metadata."""

_POINT_AT_FIRST_WORDS = """
UPDATE registry_toolregistration registration
SET approved_presentation_id = CASE WHEN registration.review = 'APPROVED' THEN words.id END,
    pending_presentation_id = CASE WHEN registration.review <> 'APPROVED' THEN words.id END
FROM registry_toolpresentation words
WHERE words.registration_id = registration.id AND registration.id = ANY(%s)
"""


def key_of(definition: ToolDefinition) -> Key:
    """Return which version a definition is."""
    return definition.provider, definition.name, semver.version_key(definition.version)


class VersionTaken(Exception):
    """Another transaction published one of the versions first; nothing of this one can stay."""


@dataclass(frozen=True, slots=True)
class Created:
    """A version that is to be inserted, with its definition, its lease if any, and what its event says."""

    registration: ToolRegistration
    definition: ToolDefinition
    lease: ToolInstance | None
    event_data: dict[str, Any] = field(default_factory=dict)


class Batch:
    """The tools and published versions that a batch names, and what waits to be written.

    What waits concerns registrations that this transaction created or holds locked. `write` is asked for at
    the end, and before a row that waits is read.
    """

    def __init__(
        self, definitions: Iterable[ToolDefinition], *, instance: str, now: datetime, actor: str = ""
    ) -> None:
        self._instance, self._now, self._actor = instance, now, actor
        self._names: dict[str, set[str]] = defaultdict(set)
        for definition in definitions:
            self._names[definition.provider].add(definition.name)
        self._tools: dict[tuple[int, str], Tool] = {}
        self._created: list[Created] = []
        self._new: set[tuple[int, str]] = set()
        self._leases: dict[int, ToolInstance] = {}
        self.published = _lock(definitions, instance)

    def tool(self, provider: Provider, name: str) -> Tool:
        """Return a tool of a provider that may be written to, new if need be; all that are named at once."""
        if (provider.pk, name) not in self._tools:
            self._load_tools(provider)
        return self._tools[provider.pk, name]

    def _load_tools(self, provider: Provider) -> None:
        wanted = sorted(self._names[provider.name])
        named = Tool.objects.filter(provider=provider, name__in=wanted)
        known = set(named.values_list("name", flat=True))
        new = [name for name in wanted if name not in known]
        Tool.objects.bulk_create(
            (Tool(provider=provider, name=name, created_at=self._now) for name in new), ignore_conflicts=True
        )
        self._tools |= {(provider.pk, tool.name): tool for tool in named.select_related("provider")}

    def tools_of(self, provider_id: int) -> list[Tool]:
        """Return all tools of a provider that this batch names."""
        return [tool for (owner, _), tool in self._tools.items() if owner == provider_id]

    def add(self, created: Created) -> None:
        """Let a new version wait."""
        self._created.append(created)
        self._new.add((created.registration.of_tool_id, created.registration.version_key))

    def has_new(self, tool: Tool, version_key: str) -> bool:
        """Tell whether a version is new with this batch, waiting or written."""
        return (tool.pk, version_key) in self._new

    def add_lease(self, lease: ToolInstance) -> None:
        """Let a lease wait; of two for one registration the later counts."""
        self._leases[lease.registration_id] = lease

    def write(self) -> None:
        """Write what waits.

        Raises:
            VersionTaken: another transaction published one of the new versions meanwhile.
        """
        created, self._created = self._created, []
        indexing.attach([(one.registration, one.definition) for one in created])
        self._insert([one.registration for one in created])
        self._write_leases([one.lease for one in created if one.lease is not None])
        if created:
            self._describe(created)
            refusals.forget([one.registration.tool_id for one in created], instance=self._instance)

    def _insert(self, rows: list[ToolRegistration]) -> None:
        try:
            ToolRegistration.objects.bulk_create(rows)
        except IntegrityError as error:
            raise VersionTaken from error

    def _describe(self, created: list[Created]) -> None:
        """Write what comes with new versions: scopes, words and events."""
        rows = [one.registration for one in created]
        scopes.ensure({scope for row in rows for scope in row.scopes}, now=self._now)
        ToolPresentation.objects.bulk_create(
            presentation.first(one.registration, PresentationWords.of(one.definition), now=self._now)
            for one in created
        )
        with connection.cursor() as cursor:
            cursor.execute(_POINT_AT_FIRST_WORDS, [[row.pk for row in rows]])
        said = {one.registration.pk: one.event_data for one in created}
        events.record(
            ToolEvent.Kind.REGISTERED, rows, now=self._now, by=self._actor, data=lambda row: said[row.pk]
        )

    def _write_leases(self, new: list[ToolInstance]) -> None:
        """Write leases; a new one belongs to a row that has just been inserted."""
        leases, self._leases = [*new, *self._leases.values()], {}
        if not leases:
            return
        real = [one for one in leases if one.provider_instance != heartbeat.REGISTRATION_LEASE]
        if real:
            heartbeat.end_placeholders([one.registration.pk for one in real])
        ToolInstance.objects.bulk_create(
            leases,
            update_conflicts=True,
            unique_fields=["registration", "provider_instance"],
            update_fields=["last_beat_at", "endpoint", "refusal"],
        )


def _lock(definitions: Iterable[ToolDefinition], instance: str) -> dict[Key, ToolRegistration]:
    """Lock what is published of these versions, leases first, and return it.

    By version key, not by tool id: a version that is published with other build metadata is locked as well.
    """
    keys = {key_of(definition) for definition in definitions}
    providers, names, versions = ({key[place] for key in keys} for place in range(3))
    published = ToolRegistration.objects.filter(
        version_key__in=versions, of_tool__name__in=names, of_tool__provider__name__in=providers
    )
    held = ToolInstance.objects.filter(registration__in=published, provider_instance=instance)
    list(held.order_by("pk").select_for_update(of=("self",)).values_list("pk"))
    of_tools = published.select_related("of_tool__provider").order_by("pk")
    rows = of_tools.select_for_update(of=("self",), no_key=True)
    found = {(row.of_tool.provider.name, row.of_tool.name, row.version_key): row for row in rows}
    return {key: row for key, row in found.items() if key in keys}
