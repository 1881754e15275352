"""The addresses of the pages."""

from django.urls import URLPattern, path

from registry.web import clients, docs, front, tool

urlpatterns: list[URLPattern] = [
    path("", front.front_page, name="front"),
    path("catalogue", tool.catalogue_address),
    path("catalogue/", tool.catalogue_address),
    path("catalogue/<str:tool_id>", tool.tool_page, name="catalogue_tool"),
    path("catalogue/<path:rest>", tool.unknown_address),
    path("clients", clients.clients_page, name="clients"),
    path("clients/<str:client_id>/secret", clients.rotate_secret, name="rotate_secret"),
    path("clients/<str:client_id>/tokens", clients.end_tokens, name="end_tokens"),
    path("docs", docs.docs_page, name="docs"),
    path("openapi.json", docs.openapi, name="openapi"),
]
