"""Every address of the platform."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from registry.api.problems import bad_request, not_found, server_error

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("registry.web.urls")),
    path("", include("oauth.urls")),
    path("", include("consumers.api.urls")),  # first: `/api/tools/{tool_id}` would take `invoke`
    path("", include("registry.api.urls")),
]

if settings.OIDC_ISSUER:
    urlpatterns.append(path("", include("oauth.sso_urls")))

handler400 = bad_request
handler404 = not_found
handler500 = server_error
