"""The app of users, OAuth applications and principals."""

from django.apps import AppConfig


class OAuthConfig(AppConfig):
    """Django's handle on the app."""

    name = "oauth"
    verbose_name = "Access"
    default_auto_field = "django.db.models.BigAutoField"
