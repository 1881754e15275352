"""The admin of people, OAuth applications and scopes."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.admin import UserAdmin
from django.db.models import Count, Field, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.timezone import now as the_time  # noqa: TID251 - an interface reads the clock
from oauth2_provider.admin import ApplicationAdmin as DotApplicationAdmin

from oauth import audit, scopes
from oauth.models import AccessEvent, Application, Scope, ScopeGrant, User
from oauth.people import LoginForm
from toolroster.errors import DocumentInvalid


class AdminLoginForm(LoginForm, AdminAuthenticationForm):
    """Staff alone, slowed down like everybody else."""


admin.site.login_form = AdminLoginForm
admin.site.register(User, UserAdmin)

# Importing DOT's admin, whose class this one builds on, has registered it already.
admin.site.unregister(Application)


class ScopeForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A scope; its name keeps to the grammar."""

    class Meta:
        model = Scope
        fields = ("name", "description")

    def clean_name(self) -> str:
        """Check the grammar."""
        name: str = self.cleaned_data["name"]
        try:
            scopes.check_name(name)
        except DocumentInvalid as error:
            raise forms.ValidationError(error.detail) from error
        return name


@admin.register(Scope)
class ScopeAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """The scope catalogue. Names stay and rows too: tools and tokens name them."""

    form = ScopeForm
    fields = ("name", "description", "is_platform", "holders", "created_at")
    list_display = ("name", "description", "is_platform", "holders")
    list_filter = ("is_platform",)
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of a name"
    ordering = ("name",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Scope]:
        grants = ScopeGrant.objects.filter(scope=OuterRef("pk")).values("scope")
        number = Subquery(grants.annotate(number=Count("pk")).values("number"), output_field=IntegerField())
        rows: QuerySet[Scope] = super().get_queryset(request)
        return rows.annotate(holder_count=Coalesce(number, 0))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        shown = ("is_platform", "holders", "created_at")
        return shown if obj is None else ("name", *shown)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Scope, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        if not change:
            obj.created_at = the_time()
        super().save_model(request, obj, form, change)

    @admin.display(description="holders")
    def holders(self, obj: Any) -> int:
        """Return the number of applications that hold the scope."""
        return getattr(obj, "holder_count", 0)


class ScopeGrantInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """What the application holds: granted and withdrawn, never changed."""

    model = ScopeGrant
    extra = 0
    autocomplete_fields = ("scope",)
    readonly_fields = ("granted_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ScopeGrant]:
        rows: QuerySet[ScopeGrant] = super().get_queryset(request)
        return rows.select_related("scope", "application").order_by("scope__name")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Application)
class ApplicationAdmin(DotApplicationAdmin):  # type: ignore[misc]  # DOT is untyped
    """Agents, providers, tool services and operators: DOT's page, with roles, scopes, a quick search."""

    list_display = ("name", "client_id", "kind", "role_list", "authorization_grant_type")
    list_display_links = ("name", "client_id")
    list_filter = ("kind", "client_type", "authorization_grant_type")
    inlines = (ScopeGrantInline,)
    search_fields = ("name__startswith", "client_id__startswith")
    search_help_text = "The beginning of a name or of a client id"
    show_full_result_count = False

    @admin.display(description="roles")
    def role_list(self, obj: Application) -> str:
        """Name the roles that are held against the policies of tools."""
        return ", ".join(obj.roles)

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest | None, **options: Any
    ) -> "forms.Field | None":
        field: forms.Field | None = super().formfield_for_dbfield(db_field, request, **options)
        if db_field.name == "roles" and field is not None:
            field.help_text = "Separated by commas; held against the roles that a tool's policy names."
        return field

    def save_model(self, request: HttpRequest, obj: Application, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        super().save_model(request, obj, form, change)
        kind = audit.Kind.CLIENT_CHANGED if change else audit.Kind.CLIENT_CREATED
        by = audit.person(request.user)
        audit.record(kind, obj.client_id, by=by, now=the_time(), name=obj.name, fields=form.changed_data)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        """Grant and withdraw as everybody does, so that the audit knows of it."""
        added, by, now = formset.save(commit=False), audit.person(request.user), the_time()
        scopes.withdraw(form.instance, [row.scope.name for row in formset.deleted_objects], by=by, now=now)
        scopes.grant(form.instance, [row.scope.name for row in added], by=by, now=now)


@admin.register(AccessEvent)
class AccessEventAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """The audit of access, the newest first; a trigger in the database refuses changes as well."""

    list_display = ("at", "kind", "subject", "actor", "facts")
    list_filter = ("kind",)
    search_fields = ("subject__startswith",)
    search_help_text = "The beginning of a client id, a user name or a provider"
    ordering = ("-pk",)
    show_full_result_count = False

    @admin.display(description="at (UTC)")
    def at(self, obj: Any) -> str:
        """Return the time to the second."""
        return f"{obj.occurred_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="facts")
    def facts(self, obj: AccessEvent) -> str:
        """Return what the event says beside its kind, as short as it can."""
        values = (", ".join(value) if isinstance(value, list) else str(value) for value in obj.data.values())
        return "; ".join(filter(None, values))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
