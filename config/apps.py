"""What has to be there in every process of the platform once Django is set up."""

from django.apps import AppConfig
from django.conf import settings


class PlatformConfig(AppConfig):
    """Loads the Celery app, so that every process sends tasks to the same broker."""

    name = "config"
    verbose_name = "Platform"

    def ready(self) -> None:
        """Load the Celery app; it can be imported only now, since it uses the registry's services."""
        from config import celery  # noqa: F401, PLC0415
        from registry.services import generations  # noqa: PLC0415

        if settings.LIST_COHERENCE == "strict":
            generations.shared.fresh_seconds = 0.0
