"""What the OpenAPI generator cannot see by itself; named in SPECTACULAR_SETTINGS."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

from registry.api.seed import DiscoveryView

Endpoint = tuple[str, str, str, Callable[..., Any]]
"""Path, its regular expression, method and view."""


def add_discovery(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Add `GET /`, which lies behind the page that browsers get."""
    return [("/", "^$", "GET", DiscoveryView.as_view()), *endpoints]


class BearerToken(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its base is untyped
    """How a caller says who it is; without a token it is anonymous."""

    target_class = "oauth.authentication.PrincipalAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the security scheme (OpenAPI 3.1, Security Scheme Object)."""
        return {"type": "http", "scheme": "bearer"}
