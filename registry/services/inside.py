"""Which versions a range means, as a condition of SQL over the stored keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from registry.models import ToolChannel, ToolRegistration
from toolroster import semver
from toolroster.channels import FOLLOWING, LATEST, split
from toolroster.errors import RangeInvalid
from toolroster.semver import KeyInterval

_MOST_INTERVALS = 32
"""Each alternative of a range is a condition in SQL; real ranges have one to three."""
_ANYTHING = "*"


@dataclass(frozen=True, slots=True)
class Inside:
    """Versions by their keys: one exactly, deprecated or not, or active ones in intervals.

    With a `channel` it is the one that the channel was pinned to; `must_be_pinned`: the channel follows
    nothing by itself.
    """

    exact: str = ""
    intervals: tuple[KeyInterval, ...] = ()
    is_active: bool = True
    channel: str = ""
    must_be_pinned: bool = False

    @property
    def values(self) -> dict[str, str]:
        """The keys in the condition, by name."""
        if self.exact:
            return {"exact": self.exact}
        found: dict[str, str] = {"channel": self.channel} if self.channel else {}
        for number, interval in enumerate(self.intervals):
            found |= {f"lower {number}": interval.lower, f"upper {number}": interval.upper}
            cores = enumerate(sorted(interval.prerelease_of)) if not interval.all_prereleases else ()
            found |= {f"core {number} {place}": core for place, core in cores}
        return found

    @property
    def shape(self) -> tuple[bool, ...]:
        """What decides which conditions there are, beside the names of the values."""
        return (
            self.is_active,
            self.must_be_pinned,
            *(interval.all_prereleases for interval in self.intervals),
        )

    def condition(self) -> Q:
        """Return the condition on registrations."""
        return condition_of(self.values, self.shape)


def condition_of(values: Mapping[str, Any], shape: Any) -> Q:
    """Return the condition for values and shape of an `Inside`; `tool` may be among the values."""
    if "exact" in values:
        return Q(version_key=values["exact"])
    is_active, must_be_pinned, *all_prereleases = shape
    condition = Q(pk__in=[])
    for number, all_of_them in enumerate(all_prereleases):
        inside = Q(version_key__gte=values[f"lower {number}"], version_key__lt=values[f"upper {number}"])
        if not all_of_them:
            cores = [key for name, key in values.items() if name.startswith(f"core {number} ")]
            inside &= Q(is_prerelease=False) | Q(core_key__in=cores)
        condition |= inside
    if "channel" in values:
        condition &= _pinned(values, must_be_pinned=must_be_pinned)
    return condition & Q(lifecycle=ToolRegistration.Lifecycle.ACTIVE) if is_active else condition


def _pinned(values: Mapping[str, Any], *, must_be_pinned: bool) -> Q:
    """Return the condition that a channel was pinned to a version, or follows by itself."""
    tool = values.get("tool", OuterRef("of_tool"))
    pins = ToolChannel.objects.filter(tool=tool, name=values["channel"]).values("registration")
    pin: Subquery | Coalesce = Subquery(pins[:1])
    return Q(pk=pin if must_be_pinned else Coalesce(pin, F("pk")))


@lru_cache(maxsize=4096)
def inside_of(text: str | None, *, include_prerelease: bool, is_active: bool = True) -> Inside:
    """Return which versions are meant; an exact version also means a deprecated one, nothing means `latest`.

    Raises:
        RangeInvalid: not an npm range, a channel, or a channel with a range; or of too many alternatives.
    """
    text = text or LATEST
    exact = text.strip().removeprefix("=")
    if semver.valid_version(exact) is not None and is_active:
        return Inside(exact=semver.version_key(exact))
    channel, wanted = split(text)
    takes_prereleases = FOLLOWING.get(channel, bool(channel)) and not wanted
    intervals = _intervals(wanted or _ANYTHING, include_prerelease=include_prerelease or takes_prereleases)
    return Inside(
        intervals=intervals,
        is_active=is_active,
        channel=channel,
        must_be_pinned=bool(channel) and channel not in FOLLOWING,
    )


def _intervals(text: str, *, include_prerelease: bool) -> tuple[KeyInterval, ...]:
    try:
        found = semver.parse_range(text, include_prerelease=include_prerelease).bounds()
    except RangeInvalid as error:
        raise RangeInvalid(error.detail, errors=error.errors, nearest=["latest", "^1.0.0", "*"]) from error
    if len(found) > _MOST_INTERVALS:
        raise RangeInvalid(f"A range has at most {_MOST_INTERVALS} alternatives (`||`) here.")
    return tuple(dict.fromkeys(found))
