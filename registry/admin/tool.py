"""Tools: a name in a namespace, and which provider answers the bare name."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from registry.admin.base import PermanentAdmin
from registry.admin.forms import ToolForm
from registry.models import Tool, ToolRegistration
from registry.services import naming


@admin.register(Tool)
class ToolAdmin(PermanentAdmin):
    """Tools appear by registration; only the mark of the default is set here."""

    form = ToolForm
    list_display = ("name", "provider", "is_default_for_name", "versions", "created_at")
    list_select_related = ("provider",)
    list_filter = ("is_default_for_name",)
    search_fields = ("name__startswith", "provider__name__exact")
    search_help_text = "The beginning of a tool's name, or a whole provider name"
    sortable_by = ("name",)
    fields = ("name", "provider", "is_default_for_name", "versions", "created_at")
    readonly_fields = ("name", "provider", "versions", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tool]:
        of_tool = ToolRegistration.objects.filter(of_tool=OuterRef("pk")).order_by().values("of_tool")
        counted = of_tool.annotate(number=Count("pk")).values("number")
        versions = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
        rows: QuerySet[Tool] = super().get_queryset(request)
        return rows.annotate(version_count=versions)

    def save_model(self, request: HttpRequest, obj: Tool, form: Any, change: bool) -> None:  # noqa: FBT001
        """Set the mark through the service, which tells the event."""
        naming.mark_default(obj, is_default=obj.is_default_for_name, now=timezone.now())

    @admin.display(description="versions")
    def versions(self, obj: Any) -> str:
        """Link to the versions of the tool."""
        url = reverse("admin:registry_toolregistration_changelist")
        return format_html('<a href="{}?of_tool__id__exact={}">{}</a>', url, obj.pk, obj.version_count)
