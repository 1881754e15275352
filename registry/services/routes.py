"""What the router needs to know of tools: versions in a range, their live instances, their siblings."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from django.db.models import OuterRef, Subquery
from pgvector.django import CosineDistance

from registry.models import EmbeddingSpace, ToolEmbedding, ToolInstance, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.services import resolution
from registry.services.heartbeat import canonical_id
from registry.services.inside import inside_of
from registry.services.resolution import Asking
from toolroster.errors import ToolNotFound
from toolroster.reference import parse_reference
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.catalogue import Found, Sibling, is_kin, range_of_others
from toolroster.semver import satisfies

MOST_VERSIONS = 6
MOST_SIBLINGS = 20


@dataclass(frozen=True, slots=True)
class Reach:
    """Whose private addresses may be called: everybody's in development, those of allowed providers else."""

    private_for_all: bool


def find(ref: str, *, asking: Asking, reach: Reach) -> Found:
    """Return the highest version that a reference or a tool id means, and others that may stand in for it.

    A version that was retired can serve nobody; who names it exactly gets what it declares in its place.

    Raises:
        ToolNotFound, ReferenceAmbiguous, RangeInvalid, NoMatchingVersion: as the resolver says.
    """
    try:
        rows = _exactly(ref, asking) if ref.count(":") > 1 else _in_range(ref, asking)
    except ToolNotFound:
        rows = _retired(ref, asking)
        if not rows:
            raise
    if not rows:  # it went between two statements
        raise ToolNotFound(f"There is no tool {ref}.")
    wanted, *others = candidates(rows, asking=asking, reach=reach)
    return Found(wanted, tuple(others))


def _retired(ref: str, asking: Asking) -> list[ToolRegistration]:
    """Return the retired version that is named exactly."""
    if ref.count(":") > 1:
        named = ToolRegistration.objects.filter(tool_id=canonical_id(ref))
    else:
        reference = parse_reference(ref)
        version = (reference.range or "").strip().removeprefix("=")
        named = ToolRegistration.objects.filter(of_tool__name=reference.name, version=version)
        if reference.provider:
            named = named.filter(of_tool__provider__name=reference.provider)
    retired = named.opened_to(asking.principal).filter(lifecycle=ToolRegistration.Lifecycle.RETIRED)
    found = list(_with_provider(retired).order_by("pk")[:2])
    return found if len(found) == 1 else []


def _exactly(tool_id: str, asking: Asking) -> list[ToolRegistration]:
    found = resolution.get(tool_id, principal=asking.principal)
    return list(_with_provider(ToolRegistration.objects.filter(pk=found.pk)))


def _in_range(ref: str, asking: Asking) -> list[ToolRegistration]:
    highest = resolution.named(ref, principal=asking.principal)
    reference = parse_reference(ref)
    inside = inside_of(reference.range, include_prerelease=asking.include_prerelease)
    visible = ToolRegistration.objects.visible_to(asking.principal).filter(of_tool=highest.of_tool_id)
    rows = list(_with_provider(visible.filter(inside.condition())).newest_first()[:MOST_VERSIONS])
    may_stand_in = range_of_others(highest.version, reference.range)
    return [
        row
        for row in rows
        if row.pk == highest.pk or (may_stand_in is not None and satisfies(row.version, may_stand_in))
    ]


def candidates(rows: Sequence[ToolRegistration], *, asking: Asking, reach: Reach) -> list[Candidate]:
    """Return registrations, read with their providers, as the router sees them; two queries for all."""
    leases: dict[int, list[ToolInstance]] = defaultdict(list)
    for lease in ToolInstance.objects.fresh(asking.cutoff).filter(registration__in=rows).order_by("pk"):
        leases[lease.registration_id].append(lease)
    return [_candidate(row, leases[row.pk], reach) for row in rows]


def _candidate(row: ToolRegistration, leases: Sequence[ToolInstance], reach: Reach) -> Candidate:
    provider = row.of_tool.provider
    facts = {"tool_id": row.tool_id, "health": _health(row), "lifecycle": row.lifecycle}
    found = Candidate.of(
        {**row.document, **facts},
        _instances(row, leases),
        may_be_private=reach.private_for_all or provider.may_be_private,
    )
    # A provider that may name any audience would be shown tokens for other services.
    return found if found.audience in provider.audiences else replace(found, audience="")


def siblings(tool_id: str, *, asking: Asking, reach: Reach) -> list[Sibling]:
    """Return live reading tools of a version's primary category that share a tag, the most similar first.

    Similarity is the cosine of their texts' vectors; where there are none, the share of common tags.
    """
    row = _with_provider(ToolRegistration.objects.filter(tool_id=tool_id)).first()
    if row is None or not row.categories:
        return []
    kin = ToolRegistration.objects.visible_to(asking.principal).alive(asking.cutoff).active().stable()
    kin = kin.filter(categories__0=row.categories[0], read_only=True).exclude(of_tool=row.of_tool_id)
    if row.tags:
        kin = kin.filter(tags__overlap=row.tags)
    known = _similarities(row, kin)
    near = candidates(_of_ids(known), asking=asking, reach=reach)
    (mine,) = candidates([row], asking=asking, reach=reach)
    found = [Sibling(one, known.get(one.tool_id) or _common(one.tags, row.tags)) for one in near]
    return sorted((one for one in found if is_kin(one.candidate, mine)), key=lambda one: -one.similarity)


def _similarities(row: ToolRegistration, kin: ToolRegistrationQuerySet) -> dict[str, float | None]:
    """Return tool ids with their cosines, None without vectors; the highest version of each tool."""
    space = EmbeddingSpace.objects.filter(is_current=True, role=EmbeddingSpace.Role.MAIN).first()
    mine = (
        ToolEmbedding.objects.filter(space=space, text=row.search_text_id)
        .values_list("vector", flat=True)
        .first()
    )
    newest = kin.one_per_tool()
    if mine is None:
        return dict.fromkeys(newest.values_list("tool_id", flat=True)[:MOST_SIBLINGS])
    vectors = ToolEmbedding.objects.filter(space=space, text=OuterRef("search_text"))
    distance = Subquery(vectors.annotate(far=CosineDistance("vector", mine)).values("far")[:1])
    found = newest.annotate(far=distance).values_list("tool_id", "far")
    near = sorted(found, key=lambda one: (one[1] is None, one[1]))[:MOST_SIBLINGS]
    return {tool_id: None if far is None else 1 - far for tool_id, far in near}


def _of_ids(tool_ids: Iterable[str]) -> list[ToolRegistration]:
    return list(_with_provider(ToolRegistration.objects.filter(tool_id__in=list(tool_ids))).order_by("pk"))


def _common(one: Sequence[str], other: Sequence[str]) -> float:
    either = set(one) | set(other)
    return len(set(one) & set(other)) / len(either) if either else 0.0


def audience_of(row: ToolRegistration) -> str:
    """Return what a token for a version at its own address is for, "" where it has none."""
    (found,) = [_candidate(one, (), Reach(private_for_all=False)) for one in _of_ids([row.tool_id])]
    url = str((row.document["endpoint"] or {}).get("url") or "")
    return found.audience_at(Instance("", url))


def _with_provider(rows: ToolRegistrationQuerySet) -> ToolRegistrationQuerySet:
    return rows.select_related("of_tool__provider").with_last_beat()


def _health(row: ToolRegistration) -> str:
    if row.health == ToolRegistration.Health.UNAVAILABLE:
        return row.health
    return ToolRegistration.Health.SUSPECT.value if row.failing_until else row.health


def _instances(row: ToolRegistration, leases: Sequence[ToolInstance]) -> list[Instance]:
    """Return who serves a version now: its leases, or its own address where nobody ever beat."""
    url = str((row.document["endpoint"] or {}).get("url") or "")
    is_gone = row.lifecycle == ToolRegistration.Lifecycle.RETIRED
    if is_gone or row.health == ToolRegistration.Health.UNAVAILABLE:
        return []
    if row.health == ToolRegistration.Health.UNMONITORED:
        return [Instance("", url)] if url else []
    found = {_address(lease.endpoint, url): lease.provider_instance for lease in leases}
    return [Instance(name, address) for address, name in found.items() if address]


def _address(endpoint: str, url: str) -> str:
    """Return where an instance is called: an endpoint without a path has that of the document."""
    if not endpoint or not url:
        return endpoint or url
    base, path = urlsplit(endpoint), urlsplit(url)
    if base.path.rstrip("/") or base.query:
        return endpoint
    return base._replace(path=path.path, query=path.query).geturl()
