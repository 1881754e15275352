"""Migrate agents from one version of a tool to another one, and take that back (seeds/004).

Each agent is judged against the target directly, again inside the transaction that moves it. Locks are taken
in one order: versions by id, then bindings by id; two migrations at once take turns, and the second one
finds nothing left to do.
"""

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from django.db import transaction

from consumers.models import MigrationMove, ToolBinding, VersionMigration
from consumers.services import principals
from consumers.services.bindings import is_in_range
from registry.models import Tool, ToolEvent, ToolRegistration
from registry.services import compatibility, events, lifecycle
from toolroster.compat import CompatPolicy, Report, compare
from toolroster.errors import Conflict, IncompatibleVersion, ReviewNeeded

Kind = ToolEvent.Kind
Lifecycle = ToolRegistration.Lifecycle
Reason = Literal["", "out_of_range", "not_visible", "not_chosen", "later"]
"""Why an agent stays; "" moves."""

SAID: dict[Reason, str] = {
    "": "moved",
    "out_of_range": "its range does not allow the version",
    "not_visible": "its scopes and roles do not open the version",
    "not_chosen": "it was not among the agents that were named",
    "later": "it is not among this share of the agents",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A migration as it was asked for.

    `agents` are client ids or names, none for all; `percent` takes that share of the agents, the same ones
    each time, so that a larger share holds the smaller one. `accept_review` moves agents although somebody
    should look at the changes first.
    """

    old: ToolRegistration
    new: ToolRegistration
    agents: frozenset[str] = frozenset()
    percent: int = 100
    accept_review: bool = False
    switches: CompatPolicy = field(default_factory=CompatPolicy)

    @property
    def is_whole(self) -> bool:
        return not self.agents and self.percent >= 100


@dataclass(frozen=True, slots=True)
class Judged:
    """One agent, and why it stays."""

    binding: ToolBinding
    reason: Reason

    def as_json(self) -> dict[str, Any]:
        """Return who it is and what becomes of it."""
        application = self.binding.application
        return {
            "client_id": application.client_id,
            "name": application.name,
            "ref": self.binding.ref,
            "moved": not self.reason,
            "reason": self.reason or None,
            "detail": SAID[self.reason],
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a migration did, or would do. `migration` is None where nothing changed, and in a dry run."""

    report: Report
    agents: list[Judged]
    deprecates: bool
    migration: VersionMigration | None = None

    @property
    def moved(self) -> int:
        return sum(not one.reason for one in self.agents)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {
            "id": self.migration.pk if self.migration else None,
            "moved": self.moved,
            "stayed": len(self.agents) - self.moved,
            "deprecated": self.deprecates,
            "agents": [one.as_json() for one in self.agents],
            "compatibility": self.report.as_json(),
        }


Progress = Callable[[int, int], None]
"""Told how many of how many agents are judged."""


def plan(asked: Asked, *, progress: Progress | None = None) -> Outcome:
    """Return what a migration would do; nothing is changed.

    Raises:
        IncompatibleVersion, ReviewNeeded, Conflict: as `migrate`.
    """
    report = _judged_versions(asked)
    return Outcome(report, _judge(asked, _bound_to(asked.old), progress), _deprecates(asked))


@transaction.atomic
def migrate(asked: Asked, *, now: datetime, by: str = "", progress: Progress | None = None) -> Outcome:
    """Deprecate the old version and move the agents whose range allows the new one, or change nothing.

    A part of the agents (`agents`, `percent`) moves without the deprecation. A second run changes nothing.

    Raises:
        IncompatibleVersion: the new version breaks callers of the old one; `errors` name each change.
        ReviewNeeded: somebody should look at the changes first.
        Conflict: the two are no versions of one tool, or the new one is not active.
    """
    asked = _locked(asked)
    report = _judged_versions(asked)
    agents = _judge(asked, _bound_to(asked.old).select_for_update(of=("self",)), progress)
    outcome = Outcome(report, agents, _deprecates(asked))
    if not outcome.moved and not outcome.deprecates:
        return outcome
    if outcome.deprecates:
        lifecycle.deprecate(asked.old.pk, now=now, by=by, reason=_reason(asked), replaced_by=_ref(asked.new))
    _move([one.binding for one in agents if not one.reason], asked.new, now)
    _tell(asked, agents, now)
    return Outcome(report, agents, outcome.deprecates, _keep(asked, outcome, now, by))


@transaction.atomic
def roll_back(migration_id: int, *, of: Tool | None = None, now: datetime, by: str = "") -> list[ToolBinding]:
    """Take a migration back: agents that are still where it put them, and its deprecation. Once.

    `of` is the tool that it must be about, None for any.
    Returns the bindings that moved back; none where it was taken back before.

    Raises:
        Conflict: there is no such migration, or its old version is retired or yanked.
    """
    migration = VersionMigration.objects.select_for_update().filter(pk=migration_id).first()
    if migration is None or (of is not None and migration.old.of_tool_id != of.pk):
        raise Conflict(f"There is no migration {migration_id}.")
    if migration.rolled_back_at is not None:
        return []
    old = _lock([migration.old_id, migration.new_id])[migration.old_id]
    if old.lifecycle == Lifecycle.RETIRED or old.yanked_at is not None:
        why = "yanked" if old.yanked_at else "retired"
        raise Conflict(f"{old.tool_id} is {why}: nobody goes back to it.")
    if migration.deprecated and old.deprecated_at == migration.migrated_at:  # not by somebody since
        lifecycle.restore(old.pk, now=now, by=by)
    rows = _still_there(migration, old)
    _move(rows, old, now)
    data = {"from": migration.new.tool_id, "to": old.tool_id, "rolled_back": migration.pk}
    events.record_for(Kind.MOVED, old, [row.application_id for row in rows], now=now, data=data)
    migration.rolled_back_at = now
    migration.save(update_fields=["rolled_back_at"])
    return rows


def _still_there(migration: VersionMigration, old: ToolRegistration) -> list[ToolBinding]:
    """Lock and return the bindings that are where it put them and whose range allows the old version."""
    moved = migration.moves.filter(reason="").values("binding")
    there = ToolBinding.objects.whole().filter(pk__in=moved, bound=migration.new_id).order_by("pk")
    return [row for row in there.select_for_update(of=("self",)) if is_in_range(old, row.range)]


def _locked(asked: Asked) -> Asked:
    rows = _lock([asked.old.pk, asked.new.pk])
    return replace(asked, old=rows[asked.old.pk], new=rows[asked.new.pk])


def _lock(ids: Sequence[int]) -> dict[int, ToolRegistration]:
    rows = ToolRegistration.objects.filter(pk__in=ids).select_related("of_tool__provider").order_by("pk")
    return {row.pk: row for row in rows.select_for_update(of=("self",), no_key=True)}


def _judged_versions(asked: Asked) -> Report:
    old, new = asked.old, asked.new
    if old.of_tool_id != new.of_tool_id or old.pk == new.pk:
        raise Conflict(f"{old.tool_id} and {new.tool_id} are no two versions of one tool.")
    if not new.is_in_use:
        raise Conflict(f"{new.tool_id} is not active: nobody can be moved to it.")
    report = compare(old=old.document, new=new.document, policy=asked.switches)
    if not report.is_compatible:
        raise IncompatibleVersion(
            f"{new.tool_id} breaks what {old.tool_id} promised; nobody was moved.",
            errors=compatibility.faults(report.breaking_changes),
            extra={"compatibility": report.as_json()},
        )
    if report.review_required and not asked.accept_review:
        raise ReviewNeeded(
            f"Somebody should look at what {new.tool_id} changes before agents are moved; then accept it.",
            errors=compatibility.faults(one for one in report.changes if one.review_required),
            extra={"compatibility": report.as_json()},
        )
    return report


def _bound_to(row: ToolRegistration) -> Any:
    return ToolBinding.objects.whole().filter(bound=row).order_by("pk")


def _judge(asked: Asked, bindings: Any, progress: Progress | None) -> list[Judged]:
    rows: list[ToolBinding] = list(bindings)
    seers = principals.who_see(asked.new, [row.application for row in rows])
    judged = []
    for place, binding in enumerate(rows, 1):
        judged.append(Judged(binding, _reason_to_stay(asked, binding, seers)))
        if progress is not None:
            progress(place, len(rows))
    return judged


def _reason_to_stay(asked: Asked, binding: ToolBinding, seers: Collection[int]) -> Reason:
    application = binding.application
    if asked.agents and not {application.client_id, application.name} & asked.agents:
        return "not_chosen"
    if not is_in_range(asked.new, binding.range):
        return "out_of_range"
    if application.pk not in seers:
        return "not_visible"
    return "" if share_of(application.client_id, str(binding.tool)) < asked.percent else "later"


def share_of(client_id: str, tool: str) -> int:
    """Return in which hundredth of the agents of a tool one is: the same each time."""
    return int(hashlib.sha256(f"{tool}\n{client_id}".encode()).hexdigest()[:8], 16) % 100


def _deprecates(asked: Asked) -> bool:
    return asked.is_whole and asked.old.lifecycle == Lifecycle.ACTIVE


def _reason(asked: Asked) -> str:
    return f"Agents were migrated to {asked.new.version}."


def _ref(row: ToolRegistration) -> str:
    return f"{row.of_tool}@{row.version}"


def _move(bindings: Sequence[ToolBinding], to: ToolRegistration, now: datetime) -> None:
    ToolBinding.objects.filter(pk__in=[one.pk for one in bindings]).update(bound=to, moved_at=now)


def _tell(asked: Asked, agents: Sequence[Judged], now: datetime) -> None:
    """Tell each agent once: that it was moved, or, where its version is deprecated, that it stays and why."""
    data = {"from": asked.old.tool_id, "to": asked.new.tool_id}
    moved = [one.binding.application_id for one in agents if not one.reason]
    events.record_for(Kind.MOVED, asked.new, moved, now=now, data=data)
    for reason in sorted({one.reason for one in agents if one.reason}) if _deprecates(asked) else ():
        left = [one.binding.application_id for one in agents if one.reason == reason]
        seen = {"from": asked.old.tool_id} if reason == "not_visible" else data
        events.record_for(Kind.LEFT_BEHIND, asked.old, left, now=now, data=seen | {"reason": reason})


def _keep(asked: Asked, outcome: Outcome, now: datetime, by: str) -> VersionMigration:
    migration = VersionMigration.objects.create(
        old=asked.old,
        new=asked.new,
        percent=asked.percent,
        deprecated=outcome.deprecates,
        actor=by,
        migrated_at=now,
    )
    MigrationMove.objects.bulk_create(
        MigrationMove(migration=migration, binding=one.binding, reason=one.reason) for one in outcome.agents
    )
    return migration
