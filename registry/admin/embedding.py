"""Vectors and words of search: made by the worker, so people look."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from registry.admin.base import ReadOnlyAdmin
from registry.models import EmbeddingSpace, ToolEmbedding, ToolPosting


@admin.register(EmbeddingSpace)
class SpaceAdmin(ReadOnlyAdmin):
    """The ways to make vectors; search uses the current one."""

    list_display = ("space_id", "backend", "model", "is_current", "created_at")


@admin.register(ToolEmbedding)
class EmbeddingAdmin(ReadOnlyAdmin):
    """Which registration has a vector in which space. The numbers themselves say nothing to people."""

    list_display = ("registration", "space", "content_hash", "created_at")
    list_select_related = ("registration", "space")
    search_fields = ("registration__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    fields = ("registration", "space", "content_hash", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolEmbedding]:
        rows: QuerySet[ToolEmbedding] = super().get_queryset(request)
        return rows.defer("vector")


@admin.register(ToolPosting)
class PostingAdmin(ReadOnlyAdmin):
    """The words by which registrations are found."""

    list_display = ("term", "registration", "frequency")
    list_select_related = ("registration",)
    search_fields = ("term__exact",)
    search_help_text = "A whole term, as it is indexed"
