"""Providers and their owners."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.timezone import now as the_time

from registry.admin.base import RegistryAdmin
from registry.admin.forms import ProviderForm
from registry.models import Provider, ProviderOwner, Tool


class OwnerInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """The applications that may write in the namespace."""

    model = ProviderOwner
    extra = 0
    autocomplete_fields = ("application",)
    readonly_fields = ("since",)
    verbose_name = "owner"


@admin.register(Provider)
class ProviderAdmin(RegistryAdmin):
    """Namespaces: who owns them and what is in them. They are never deleted: ids name them."""

    form = ProviderForm
    list_display = ("name", "tools", "owners", "created_at")
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of a name"
    sortable_by = ("name",)
    inlines = (OwnerInline,)
    fields = ("name", "created_at", "tools")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Provider]:
        rows: QuerySet[Provider] = super().get_queryset(request)
        return rows.annotate(
            tool_count=_count(Tool.objects.filter(provider=OuterRef("pk")), "provider"),
            owner_count=_count(ProviderOwner.objects.filter(provider=OuterRef("pk")), "provider"),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("created_at", "tools") if obj is None else ("name", "created_at", "tools")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Provider, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        if not change:
            obj.created_at = the_time()
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: "ModelForm[Any]", formset: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        for added in formset.extra_forms:
            added.instance.since = the_time()
        super().save_formset(request, form, formset, change)

    @admin.display(description="tools")
    def tools(self, obj: Any) -> int:
        """Return the number of tools in the namespace."""
        return getattr(obj, "tool_count", 0)

    @admin.display(description="owners")
    def owners(self, obj: Any) -> int:
        """Return the number of owners; 0 means that anybody may claim the namespace."""
        return getattr(obj, "owner_count", 0)


def _count(rows: "QuerySet[Any]", field: str) -> Coalesce:
    """Count rows in a subquery: only those of the shown page are counted."""
    counted = rows.order_by().values(field).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
