"""The admin of the registry: what exists, what is sick, what waits; a module each subject."""

from django.contrib import admin

from registry.admin import (
    channel,
    embedding,
    event,
    instance,
    presentation,
    provider,
    refusal,
    registration,
    tool,
    use,
    watch,
)

__all__ = [
    "channel",
    "embedding",
    "event",
    "instance",
    "presentation",
    "provider",
    "refusal",
    "registration",
    "tool",
    "use",
    "watch",
]

admin.site.site_header = "Toolroster"
admin.site.site_title = "Toolroster"
admin.site.index_title = "Governance"
