"""Calls that wait for people."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now as the_time

from consumers.models import Approval
from consumers.services import approvals
from oauth import audit
from registry.admin.badges import badge
from registry.admin.base import PermanentAdmin
from toolroster.errors import ToolrosterError


class ReasonActionForm(ActionForm):
    """What people say with their decision."""

    reason = forms.CharField(max_length=1000, required=False, label="Reason")


@admin.register(Approval)
class ApprovalAdmin(PermanentAdmin):
    """What agents want to call, with which arguments; people approve or refuse."""

    action_form = ReasonActionForm
    actions = ("approve", "refuse")
    list_display = (
        "asked_at",
        "agent",
        "registration",
        "arguments",
        "state_said",
        "expires_at",
        "decided_by",
    )
    list_select_related = ("application", "registration")
    list_filter = ("state",)
    ordering = ("-asked_at", "pk")
    fields = (
        "id",
        "state_said",
        "agent",
        "registration",
        "params",
        "session_id",
        "asked_at",
        "expires_at",
        "decided_at",
        "decided_by",
        "reason",
        "used_at",
        "used_by_call",
    )
    readonly_fields = fields

    @admin.display
    def agent(self, obj: Any) -> str:
        """Say who asks."""
        return obj.application.name if obj.application else "anonymous"

    @admin.display
    def arguments(self, obj: Any) -> str:
        """Say what would be sent, shortened."""
        text = ", ".join(f"{name}={value!r}" for name, value in obj.params.items())
        return text if len(text) <= 120 else f"{text[:119]}…"

    @admin.display(description="state", ordering="state")
    def state_said(self, obj: Any) -> str:
        """Say the state; one whose time is over cannot be decided any more."""
        is_over = obj.state in {"PENDING", "APPROVED"} and obj.expires_at <= the_time()
        return badge(Approval.State.EXPIRED if is_over else obj.state)

    @admin.action(permissions=["change"], description="Approve: the agent may send the call once")
    def approve(self, request: HttpRequest, queryset: QuerySet[Approval]) -> None:
        """Approve calls."""
        self._decide(request, queryset, approve=True)

    @admin.action(permissions=["change"], description="Refuse")
    def refuse(self, request: HttpRequest, queryset: QuerySet[Approval]) -> None:
        """Refuse calls."""
        self._decide(request, queryset, approve=False)

    def _decide(self, request: HttpRequest, queryset: QuerySet[Approval], *, approve: bool) -> None:
        by, reason = audit.person(request.user), request.POST.get("reason", "").strip()[:1000]
        for pk in queryset.order_by("asked_at", "pk").values_list("pk", flat=True)[:200]:
            try:
                row = approvals.decide(pk, approve=approve, by=by, now=the_time(), reason=reason)
            except ToolrosterError as error:
                self.message_user(request, error.detail, messages.ERROR)
            else:
                done = "Approved" if approve else "Refused"
                self.log_change(request, row, f"{done}. {reason}".strip())
                self.message_user(request, f"{done}: {row.registration.tool_id}.", messages.SUCCESS)
