"""The registry's watch over leases: its last sweep, grace and self-preservation."""

from django.contrib import admin

from registry.admin.base import ReadOnlyAdmin
from registry.models import LeaseWatch


@admin.register(LeaseWatch)
class WatchAdmin(ReadOnlyAdmin):
    """One row."""

    list_display = ("__str__", "swept_at", "grace_until", "held_since")
    fields = ("swept_at", "grace_until", "held_since")
