"""The addresses of the authorization server, at the root; names are django-oauth-toolkit's."""

from django.urls import path
from oauth2_provider.views import OAuthServerMetadataView

from oauth import consent, endpoints, metadata, people

app_name = "oauth2_provider"

_SERVER = ".well-known/oauth-authorization-server"
_RESOURCE = ".well-known/oauth-protected-resource"

urlpatterns = [
    path(_SERVER, OAuthServerMetadataView.as_view(), name="oauth-server-metadata"),
    # Some clients look for the issuer of the resource /mcp here; the document names the one that is.
    path(f"{_SERVER}/mcp", OAuthServerMetadataView.as_view()),
    path(_RESOURCE, metadata.ResourceMetadataView.as_view(), name="oauth-resource-metadata"),
    path(f"{_RESOURCE}/mcp", metadata.ResourceMetadataView.as_view(path="/mcp")),
    path("login", people.LoginPage.as_view(), name="login"),
    path("logout", people.LogoutPage.as_view(), name="logout"),
    path("authorize", consent.ConsentView.as_view(), name="authorize"),
    path("token", endpoints.PlatformTokenView.as_view(), name="token"),
    path("revoke", endpoints.PlatformRevokeView.as_view(), name="revoke-token"),
    path("introspect", endpoints.IntrospectView.as_view(), name="introspect"),
]
