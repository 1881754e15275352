"""From a reference to the one registration that it means now.

The highest ACTIVE version in the range that is alive; a deprecated one only by its exact version. Never a
silent fallback: what is not there, what has no version in the range and what is not alive are told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from oauth.principal import Principal
from registry.models import Tool, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.services import channels, suggestions
from registry.services.heartbeat import canonical_id
from registry.services.inside import condition_of, inside_of
from registry.services.statements import Shape, Statement, Values, principal_in, values_of
from toolroster.channels import LATEST
from toolroster.errors import (
    NoMatchingVersion,
    ReferenceAmbiguous,
    ToolNotFound,
    ToolUnavailable,
)
from toolroster.reference import Reference, parse_reference


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
    inside = inside_of(reference.range, include_prerelease=asking.include_prerelease)
    tool = _chosen(reference, _offers(reference, asking.principal))
    values = {"tool": tool, "cutoff": asking.cutoff, **inside.values, **values_of(asking.principal)}
    found = _ALIVE.instances(values, (asking.principal.reach, inside.shape))
    if found:
        registration: ToolRegistration = found[0]
        return registration
    versions = ToolRegistration.objects.visible_to(asking.principal).filter(of_tool=tool)
    if versions.filter(inside.condition()).exists():
        raise ToolUnavailable(
            f"{reference} exists, but no instance of it is alive.",
            nearest=[str(Tool.objects.select_related("provider").get(pk=tool))],
            retry_after_seconds=asking.heartbeat_seconds,
        )
    raise _no_match(reference, tool, versions, include_prerelease=asking.include_prerelease)


def named(text: str, *, principal: Principal) -> ToolRegistration:
    """Return the highest version that a tool id or a reference names, alive or not.

    Raises:
        ToolrosterError: as `resolve` does, but never `ToolUnavailable`.
    """
    if text.count(":") > 1:
        return get(text, principal=principal)
    reference = parse_reference(text)
    inside = inside_of(reference.range, include_prerelease=False)
    tool = _chosen(reference, _offers(reference, principal))
    versions = ToolRegistration.objects.visible_to(principal).filter(of_tool=tool)
    found = versions.filter(inside.condition()).newest_first().first()
    if found is None:
        raise _no_match(reference, tool, versions, include_prerelease=False)
    return found


def _alive(values: Values, shape: Shape) -> ToolRegistrationQuerySet:
    reach, inside = shape
    visible = ToolRegistration.objects.visible_to(principal_in(values, reach))
    versions = visible.filter(condition_of(values, inside), of_tool=values["tool"])
    return versions.alive(values["cutoff"]).with_last_beat().newest_first()[:1]


def _of_name(values: Values, shape: Shape) -> "QuerySet[ToolRegistration, tuple[int, str, bool]]":
    (reach,) = shape
    named = ToolRegistration.objects.visible_to(principal_in(values, reach))
    named = named.filter(of_tool__name=values["name"])
    if "provider" in values:
        named = named.filter(of_tool__provider__name=values["provider"])
    # The default first, or a name that many providers offer would hide it behind the slice.
    by_tool = ("of_tool__is_default_for_name", "of_tool")
    tools = named.order_by(f"-{by_tool[0]}", by_tool[1]).distinct(*by_tool)
    offers = tools.values_list("of_tool", "of_tool__provider__name", "of_tool__is_default_for_name")
    return offers[: suggestions.MOST + 1]


_ALIVE = Statement(_alive)
"""The highest version of a tool in a range that is alive."""
_OFFERS = Statement(_of_name)
"""The tools of a name, each with its provider and whether it is the default."""


def tool_of(text: str, *, principal: Principal) -> Tool:
    """Return the tool that `[provider/]name` means; a range is not looked at.

    Raises:
        ToolNotFound, ReferenceAmbiguous, ReferenceInvalid: as `resolve`.
    """
    reference = parse_reference(text)
    found = _chosen(reference, _offers(reference, principal))
    return Tool.objects.select_related("provider").get(pk=found)


def _no_match(
    reference: Reference, tool: int, versions: ToolRegistrationQuerySet, *, include_prerelease: bool
) -> NoMatchingVersion:
    """Return the error for a range that holds no active version; deprecated ones that it holds are named."""
    of_tool = Tool.objects.select_related("provider").get(pk=tool)
    if (of_channel := channels.explained(reference.range or LATEST, of_tool, versions)) is not None:
        return of_channel
    inside = inside_of(reference.range, include_prerelease=include_prerelease, is_active=False)
    deprecated = list(
        versions.filter(inside.condition()).newest_first().values_list("version", flat=True)[:5]
    )
    if deprecated:
        return NoMatchingVersion(
            f"The range holds only deprecated versions of {reference.name}: {', '.join(deprecated)}. "
            "Name one exactly to use it still.",
            nearest=_newest(versions),
        )
    return NoMatchingVersion(f"No version of {reference.name} is in the range.", nearest=_newest(versions))


def _offers(reference: Reference, principal: Principal) -> list[tuple[int, str, bool]]:
    """Return the visible tools that a reference can mean: id, provider, whether it is the default.

    Raises:
        ToolNotFound: there is none.
    """
    named = {"name": reference.name} | ({"provider": reference.provider} if reference.provider else {})
    found = _OFFERS.rows({**named, **values_of(principal)}, (principal.reach,))
    if not found:
        raise ToolNotFound(
            f"There is no tool {reference}.", nearest=suggestions.names_like(reference.name, principal)
        )
    return [(tool, provider, is_default) for tool, provider, is_default in found]


def _chosen(reference: Reference, offers: Sequence[tuple[int, str, bool]]) -> int:
    defaults = [tool for tool, _, is_default in offers if is_default]
    if len(offers) == 1 or defaults:
        return defaults[0] if defaults else offers[0][0]
    names = sorted(f"{provider}/{reference.name}" for _, provider, _ in offers)
    raise ReferenceAmbiguous(
        f"Several providers offer {reference.name}: name one of them.", nearest=names[: suggestions.MOST]
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
