"""Providers and their owners."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.timezone import now as the_time

from oauth import audit
from oauth.models import Application
from registry.admin.base import RegistryAdmin
from registry.admin.forms import ProviderForm, TransferForm
from registry.models import Provider, ProviderOwner, Tool
from registry.services import namespace


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
    fields = ("name", "created_at", "tools", "may_be_private", "audiences")

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
        """Add and remove owners as everybody does, so that the audit knows of it."""
        added, by, now = formset.save(commit=False), audit.person(request.user), the_time()
        for owner in formset.deleted_objects:
            namespace.remove_owner(owner, by=by, now=now)
        for owner in added:
            namespace.add_owner(owner.provider, owner.application, by=by, now=now)

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(self.transfer_page)
        return [path("<int:pk>/transfer/", page, name="registry_provider_transfer"), *super().get_urls()]

    def transfer_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for the new owner of a namespace, and make it the only one."""
        provider = get_object_or_404(Provider, pk=pk)
        if not self.has_change_permission(request, provider):
            raise PermissionDenied
        form = TransferForm(request.POST or None)
        if form.is_valid():
            self._transfer(request, provider, form.cleaned_data["to"])
            return redirect("admin:registry_provider_change", pk)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Transfer {provider}",
            "provider": provider,
            "owners": [owner.application for owner in provider.owners.select_related("application")],
            "form": form,
            "opts": self.opts,
            "media": self.media + form.media,
        }
        return TemplateResponse(request, "admin/registry/provider/transfer.html", context)

    def _transfer(self, request: HttpRequest, provider: Provider, to: Application) -> None:
        before = namespace.transfer(provider.name, to, by=audit.person(request.user), now=the_time())
        taken = f" It was taken from {', '.join(map(str, before))}." if before else ""
        text = f"The namespace {provider} belongs to {to} now.{taken}"
        self.log_change(request, provider, text)
        self.message_user(request, text)

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
