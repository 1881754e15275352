"""What has to be there in every process of the platform once Django is set up."""

from django.apps import AppConfig


class PlatformConfig(AppConfig):
    """Loads the Celery app, so that every process sends tasks to the same broker."""

    name = "config"
    verbose_name = "Platform"

    def ready(self) -> None:
        """Load the Celery app; it can be imported only now, since it uses the registry's services."""
        from config import celery  # noqa: F401, PLC0415
