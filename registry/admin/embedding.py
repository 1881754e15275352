"""Vectors and words of search: made by the worker, so people look."""

from django.contrib import admin
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.http import HttpRequest

from registry.admin.base import ReadOnlyAdmin
from registry.models import EmbeddingSpace, SearchText, ToolEmbedding, ToolPosting, ToolRegistration

_MOST_NAMED = 5


@admin.register(EmbeddingSpace)
class SpaceAdmin(ReadOnlyAdmin):
    """The ways to make vectors; search uses the current one."""

    list_display = ("space_id", "backend", "model", "is_current", "created_at")


@admin.register(SearchText)
class TextAdmin(ReadOnlyAdmin):
    """What search reads, once for all registrations that say the same."""

    list_display = ("__str__", "said_by", "length")
    search_fields = ("registrations__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    fields = ("said_by", "length", "words_hash")
    readonly_fields = ("said_by",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SearchText]:
        rows: QuerySet[SearchText] = super().get_queryset(request)
        some = ArraySubquery(_saying(OuterRef("pk"))[:_MOST_NAMED])
        return rows.annotate(tool_ids=some)

    @admin.display(description="said by")
    def said_by(self, text: SearchText) -> str:
        """Name the first registrations that have the text."""
        return ", ".join(getattr(text, "tool_ids", ())) or "nobody any more"


def _saying(text: OuterRef) -> "QuerySet[ToolRegistration, str]":
    rows = ToolRegistration.objects.filter(search_text=text).order_by("tool_id")
    return rows.values_list("tool_id", flat=True)


@admin.register(ToolEmbedding)
class EmbeddingAdmin(ReadOnlyAdmin):
    """Which text has a vector in which space. The numbers themselves say nothing to people."""

    list_display = ("text", "space", "content_hash", "created_at")
    list_select_related = ("text", "space")
    search_fields = ("text__registrations__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    fields = ("text", "space", "content_hash", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolEmbedding]:
        rows: QuerySet[ToolEmbedding] = super().get_queryset(request)
        return rows.defer("vector")


@admin.register(ToolPosting)
class PostingAdmin(ReadOnlyAdmin):
    """The words by which texts are found."""

    list_display = ("term", "text", "frequency")
    list_select_related = ("text",)
    search_fields = ("term__exact",)
    search_help_text = "A whole term, as it is indexed"
