"""Find what the arguments of a command name."""

from django.core.management.base import CommandError

from oauth.models import Application


def client(name: str) -> Application:
    """Return the OAuth client of a name.

    Raises:
        CommandError: there is none.
    """
    application: Application | None = Application.objects.filter(name=name).first()
    if application is None:
        raise CommandError(f"There is no client called {name}.")
    return application
