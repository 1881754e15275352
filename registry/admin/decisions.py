"""What people decide about registrations: one service call a row, and every refusal said."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.timezone import now as the_time

from oauth import audit
from registry.admin.forms import DeprecationForm, ReasonForm, YankForm
from registry.models import ToolRegistration
from registry.services import lifecycle
from toolroster.errors import Conflict, DocumentInvalid

MOST_AT_ONCE = 200
"""Registrations one action decides about: each is its own transaction, inside one request."""

Rows = QuerySet[ToolRegistration]


@dataclass(frozen=True, slots=True)
class Decision:
    """A step of `services.lifecycle`; with a form it is asked for on a page of its own."""

    name: str
    done: str
    step: Callable[..., ToolRegistration]
    form: type[ReasonForm] | None = None
    warning: str = ""


APPROVE = Decision("approve", "Approved", lifecycle.approve)
RESTORE = Decision("restore", "Restored", lifecycle.restore)
REJECT = Decision(
    "reject",
    "Rejected",
    lifecycle.reject,
    ReasonForm,
    "What waits is turned down. A version that was never approved stays hidden; one that is served goes on "
    "with the words it has.",
)
DEPRECATE = Decision(
    "deprecate",
    "Deprecated",
    lifecycle.deprecate,
    DeprecationForm,
    "Deprecated versions leave lists, search and ranges; whoever asks for the exact version still gets it. "
    "This can be undone.",
)
YANK = Decision(
    "yank",
    "Yanked",
    lifecycle.yank,
    YankForm,
    "For versions that should not have been published: they are listed nowhere, not even among deprecated "
    "ones. Exact pins still work. This can be undone.",
)
RETIRE = Decision(
    "retire",
    "Retired",
    lifecycle.retire,
    ReasonForm,
    "This is for good: a retired version is gone from every list and cannot be restored, and its id is "
    "never used again.",
)


def take(decision: Decision, page: "admin.ModelAdmin[Any]", request: HttpRequest, chosen: Rows) -> list[int]:
    """Decide about every chosen row; return the ids of those that took the step."""
    ids = _chosen(page, request, chosen)
    return _apply(decision, page, request, ids, {})


def ask_and_take(
    decision: Decision, page: "admin.ModelAdmin[Any]", request: HttpRequest, chosen: Rows
) -> HttpResponse | None:
    """Show the form of a decision; decide once it is sent back valid (None: back to the list)."""
    ids = _chosen(page, request, chosen)
    if decision.form is None or not ids:
        return None
    is_sent = "confirmed" in request.POST
    form = decision.form(request.POST) if is_sent else decision.form()
    if is_sent and form.is_valid():
        _apply(decision, page, request, ids, form.cleaned_data)
        return None
    context = {
        **page.admin_site.each_context(request),
        "title": f"{decision.name.capitalize()} {_count(len(ids))}?",
        "decision": decision,
        "form": form,
        "opts": page.model._meta,  # noqa: SLF001 - Django's documented name
        "tool_ids": page.model.objects.filter(pk__in=ids).order_by("tool_id").values_list("tool_id", "pk"),
        "checkbox_name": ACTION_CHECKBOX_NAME,
        "media": page.media + form.media,
    }
    return TemplateResponse(request, "admin/registry/toolregistration/confirm.html", context)


def _chosen(page: "admin.ModelAdmin[Any]", request: HttpRequest, chosen: Rows) -> list[int]:
    ids = list(chosen.order_by("pk").values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
    if len(ids) <= MOST_AT_ONCE:
        return ids
    text = f"Choose at most {MOST_AT_ONCE} registrations at once; nothing was changed."
    page.message_user(request, text, messages.ERROR)
    return []


def _apply(
    decision: Decision,
    page: "admin.ModelAdmin[Any]",
    request: HttpRequest,
    ids: list[int],
    said: dict[str, Any],
) -> list[int]:
    decided = []
    for pk in ids:
        try:
            row = decision.step(pk, now=the_time(), by=audit.person(request.user), **said)
        except (Conflict, DocumentInvalid) as conflict:
            page.message_user(request, conflict.detail, messages.ERROR)
        else:
            page.log_change(request, row, f"{decision.done}. {said.get('reason', '')}".strip())
            decided.append(pk)
    if decided:
        page.message_user(request, f"{decision.done} {_count(len(decided))}.", messages.SUCCESS)
    return decided


def _count(number: int) -> str:
    return "one registration" if number == 1 else f"{number} registrations"
