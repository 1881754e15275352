"""Name the differences of a tool outside its schemas: name, access, side effects, policy, address, words."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from toolroster.compat.collected import Changes
from toolroster.compat.drift import is_rewritten
from toolroster.compat.proof.equality import text_of
from toolroster.compat.proof.refusal import NO_VALUE
from toolroster.compat.subject import Subject

_METADATA = ("display_name", "returns", "examples", "alternatives", "liveness", "owner", "tags")
_LIKENESS = {"tags": None, "cost_level": "LOW", "avg_latency_ms": None}
"""What else it is found by, and what is meant where it is not said."""
_AUDIENCES = ("allowed_roles", "allowed_environments", "allowed_tenants")
_DEFAULT_LIMITS = {"rate_limit_per_minute": 100, "timeout_ms": 5000}


def compare_tools(old: Subject, new: Subject, changes: Changes) -> None:
    """Compare everything but the schemas."""
    _name(old, new, changes)
    _scopes(old, new, changes)
    _hints(old.part("capabilities"), new.part("capabilities"), changes)
    _categories(old.part("capabilities"), new.part("capabilities"), changes)
    _policy(old.part("policy"), new.part("policy"), changes)
    _endpoint(old.part("endpoint"), new.part("endpoint"), changes)
    _words(old, new, changes)


def _name(old: Subject, new: Subject, changes: Changes) -> None:
    for part in ("provider", "name"):
        was, is_now = old.document.get(part), new.document.get(part)
        if was is not None and is_now is not None and was != is_now:
            changes.add("tool_renamed", "", f"Its {part} changed", old=was, new=is_now)
    if old.is_deprecated != new.is_deprecated:
        kind = "tool_deprecated" if new.is_deprecated else "tool_restored"
        changes.add(kind, "", "Whether it is deprecated changed")


def _scopes(old: Subject, new: Subject, changes: Changes) -> None:
    """Compare scopes; any one of them opens a tool, none opens it to everybody."""
    was, is_now = set(old.document.get("scopes") or ()), set(new.document.get("scopes") or ())
    if was == is_now:
        return
    if not was or not is_now:
        kind = "scope_removed" if was else "scope_required"
    elif was <= is_now:
        kind = "scope_added"
    else:
        kind = "scope_swapped" if is_now - was else "scope_narrowed"
    changes.add(kind, "", "Other scopes open it", old=sorted(was), new=sorted(is_now))


def _hints(old: Mapping[str, Any], new: Mapping[str, Any], changes: Changes) -> None:
    """Compare side effects; what is not said is what MCP takes for granted."""
    _hint(changes, "read_only", old, new, default=False, worse="read_only_withdrawn", is_worse=False)
    _hint(changes, "idempotent", old, new, default=False, worse="idempotent_withdrawn", is_worse=False)
    if not new.get("read_only"):  # what only reads destroys nothing
        _hint(changes, "destructive", old, new, default=True, worse="destructive_set", is_worse=True)
    _hint(changes, "open_world", old, new, default=True, worse="open_world_set", is_worse=True)


def _hint(  # noqa: PLR0913 - a row of a table
    changes: Changes,
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    *,
    default: bool,
    worse: str,
    is_worse: bool,
) -> None:
    was, is_now = (default if one.get(name) is None else one[name] for one in (old, new))
    if was != is_now:
        kind = worse if is_now is is_worse else "annotation_relaxed"
        changes.add(kind, "", f"`{name}` changed", old=was, new=is_now)


def _categories(old: Mapping[str, Any], new: Mapping[str, Any], changes: Changes) -> None:
    """Compare the categories, by which agents ask for tools, and what else it is found by."""
    was, is_now = set(old.get("categories") or ()), set(new.get("categories") or ())
    if was - is_now:
        changes.add(
            "capability_removed", "", "It is not in all its categories any more", old=sorted(was - is_now)
        )
    if is_now - was:
        changes.add("capability_added", "", "It is in more categories", new=sorted(is_now - was))
    for name, default in _LIKENESS.items():
        if text_of(old.get(name) or default) != text_of(new.get(name) or default):
            changes.add("metadata_changed", "", f"`{name}` changed")


def _policy(old: Mapping[str, Any], new: Mapping[str, Any], changes: Changes) -> None:
    if bool(old.get("requires_approval")) != bool(new.get("requires_approval")):
        kind = "approval_required" if new.get("requires_approval") else "approval_lifted"
        changes.add(kind, "", "Whether a person has to agree changed")
    for name in _AUDIENCES:
        _audience(name, set(old.get(name) or ()), set(new.get(name) or ()), changes)
    others = (old.keys() | new.keys()) - {"requires_approval", *_AUDIENCES}
    for name in sorted(others):
        default = _DEFAULT_LIMITS.get(name)
        was, is_now = (default if one.get(name) is None else one[name] for one in (old, new))
        if text_of(was) != text_of(is_now):
            kind = "policy_loosened" if _is_looser(was, is_now) else "policy_tightened"
            changes.add(kind, "", f"`{name}` changed", old=was, new=is_now)


def _audience(name: str, old: set[str], new: set[str], changes: Changes) -> None:
    """Compare who may call it; nobody named means everybody."""
    if old == new:
        return
    if new and (not old or old - new):
        kind = "role_removed" if name == "allowed_roles" else "policy_environment_removed"
    else:
        kind = "policy_loosened"
    changes.add(kind, "", f"`{name}` changed", old=sorted(old), new=sorted(new))


def _is_looser(old: Any, new: Any) -> bool:
    """Tell whether a limit is higher or gone; of what is no number it cannot be told."""
    are_numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (old, new))
    return new is None or (are_numbers and new > old)


def _endpoint(old: Mapping[str, Any], new: Mapping[str, Any], changes: Changes) -> None:
    if not old or not new:
        if old != new:
            given = {"old": old.get("url", NO_VALUE), "new": new.get("url", NO_VALUE)}
            changes.add("endpoint_changed", "", "Whether it has an address changed", **given)
        return
    if (old.get("transport") or "http") != (new.get("transport") or "http"):
        changes.add(
            "transport_changed",
            "",
            "It is called another way",
            old=old.get("transport"),
            new=new.get("transport"),
        )
    if old.get("audience") != new.get("audience") and _is_authority(old, new):
        given = {"old": old.get("audience"), "new": new.get("audience")}
        changes.add("endpoint_authentication_changed", "", "Tokens for it are for another audience", **given)
    was, is_now = ((one.get("method") or "POST", one.get("url")) for one in (old, new))
    if was != is_now:
        changes.add(
            "endpoint_changed",
            "",
            "It is called elsewhere",
            old=" ".join(map(str, was)),
            new=" ".join(map(str, is_now)),
        )


def _is_authority(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Tell whether an audience is another one, and not only said where it was understood before."""
    audiences = {one.get("audience") or _origin(one.get("url") or "") for one in (old, new)}
    return len(audiences) > 1


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _words(old: Subject, new: Subject, changes: Changes) -> None:
    before, after = old.document.get("description") or "", new.document.get("description") or ""
    if before != after:
        kind = "description_changed" if is_rewritten(before, after) else "description_edited"
        changes.add(kind, "", "Its description changed", old=before, new=after)
    for name in _METADATA:
        if text_of(old.document.get(name) or None) != text_of(new.document.get(name) or None):
            changes.add("metadata_changed", "", f"`{name}` changed")
