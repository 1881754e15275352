"""Whose tool it is: owners and operators look into who uses it and move them."""

from oauth.principal import Principal
from registry.models import Provider, Tool, ToolRegistration
from registry.services import resolution
from toolroster.errors import InsufficientScope, NoMatchingVersion


def tool(provider: str, name: str, *, principal: Principal) -> Tool:
    """Return a tool that the principal governs.

    Raises:
        ToolNotFound: none that it may see or governs.
        InsufficientScope: it sees the tool, and neither owns it nor is an operator.
    """
    found = Tool.objects.filter(provider__name=provider.lower(), name=name).select_related("provider")
    if not principal.has("tools:admin"):
        owned = Provider.objects.writable_by(principal) if principal.has("tools:register") else ()
        found = found.filter(provider__in=owned)
    row = found.first()
    if row is not None:
        return row
    resolution.versions(provider, name, principal=principal)
    raise InsufficientScope(
        f"{provider}/{name} is governed by its owners and operators.", scopes=["tools:admin"]
    )


def version(of: Tool, text: str) -> ToolRegistration:
    """Return a version of a tool, whatever its state.

    Raises:
        NoMatchingVersion: there is none; `nearest` holds versions that exist.
    """
    rows = ToolRegistration.objects.filter(of_tool=of).newest_first()
    found = rows.filter(version=text).first()
    if found is None:
        nearest = list(rows.values_list("version", flat=True)[:5])
        raise NoMatchingVersion(f"There is no version {text} of {of}.", nearest=nearest)
    return found
