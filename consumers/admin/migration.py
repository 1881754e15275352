"""Migrations: add one to migrate agents, take one back by its action."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.timezone import now as the_time

from consumers.models import MigrationMove, VersionMigration
from consumers.services import migrating
from consumers.services.migrating import SAID, Asked
from oauth import audit
from registry import conf
from registry.admin.base import RegistryAdmin
from toolroster.errors import Conflict


class MigrationForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """From which version to which, and how many agents."""

    accept_review = forms.BooleanField(
        required=False, help_text="Move agents although the changes ask for a look, at words for instance."
    )

    class Meta:
        model = VersionMigration
        fields = ("old", "new", "percent", "accept_review")
        labels = {"old": "From", "new": "To"}
        help_texts = {
            "old": "The version that agents are bound to. It is deprecated if all of them are to move.",
            "new": "A version of the same tool that is in use and breaks nothing of the old one.",
            "percent": "This share of the agents, the same ones first; below 100 it deprecates nothing.",
        }

    def clean(self) -> dict[str, Any]:
        """Plan the migration, so that what refuses it is told beside the form."""
        said: dict[str, Any] = super().clean() or {}
        if self.errors:
            return said
        try:
            outcome = migrating.plan(self.asked())
        except Conflict as conflict:
            raise ValidationError(
                [conflict.detail, *(fault.detail for fault in conflict.errors)]
            ) from conflict
        if not outcome.moved and not outcome.deprecates:
            raise ValidationError("There is nobody to move, and the old version is deprecated already.")
        return said

    def asked(self) -> Asked:
        """Return what was asked for."""
        said = self.cleaned_data
        return Asked(
            said["old"],
            said["new"],
            percent=said["percent"],
            accept_review=said["accept_review"],
            switches=conf.compatibility_switches(),
        )


class MoveInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """What became of each agent."""

    model = MigrationMove
    fields = readonly_fields = ("agent", "outcome")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[MigrationMove]:
        rows: QuerySet[MigrationMove] = super().get_queryset(request)
        return rows.select_related("binding__application", "binding__tool__provider")

    @admin.display
    def agent(self, obj: Any) -> str:
        """Say who, and what it declared."""
        return f"{obj.binding.application.name} ({obj.binding.ref})"

    @admin.display
    def outcome(self, obj: Any) -> str:
        """Say that it moved, or why it stayed."""
        reason: migrating.Reason = obj.reason
        return SAID[reason]


_DONE = ("old", "new", "percent", "deprecated", "actor", "migrated_at", "rolled_back_at")


@admin.register(VersionMigration)
class MigrationAdmin(RegistryAdmin):
    """Migrations that changed something."""

    form = MigrationForm
    inlines = (MoveInline,)
    list_display = _DONE
    list_select_related = ("old", "new")
    actions = ("roll_back",)

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **more: Any) -> Any:
        """Let versions be found by typing."""
        widgets = {
            name: AutocompleteSelect(VersionMigration._meta.get_field(name), self.admin_site)  # noqa: SLF001 - Django's documented name
            for name in ("old", "new")
        }
        return super().get_form(request, obj, *args, **({"widgets": widgets} | more))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Return what is known of a migration that was done: nothing of it can be changed."""
        return _DONE if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return what is asked for, or what is known of a migration that was done."""
        return _DONE if obj else MigrationForm.Meta.fields

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Show the agents of a migration that was done."""
        return self.inlines if obj else ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changeform_view(self, request: HttpRequest, *args: Any, **more: Any) -> Any:
        """Show and take the form; where others were faster than the plan that it showed, say so."""
        try:
            return super().changeform_view(request, *args, **more)
        except Conflict as conflict:
            self.message_user(request, conflict.detail, messages.ERROR)
            return HttpResponseRedirect(reverse("admin:consumers_versionmigration_changelist"))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001 - Django's signature
        """Migrate as everybody does."""
        outcome = migrating.migrate(form.asked(), now=the_time(), by=audit.person(request.user))
        if outcome.migration is None:  # others were faster
            raise Conflict("Others were faster: nothing is left to do.")
        obj.__dict__.update(outcome.migration.__dict__)
        self.message_user(
            request, f"{outcome.moved} of {len(outcome.agents)} agents moved.", messages.SUCCESS
        )

    @admin.action(permissions=["change"], description="Roll back")
    def roll_back(self, request: HttpRequest, queryset: QuerySet[VersionMigration]) -> None:
        """Take migrations back, the newest first."""
        for migration in queryset.order_by("-pk"):
            try:
                rows = migrating.roll_back(migration.pk, now=the_time(), by=audit.person(request.user))
            except Conflict as conflict:
                self.message_user(request, conflict.detail, messages.ERROR)
            else:
                self.message_user(request, f"{migration}: {len(rows)} agents moved back.", messages.SUCCESS)
