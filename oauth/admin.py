"""The admin of people and OAuth applications."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Field
from django.http import HttpRequest
from oauth2_provider.admin import ApplicationAdmin as DotApplicationAdmin

from oauth.models import Application, User

admin.site.register(User, UserAdmin)

# Importing DOT's admin, whose class this one builds on, has registered it already.
admin.site.unregister(Application)


@admin.register(Application)
class ApplicationAdmin(DotApplicationAdmin):  # type: ignore[misc]  # DOT is untyped
    """Agents, providers, tool services and operators: DOT's page, with roles and an indexed search."""

    list_display = ("name", "client_id", "role_list", "authorization_grant_type")
    list_display_links = ("name", "client_id")
    list_filter = ("client_type", "authorization_grant_type")
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
