"""The tag library `calls`: which calls wait for people, on the admin's first page."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.timezone import now as the_time

from consumers.models import Approval
from registry.admin.dashboard import Figure
from registry.admin.paging import capped_count

register = template.Library()


@register.simple_tag(takes_context=True)
def calls_waiting(context: dict[str, Any]) -> list[Figure]:
    """Return how many calls wait for a decision, for who may decide."""
    if not context["request"].user.has_perm("consumers.change_approval"):
        return []
    pending = Approval.objects.filter(state=Approval.State.PENDING, expires_at__gt=the_time())
    number = capped_count(pending)
    url = reverse("admin:consumers_approval_changelist") + "?state__exact=PENDING"
    return [Figure("to approve", number, url, "wait" if number else "")]
