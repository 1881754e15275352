"""Whose tool it is: owners (`tools:register`) and operators (`tools:admin`) decide about it."""

from django.db.models import Q

from oauth.principal import Principal
from registry.models import Provider, Tool, ToolRegistration
from registry.services import resolution
from registry.services.heartbeat import canonical_id
from toolroster.errors import InsufficientScope, NoMatchingVersion


def tool(provider: str, name: str, *, principal: Principal) -> Tool:
    """Return a tool that the principal governs.

    Raises:
        ToolNotFound: none that it may see or governs.
        InsufficientScope: it sees the tool, and neither owns it nor is an operator.
    """
    named = Tool.objects.filter(provider__name=provider.lower(), name=name)
    found = named.filter(_governed_by(principal, "provider")).select_related("provider").first()
    if found is None:
        seen = resolution.versions(provider, name, principal=principal)
        raise _not_governed(seen[0].tool_id)
    return found


def registration(tool_id: str, *, principal: Principal) -> ToolRegistration:
    """Return a version, whatever its state, of a tool that the principal governs.

    Raises:
        ToolNotFound, InsufficientScope: as `tool`.
    """
    of_id = ToolRegistration.objects.filter(tool_id=canonical_id(tool_id))
    found = of_id.filter(_governed_by(principal, "of_tool__provider")).first()
    if found is None:
        raise _not_governed(resolution.get(tool_id, principal=principal).tool_id)
    return found


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


def _governed_by(principal: Principal, provider: str) -> Q:
    if principal.has("tools:admin"):
        return Q()
    is_owner = principal.has("tools:register")
    return Q((f"{provider}__in", Provider.objects.writable_by(principal) if is_owner else ()))


def _not_governed(tool_id: str) -> InsufficientScope:
    return InsufficientScope(f"Owners and operators decide about {tool_id}.", scopes=["tools:admin"])
