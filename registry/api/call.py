"""What every view needs to know of a call: who, when, and how leases look at that moment."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from oauth import permissions
from oauth.authentication import principal_of
from oauth.principal import Principal
from registry import conf
from registry.models import Tool, ToolRegistration, ToolUse
from registry.services import governing, leases, rendering, usage
from registry.services.leases import LeaseView
from registry.services.resolution import Asking
from toolroster.errors import Malformed


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as services see it."""

    principal: Principal
    now: datetime
    seen: LeaseView

    def render(self, row: ToolRegistration) -> dict[str, Any]:
        """Return a registration as it is served."""
        return rendering.registration(row, seen=self.seen)

    def note(self, kind: ToolUse.Kind, row: ToolRegistration) -> None:
        """Count a use."""
        usage.note(kind, row.pk, principal=self.principal, store=conf.store())

    def asking(self, *, include_prerelease: bool = False) -> Asking:
        """Return who asks the resolver."""
        beat = conf.lease_policy().heartbeat_seconds
        return Asking(self.principal, self.seen.cutoff, beat, include_prerelease)


def call_of(principal: Principal) -> Call:
    """Start a call: the only place in the API that reads the clock."""
    now = timezone.now()
    return Call(principal, now, leases.recent.at(now=now, policy=conf.lease_policy()))


class HotView(APIView):
    """A view of `registry.api.hot`, which authenticates and authorizes itself."""

    authentication_classes = ()
    permission_classes = ()


class RegistryView(APIView):
    """A view with its `call` at hand; `required_scopes` are the platform scopes it needs, none to read."""

    required_scopes: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate and authorize; refuse a path that the database cannot take."""
        super().initial(request, *args, **kwargs)
        if "\0" in request.path:
            raise Malformed("The address holds the NUL character.")

    def call(self, request: Request) -> Call:
        """Return the call of a request."""
        return call_of(principal_of(request))


class GoverningView(RegistryView):
    """A view of what owners (`tools:register`) and operators (`tools:admin`) decide."""

    def call(self, request: Request) -> Call:
        """Return the call of somebody who may be one of them.

        Raises:
            Unauthenticated, InsufficientScope: the token can be of neither.
        """
        call = super().call(request)
        permissions.require_any(call.principal, ("tools:register", "tools:admin"))
        return call

    def governed(self, request: Request, provider: str, name: str) -> tuple[Call, Tool]:
        """Return the call, and the tool that it is about."""
        call = self.call(request)
        return call, governing.tool(provider, name, principal=call.principal)
