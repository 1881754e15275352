"""Write to the audit of access, in the caller's transaction."""

from datetime import datetime
from typing import Any

from oauth.models import AccessEvent, Application, User
from oauth.principal import Principal

Kind = AccessEvent.Kind


def record(kind: Kind, subject: str, /, *, by: str, now: datetime, **data: Any) -> None:
    """Add one row; `by` is who did it, see `person` and `command`, empty for somebody unknown."""
    AccessEvent.objects.create(kind=kind, subject=subject, actor=by, occurred_at=now, data=data)


def person(user: Any) -> str:
    """Return how the audit names a person who is logged in."""
    known: User = user
    return f"person:{known.get_username()}"


def client(application: Application) -> str:
    """Return how the audit names an OAuth application."""
    return f"client:{application.client_id}"


def principal(who: Principal) -> str:
    """Return how the audit names who sent a request."""
    return f"client:{who.client_id}" if who.client_id else ""


def command(name: str) -> str:
    """Return how the audit names who can run commands on the machine."""
    return f"command:{name}"
