"""What clients learn of us as a protected resource (RFC 9728)."""

from django.http import HttpRequest
from oauth2_provider.views import OAuthProtectedResourceMetadataView

from oauth import resources


class ResourceMetadataView(OAuthProtectedResourceMetadataView):  # type: ignore[misc]  # DOT ships no types
    """The document names the very resource that it was asked for, else clients refuse it (RFC 9728 §3.3)."""

    path = ""

    def get_resource(self, request: HttpRequest) -> str:
        """Return the identifier of the origin, or of a path under it."""
        return resources.ours() + self.path
