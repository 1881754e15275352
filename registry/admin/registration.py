"""Registrations: review, lifecycle and health of every version, and the decisions about them."""

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import flatten_fieldsets
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from registry import tasks
from registry.admin import decisions, panels
from registry.admin.badges import age, badge, leases_now
from registry.admin.base import PermanentAdmin
from registry.admin.decisions import Rows
from registry.models import ToolRegistration
from registry.services import rendering

WAITS = Q(review=ToolRegistration.Review.PENDING) | Q(pending_presentation__isnull=False)
"""What a person has to decide about: a new version, or new words of a served one."""


class WaitingFilter(admin.SimpleListFilter):
    """What waits for a decision."""

    title = "decision"
    parameter_name = "waits"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> list[tuple[str, str]]:
        return [("yes", "Waits for one")]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> "QuerySet[Any]":
        return queryset.filter(WAITS) if self.value() == "yes" else queryset


@admin.register(ToolRegistration)
class RegistrationAdmin(PermanentAdmin):
    """Every version. Its contract never changes; people decide about review and lifecycle."""

    list_display = (
        "tool_id",
        "state",
        "health_and_age",
        "scope_list",
    )
    list_filter = (WaitingFilter, "review", "lifecycle", "health", "cost_level")
    search_fields = ("tool_id__startswith", "of_tool__name__startswith")
    search_help_text = "The beginning of a tool's name, or of a tool id: provider:name:version"
    sortable_by = ("tool_id",)
    actions = ("approve", "reject", "deprecate", "restore", "retire")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("review_state", "lifecycle_state", "health_now"),
                    ("last_beat", "registered_at", "updated_at"),
                    ("failing_until", "failing_instances"),
                    ("deprecated_at", "sunset_at", "yanked_at"),
                    ("replaced_by", "deprecation_reason"),
                )
            },
        ),
        (
            "Contract (never changes)",
            {
                "fields": (
                    ("of_tool", "version", "is_prerelease"),
                    ("scope_list", "allowed_roles"),
                    ("read_only", "idempotent", "cost_level", "liveness"),
                    "contract_hash",
                )
            },
        ),
        ("Words", {"fields": (("categories", "tags"), "revisions")}),
        ("Leases", {"fields": ("leases",)}),
        ("Last events", {"fields": ("events",)}),
        ("Document", {"fields": ("document_json",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolRegistration]:
        rows: QuerySet[ToolRegistration] = super().get_queryset(request)
        found = rows.select_related("of_tool__provider").with_last_beat()  # type: ignore[attr-defined]  # the manager's queryset
        return found.defer("document_text")  # type: ignore[no-any-return]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Return every field: what may change does so by an action."""
        return flatten_fieldsets(self.fieldsets)

    @admin.display(description="review")
    def review_state(self, obj: Any) -> SafeString:
        """Say where the review is, and whether new words wait."""
        has_words = obj.pending_presentation_id is not None and obj.review == "APPROVED"
        return badge("NEW WORDS" if has_words else obj.review)

    @admin.display(description="lifecycle")
    def lifecycle_state(self, obj: Any) -> SafeString:
        """Say whether it is active, deprecated, yanked or retired."""
        return badge("YANKED" if obj.yanked_at and obj.lifecycle == "DEPRECATED" else obj.lifecycle)

    @admin.display(description="health now")
    def health_now(self, obj: Any) -> SafeString:
        """Judge by the leases now, as every read path does."""
        return badge(rendering.current_health(obj, obj.last_beat_at, leases_now()))

    @admin.display(description="state")
    def state(self, obj: Any) -> SafeString:
        """Say what is out of the ordinary of review and lifecycle; else that it is active."""
        review, lifecycle = self.review_state(obj), self.lifecycle_state(obj)
        if obj.review == "APPROVED" and obj.pending_presentation_id is None:
            return lifecycle
        return review if obj.lifecycle == "ACTIVE" else format_html("{} {}", review, lifecycle)

    @admin.display(description="health now")
    def health_and_age(self, obj: Any) -> SafeString:
        """Say both in one column of the list."""
        aged = format_html('<span class="age">{}</span>', self.last_beat(obj)) if obj.last_beat_at else ""
        return format_html("{}{}", self.health_now(obj), aged)

    @admin.display(description="last beat")
    def last_beat(self, obj: Any) -> str:
        """Say how long ago the newest beat was."""
        return age(obj.last_beat_at, leases_now().now)

    @admin.display(description="scopes")
    def scope_list(self, obj: Any) -> str:
        """Name the scopes; without one the tool is open to every principal."""
        return ", ".join(obj.scopes) or "open"

    @admin.display(description="revisions")
    def revisions(self, obj: Any) -> SafeString:
        return panels.revisions(obj)

    @admin.display(description="leases")
    def leases(self, obj: Any) -> SafeString:
        return panels.leases(obj)

    @admin.display(description="events")
    def events(self, obj: Any) -> SafeString:
        return panels.events(obj)

    @admin.display(description="document")
    def document_json(self, obj: Any) -> SafeString:
        return panels.document(obj)

    @admin.action(permissions=["change"], description="Approve")
    def approve(self, request: HttpRequest, queryset: Rows) -> None:
        """Approve; the words that are served may have changed, so they are embedded again."""
        approved = decisions.take(decisions.APPROVE, self, request, queryset)
        if approved:
            tasks.enqueue_on_commit(tasks.embed, approved)

    @admin.action(permissions=["change"], description="Reject …")
    def reject(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Reject what waits."""
        return decisions.ask_and_take(decisions.REJECT, self, request, queryset)

    @admin.action(permissions=["change"], description="Deprecate …")
    def deprecate(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Take active versions out of new resolutions."""
        return decisions.ask_and_take(decisions.DEPRECATE, self, request, queryset)

    @admin.action(permissions=["change"], description="Yank …")
    def yank(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Take versions that should not have been published out of every list."""
        return decisions.ask_and_take(decisions.YANK, self, request, queryset)

    @admin.action(permissions=["change"], description="Restore")
    def restore(self, request: HttpRequest, queryset: Rows) -> None:
        """Undo a deprecation or a yank."""
        decisions.take(decisions.RESTORE, self, request, queryset)

    @admin.action(permissions=["change"], description="Retire for good …")
    def retire(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Take versions out of service for good."""
        return decisions.ask_and_take(decisions.RETIRE, self, request, queryset)
