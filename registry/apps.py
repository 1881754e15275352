"""The app of the registry."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """Django's handle on the app."""

    name = "registry"
    verbose_name = "Registry"
    default_auto_field = "django.db.models.BigAutoField"
