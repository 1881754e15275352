"""Compare documents with each other and with what is published, for those who ask before they publish."""

from collections.abc import Iterator
from typing import Any

from oauth.principal import Principal
from registry.models import ToolRegistration
from registry.services import resolution
from toolroster import compat
from toolroster.compat import CompatPolicy, Verdict
from toolroster.definition import ToolDefinition
from toolroster.errors import Fault, NoMatchingVersion, ToolrosterError


def verdict(old: Any, new: Any, *, principal: Principal, switches: CompatPolicy) -> Verdict:
    """Return what `new` changes; without `old` since the release before its version.

    Both are tool ids or references of what is published, or documents as they were sent.

    Raises:
        ToolrosterError: a document is wrong, with pointers below `/old` or `/new`; a reference names nothing
            that the principal may see; nothing is published below the version of `new`.
    """
    sent = _definition(new, "/new", principal)
    base = _before(sent, principal) if old is None else _definition(old, "/old", principal)
    visible = ToolRegistration.objects.visible_to(principal)
    of_tool = visible.filter(of_tool__provider__name=sent.provider, of_tool__name=sent.name)
    others = of_tool.exclude(version=sent.version) if isinstance(new, str) else of_tool
    published = others.values_list("version", flat=True)
    return compat.verdict(old=base, new=sent, policy=switches, published=published)


def history(*, switches: CompatPolicy, name: str = "") -> Iterator[tuple[str, Verdict]]:
    """Give every published release with what it changes since the one before it, tool by tool.

    Releases are read one after the other, whatever their number. Those of a tool that are retired stay out.
    """
    releases = ToolRegistration.objects.promising().stable()
    if name:
        releases = releases.filter(of_tool__name=name)
    rows = releases.order_by("of_tool", "version_key").only("tool_id", "of_tool_id", "document_text")
    before: ToolRegistration | None = None
    for row in rows.iterator(chunk_size=500):
        if before is not None and before.of_tool_id == row.of_tool_id:
            yield row.tool_id, compat.verdict(old=before.document, new=row.document, policy=switches)
        before = row


def _definition(side: Any, at: str, principal: Principal) -> ToolDefinition:
    try:
        if isinstance(side, str):
            return resolution.named(side, principal=principal).definition
        return ToolDefinition.parse(side)
    except ToolrosterError as error:
        error.errors = error.errors or (Fault("", error.code, error.detail),)
        raise error.pointing(lambda fault: Fault(at + fault.pointer, fault.code, fault.detail)) from None


def _before(sent: ToolDefinition, principal: Principal) -> ToolDefinition:
    rows = resolution.versions(sent.provider, sent.name, principal=principal)
    by_version = {row.version: row for row in rows}
    below = compat.release_below(sent.version, by_version)
    if below is None:
        raise NoMatchingVersion(
            f"No release of {sent.provider}/{sent.name} is below {sent.version}.",
            errors=[Fault("/new/version", "nothing_below", "Name what to compare with in `old`.")],
            nearest=[row.version for row in rows[:5]],
        )
    return by_version[below].definition
