"""The app of agents."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Django's handle on the app."""

    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"
