"""The addresses of the pages."""

from django.urls import URLPattern, path

from registry.web import docs, front, tool

urlpatterns: list[URLPattern] = [
    path("", front.front_page, name="front"),
    path("catalogue", tool.catalogue_address),
    path("catalogue/", tool.catalogue_address),
    path("catalogue/<str:tool_id>", tool.tool_page, name="catalogue_tool"),
    path("catalogue/<path:rest>", tool.unknown_address),
    path("docs", docs.docs_page, name="docs"),
    path("openapi.json", docs.openapi, name="openapi"),
]
