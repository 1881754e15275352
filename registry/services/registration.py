"""Register documents: create versions, change them in place where that is harmless, refuse the rest.

A batch is one transaction with a result for each document; one bad document does not stop the others.
Locks are taken in one order everywhere: leases, then registrations, each by id.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from typing import Any, Literal

import orjson
from django.db import OperationalError, transaction
from psycopg.errors import DeadlockDetected

from oauth import audit
from oauth.principal import Principal
from registry.models import Provider, Tool, ToolEvent, ToolInstance, ToolRegistration
from registry.services import (
    compatibility,
    events,
    generations,
    heartbeat,
    in_place,
    indexing,
    namespace,
    presentation,
    refusals,
)
from registry.services.batch import Batch, Created, Key, VersionTaken, key_of
from registry.services.compatibility import Releases, Rules
from toolroster import contract, semver
from toolroster.compat import Verdict
from toolroster.definition import ToolDefinition, fault_as_sent
from toolroster.errors import (
    Conflict,
    Malformed,
    ReferenceInvalid,
    ToolrosterError,
    Unavailable,
)
from toolroster.reference import make_tool_id, parse_tool_id
from toolroster.words import PresentationWords

Review = ToolRegistration.Review
Health = ToolRegistration.Health
Liveness = ToolRegistration.Liveness

_ATTEMPTS = 3
"""How often a batch is begun when others publish its versions meanwhile."""

Claim = Callable[[str], Provider]
"""Takes a namespace for writing, asked once per batch."""


@dataclass(frozen=True, slots=True)
class Registering:
    """Who registers, from which instance (None: not said), and under which rules."""

    principal: Principal
    now: datetime
    review_required: bool
    provider_instance: str | None = None
    instance_endpoint: str = ""
    claims_are_open: bool = True
    compatibility: Rules = Rules()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document. `registration` is None when it was refused.

    `compatibility` is the verdict on a new version, None for the first one of a tool.
    """

    tool_id: str | None
    outcome: Literal["created", "updated", "unchanged", "refused"]
    changes: list[str] = field(default_factory=list)
    problem: ToolrosterError | None = None
    registration: ToolRegistration | None = field(default=None, compare=False, repr=False)
    compatibility: Verdict | None = field(default=None, compare=False, repr=False)

    @property
    def registration_id(self) -> int | None:
        return self.registration.pk if self.registration else None


def register(documents: Sequence[Any], *, by: Registering) -> list[Outcome]:
    """Register documents as they were sent; the outcomes come in their order.

    Where another request publishes one of the new versions first, or holds a text and waits for one of ours,
    all is done again beside what it left.

    Raises:
        Unavailable: others kept publishing the same versions.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _register(documents, by=by)
        except VersionTaken:
            continue
        except OperationalError as error:
            if not isinstance(error.__cause__, DeadlockDetected):
                raise
    raise Unavailable("Others are publishing the same versions; try again.", retry_after_seconds=1)


@transaction.atomic
def _register(documents: Sequence[Any], *, by: Registering) -> list[Outcome]:
    parsed = [_parse(document) for document in documents]
    definitions = [item for item in parsed if isinstance(item, ToolDefinition)]
    batch = Batch(
        definitions,
        instance=by.provider_instance or heartbeat.REGISTRATION_LEASE,
        now=by.now,
        actor=audit.principal(by.principal),
    )
    outcomes: dict[int, Outcome] = {}
    claim = cache(partial(namespace.claim, principal=by.principal, now=by.now, is_open=by.claims_are_open))
    work = _Work(by, claim, batch, Releases(definitions))
    for index, item in sorted(enumerate(parsed), key=_by_version):
        outcomes[index] = _outcome(item, documents[index], work)
    batch.write()
    _remember_refusals(outcomes.values(), by)
    return [outcomes[index] for index in range(len(documents))]


def _remember_refusals(outcomes: Iterable[Outcome], by: Registering) -> None:
    """Keep what this instance was refused; of two outcomes for one version the later counts."""
    last = {outcome.tool_id: outcome.problem for outcome in outcomes}
    refused = {tool_id: problem for tool_id, problem in last.items() if tool_id and problem}
    if by.provider_instance is not None:
        refusals.remember(
            refused,
            principal=by.principal,
            instance=by.provider_instance,
            now=by.now,
            endpoint=by.instance_endpoint,
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """Who registers, how namespaces are claimed, what waits to be written, what versions are held against."""

    by: Registering
    claim: Claim
    batch: Batch
    releases: Releases


def _parse(document: Any) -> ToolDefinition | ToolrosterError:
    try:
        return ToolDefinition.parse(document)
    except ToolrosterError as error:
        return error


def _by_version(numbered: tuple[int, ToolDefinition | ToolrosterError]) -> tuple[Key, int]:
    """Order documents alike in every batch, so that two batches never wait for each other.

    A version comes behind the lower ones of its tool: it is held against them.
    """
    index, item = numbered
    return (key_of(item) if isinstance(item, ToolDefinition) else ("", "", "")), index


def _outcome(item: ToolDefinition | ToolrosterError, document: Any, work: _Work) -> Outcome:
    if isinstance(item, ToolrosterError):
        tool_id, error = None if isinstance(item, Malformed) else _claimed_id(document), item
    else:
        try:
            return _register_one(item, work)
        except ToolrosterError as refusal:
            tool_id, error = item.tool_id, refusal.pointing(lambda fault: fault_as_sent(fault, document))
    return Outcome(tool_id, "refused", problem=error)


def _claimed_id(document: Any) -> str | None:
    """Return the id that a document which cannot be parsed would have, None if that cannot be told."""
    if not isinstance(document, dict):
        return None
    parts = [document.get("provider", "unknown"), document.get("name"), document.get("version", "1.0.0")]
    if not all(isinstance(part, str) for part in parts) or semver.valid_version(parts[2]) is None:
        return None
    tool_id = make_tool_id(parts[0].lower(), *parts[1:])
    try:
        parse_tool_id(tool_id)
    except ReferenceInvalid:
        return None
    return tool_id


def _register_one(definition: ToolDefinition, work: _Work) -> Outcome:
    tool = work.batch.tool(work.claim(definition.provider), definition.name)
    published = work.batch.published.get(key_of(definition))
    if work.batch.has_new(tool, semver.version_key(definition.version)):  # the version is in this batch twice
        work.batch.write()
        published = _published(tool, definition)
    if published is None:
        return _publish(tool, definition, work)
    changes = _update(published, definition, work)
    outcome: Literal["updated", "unchanged"] = "updated" if changes else "unchanged"
    return Outcome(published.tool_id, outcome, changes, registration=published)


def _published(tool: Tool, definition: ToolDefinition) -> ToolRegistration | None:
    return (
        ToolRegistration.objects.filter(of_tool=tool, version_key=semver.version_key(definition.version))
        .select_related("of_tool")
        .select_for_update(of=("self",), no_key=True)
        .first()
    )


def _publish(tool: Tool, definition: ToolDefinition, work: _Work) -> Outcome:
    """Create a version that keeps the promises of the release before it.

    Raises:
        VersionTooLow: it does not, and the rules are enforced.
    """
    work.releases.load(work.batch.tools_of(tool.provider_id))
    verdict = compatibility.judge(tool, definition, work.releases, work.by.compatibility)
    created = _create(tool, definition, work, compatibility.override_event(verdict, work.by.compatibility))
    work.releases.add(tool, definition)
    return Outcome(definition.tool_id, "created", registration=created, compatibility=verdict)


def _create(
    tool: Tool, definition: ToolDefinition, work: _Work, event_data: dict[str, Any]
) -> ToolRegistration:
    by = work.by
    version = semver.parse_version(definition.version)
    registration = ToolRegistration(
        of_tool=tool,
        tool_id=definition.tool_id,
        version=definition.version,
        version_key=semver.version_key(definition.version),
        core_key=semver.version_core_key(definition.version),
        is_prerelease=bool(version.prerelease),
        review=Review.PENDING if by.review_required else Review.APPROVED,
        registered_at=by.now,
        contract_hash=contract.contract_hash(definition),
    )
    write(registration, definition, now=by.now)
    is_monitored = registration.liveness == Liveness.HEARTBEAT or by.provider_instance is not None
    is_monitored = is_monitored and registration.liveness != Liveness.NONE
    registration.health = Health.HEALTHY if is_monitored else Health.UNMONITORED
    lease = _lease(registration, by) if is_monitored else None
    work.batch.add(Created(registration, definition, lease, event_data))
    return registration


def write(registration: ToolRegistration, definition: ToolDefinition, *, now: datetime) -> None:
    """Set the document and the columns that repeat it."""
    registration.document_text = orjson.dumps(definition.document()).decode()
    registration.__dict__.pop("document", None)  # the cached parse of the old text
    registration.content_hash = content_hash(definition)
    registration.scopes = list(definition.scopes)
    registration.allowed_roles = list(definition.policy.allowed_roles)
    registration.categories = list(definition.capabilities.categories)
    registration.tags = list(definition.capabilities.tags)
    registration.cost_level = definition.capabilities.cost_level
    registration.read_only = definition.capabilities.read_only
    registration.idempotent = definition.capabilities.idempotent
    registration.liveness = definition.liveness or ""
    registration.updated_at = now


def content_hash(definition: ToolDefinition) -> str:
    """Return the SHA-256 (hex) of the canonical document: equal hashes need no write."""
    return hashlib.sha256(orjson.dumps(definition.document())).hexdigest()


def _update(published: ToolRegistration, sent: ToolDefinition, work: _Work) -> list[str]:
    """Change a published version in place; return the pointers of what changed.

    Raises:
        ContractChanged: the contract differs.
        Conflict: the version is retired, differs in build metadata, or roles would be locked out.
    """
    if published.lifecycle == ToolRegistration.Lifecycle.RETIRED:
        raise Conflict(f"{published.tool_id} is retired. Publish a higher version.")
    changes: list[str] = []
    # The served document again withdraws words that wait.
    if published.content_hash != content_hash(sent) or published.pending_presentation_id is not None:
        current = published.definition
        in_place.check(
            published, current, sent, principal=work.by.principal, switches=work.by.compatibility.switches
        )
        changes = _replace(published, current, sent, work.by)
    _beat(published, work)
    return changes


def _replace(
    published: ToolRegistration, current: ToolDefinition, sent: ToolDefinition, by: Registering
) -> list[str]:
    waiting = published.pending_presentation_id
    served = _revise(published, current, sent, by)
    changes = _changes(current.document(), served.document())
    if changes:
        write(published, served, now=by.now)
        indexing.attach([(published, served)])
        events.record(ToolEvent.Kind.UPDATED, [published], now=by.now, data={"changes": changes})
        generations.replace_on_commit(current.capabilities.categories)  # those that it leaves as well
    published.save()
    if published.pending_presentation_id not in {None, waiting}:  # told to who sent it, not served yet
        return _changes(current.document(), sent.document())
    return changes


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the pointers of the members that differ, two levels deep."""
    found = []
    for name, other in after.items():
        one = before[name]
        if orjson.dumps(one) == orjson.dumps(other):  # by text: the order of parameters counts
            continue
        if (
            isinstance(one, dict)
            and isinstance(other, dict)
            and name in {"capabilities", "policy", "endpoint"}
        ):
            found += [f"/{name}/{key}" for key in other if one.get(key) != other[key]]
        else:
            found.append(f"/{name}")
    return found


def _revise(
    published: ToolRegistration, current: ToolDefinition, sent: ToolDefinition, by: Registering
) -> ToolDefinition:
    """Keep new words as a revision; return what to serve: with the old words while the new ones wait.

    The words that were sent last count: others that still wait are not to be approved over them.
    """
    words, old = PresentationWords.of(sent), PresentationWords.of(current)
    is_approved = published.review == Review.APPROVED
    pending = published.pending_presentation
    if words == old:
        published.pending_presentation = None if is_approved else pending
        return sent
    if is_approved and by.review_required:
        if pending is None or presentation.words_of(pending) != words:
            published.pending_presentation = presentation.add(published, words, now=by.now)
        return old.put_into(sent)
    revision = presentation.add(published, words, now=by.now)
    if is_approved:
        published.approved_presentation, published.pending_presentation = revision, None
    else:  # never served so far: it waits as a whole, also when it was rejected before
        published.pending_presentation, published.review = revision, Review.PENDING
    return sent


def _beat(published: ToolRegistration, work: _Work) -> None:
    """Let a registration count as a beat: of its instance, or of none where it is monitored without one."""
    if published.liveness == Liveness.NONE or not (work.by.provider_instance or _is_monitored(published)):
        heartbeat.revive([published], now=work.by.now, to=Health.UNMONITORED)
        return
    work.batch.add_lease(_lease(published, work.by))
    heartbeat.revive([published], now=work.by.now, to=Health.HEALTHY)


def _is_monitored(published: ToolRegistration) -> bool:
    if published.liveness == Liveness.HEARTBEAT:
        return True
    return published.health != Health.UNMONITORED and published.instances.exists()


def _lease(registration: ToolRegistration, by: Registering) -> ToolInstance:
    """Return an unsaved lease of the instance, or of the one that stands for all to come."""
    return ToolInstance.of(
        registration,
        by.provider_instance or heartbeat.REGISTRATION_LEASE,
        now=by.now,
        endpoint=by.instance_endpoint,
    )
