"""The app of what consumes tools."""

from django.apps import AppConfig


class ConsumersConfig(AppConfig):
    """Django's handle on the app."""

    name = "consumers"
    default_auto_field = "django.db.models.BigAutoField"
