"""From a reference to the one registration that it means now.

The highest ACTIVE version in the range that is alive; a deprecated one only by its exact version. Never a
silent fallback: what is not there, what has no version in the range and what is not alive are told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from oauth.principal import Principal
from registry.models import ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.services import suggestions
from registry.services.heartbeat import canonical_id
from toolroster import semver
from toolroster.errors import (
    NoMatchingVersion,
    RangeInvalid,
    ReferenceAmbiguous,
    ToolNotFound,
    ToolUnavailable,
)
from toolroster.reference import Reference

_MOST_INTERVALS = 32
"""Each alternative of a range is a condition in SQL; real ranges have one to three."""
LATEST = "latest"
"""The channel that follows the highest stable version."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and what counts as alive."""

    principal: Principal
    cutoff: datetime
    heartbeat_seconds: int
    include_prerelease: bool = False


def resolve(reference: Reference, *, asking: Asking) -> ToolRegistration:
    """Return the registration that a reference means.

    Raises:
        ToolNotFound: none that the principal may see; `nearest` holds similar names.
        ReferenceAmbiguous: several providers, no default; `nearest` holds the candidates.
        RangeInvalid: the range is no npm range.
        NoMatchingVersion: `nearest` holds versions that exist.
        ToolUnavailable: versions match, none is alive; a retry can help.
    """
    wanted = _in_range(reference.range, include_prerelease=asking.include_prerelease)
    versions = _versions_of(reference, asking.principal)
    matching = versions.filter(wanted)
    found = matching.alive(asking.cutoff).with_last_beat().newest_first().first()
    if found is not None:
        return found
    if matching.exists():
        raise ToolUnavailable(
            f"{reference} exists, but no instance of it is alive.",
            retry_after_seconds=asking.heartbeat_seconds,
        )
    raise _no_match(reference, versions, asking)


def _no_match(reference: Reference, versions: ToolRegistrationQuerySet, asking: Asking) -> NoMatchingVersion:
    """Return the error for a range that holds no active version; deprecated ones that it holds are named."""
    inside = _intervals(reference.range or LATEST, include_prerelease=asking.include_prerelease)
    deprecated = list(versions.filter(inside).newest_first().values_list("version", flat=True)[:5])
    if deprecated:
        return NoMatchingVersion(
            f"The range holds only deprecated versions of {reference.name}: {', '.join(deprecated)}. "
            "Name one exactly to use it still.",
            nearest=_newest(versions),
        )
    return NoMatchingVersion(f"No version of {reference.name} is in the range.", nearest=_newest(versions))


def _in_range(text: str | None, *, include_prerelease: bool) -> Q:
    """Return the condition on versions; an exact version also finds a deprecated one.

    Raises:
        RangeInvalid: not an npm range, nor `latest`.
    """
    text = text or LATEST
    exact = text.strip().removeprefix("=")
    if semver.valid_version(exact) is not None:
        return Q(version_key=semver.version_key(exact))
    active = Q(lifecycle=ToolRegistration.Lifecycle.ACTIVE)
    return active & _intervals(text, include_prerelease=include_prerelease)


def _intervals(text: str, *, include_prerelease: bool) -> Q:
    """Return the condition that a version lies in the range.

    Raises:
        RangeInvalid: not an npm range, nor `latest`.
    """
    text = "*" if text.strip() == LATEST else text
    try:
        intervals = semver.parse_range(text, include_prerelease=include_prerelease).bounds()
    except RangeInvalid as error:
        raise RangeInvalid(error.detail, errors=error.errors, nearest=["latest", "^1.0.0", "*"]) from error
    if len(intervals) > _MOST_INTERVALS:
        raise RangeInvalid(f"A range has at most {_MOST_INTERVALS} alternatives (`||`) here.")
    condition = Q(pk__in=[])
    for interval in dict.fromkeys(intervals):
        inside = Q(version_key__gte=interval.lower, version_key__lt=interval.upper)
        if not interval.all_prereleases:
            inside &= Q(is_prerelease=False) | Q(core_key__in=interval.prerelease_of)
        condition |= inside
    return condition


def _versions_of(reference: Reference, principal: Principal) -> ToolRegistrationQuerySet:
    """Return the visible versions of the one tool that is meant."""
    named = ToolRegistration.objects.visible_to(principal).filter(of_tool__name=reference.name)
    if reference.provider is not None:
        named = named.filter(of_tool__provider__name=reference.provider)
    # The default first, or a name that many providers offer would hide it behind the slice.
    by_tool = ("of_tool__is_default_for_name", "of_tool")
    tools = named.order_by(f"-{by_tool[0]}", by_tool[1]).distinct(*by_tool)
    offers = tools.values_list("of_tool", "of_tool__provider__name", "of_tool__is_default_for_name")
    candidates = list(offers[: suggestions.MOST + 1])
    if not candidates:
        raise ToolNotFound(
            f"There is no tool {reference}.", nearest=suggestions.names_like(reference.name, principal)
        )
    return named.filter(of_tool=_chosen(reference, candidates))


def _chosen(reference: Reference, candidates: Sequence[tuple[int, str, bool]]) -> int:
    defaults = [tool for tool, _, is_default in candidates if is_default]
    if len(candidates) == 1 or defaults:
        return defaults[0] if defaults else candidates[0][0]
    offers = sorted(f"{provider}/{reference.name}" for _, provider, _ in candidates)
    raise ReferenceAmbiguous(
        f"Several providers offer {reference.name}: name one of them.", nearest=offers[: suggestions.MOST]
    )


def _newest(versions: ToolRegistrationQuerySet) -> list[str]:
    rows = versions.active().newest_first().values_list("version", flat=True)
    return list(rows[: suggestions.MOST])


def get(tool_id: str, *, principal: Principal) -> ToolRegistration:
    """Return the visible registration of this id, alive or not.

    Raises:
        ToolNotFound: none that the principal may see.
    """
    visible = ToolRegistration.objects.visible_to(principal).with_last_beat()
    found = visible.filter(tool_id=canonical_id(tool_id)).first()
    if found is None:
        name = tool_id.split(":")[1] if tool_id.count(":") > 1 else tool_id
        raise ToolNotFound(f"There is no tool {tool_id}.", nearest=suggestions.names_like(name, principal))
    return found


def versions(provider: str, name: str, *, principal: Principal) -> list[ToolRegistration]:
    """Return the visible versions of a tool, the highest first, alive or not.

    Raises:
        ToolNotFound: none that the principal may see.
    """
    visible = ToolRegistration.objects.visible_to(principal).with_last_beat()
    found = list(visible.filter(of_tool__provider__name=provider.lower(), of_tool__name=name).newest_first())
    if not found:
        raise ToolNotFound(
            f"There is no tool {provider}/{name}.", nearest=suggestions.names_like(name, principal)
        )
    return found
