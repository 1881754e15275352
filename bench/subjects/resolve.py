"""From a range to a version, of a tool with fifty versions."""

from datetime import timedelta

from bench import data
from bench.measure import Variant
from registry.models import ToolRegistration
from registry.services import resolution
from registry.services.resolution import Asking
from toolroster import semver
from toolroster.reference import parse_reference

UNIT = "resolution"

_RANGE = "^2.0.0"
_MANY_BRANCHES = "||".join(map(str, range(32)))
"""As many alternatives as the resolver takes."""


def variants() -> list[Variant]:
    """Return the resolver, and what loads all versions or their numbers and compares in Python."""
    data.renew()
    cutoff = data.NOW - timedelta(seconds=data.POLICY.lease_seconds)
    asking = Asking(data.principal(), cutoff, data.POLICY.heartbeat_seconds)
    qualified = parse_reference(f"bench-0/tool_0_3@{_RANGE}")
    bare = parse_reference(f"tool_0_3@{_RANGE}")
    hostile = parse_reference(f"bench-0/tool_0_3@{_MANY_BRANCHES}")
    return [
        Variant("load all versions", _load_all),
        Variant("load version numbers", _load_numbers, against="load all versions"),
        Variant(
            "resolve provider/name@range",
            lambda: resolution.resolve(qualified, asking=asking),
            against="load all versions",
        ),
        Variant(
            "resolve name@range",
            lambda: resolution.resolve(bare, asking=asking),
            against="load all versions",
        ),
        Variant("resolve a range of 32 branches", lambda: resolution.resolve(hostile, asking=asking)),
    ]


def _load_all() -> ToolRegistration:
    rows = ToolRegistration.objects.filter(of_tool__provider__name="bench-0", of_tool__name="tool_0_3")
    by_version = {row.version: row for row in rows}
    return by_version[_best(list(by_version))]


def _load_numbers() -> ToolRegistration:
    rows = ToolRegistration.objects.filter(of_tool__provider__name="bench-0", of_tool__name="tool_0_3")
    return rows.get(version=_best(list(rows.values_list("version", flat=True))))


def _best(versions: list[str]) -> str:
    best = semver.max_satisfying(versions, _RANGE)
    if best is None:
        raise LookupError(_RANGE)
    return best
