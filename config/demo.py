"""What `make run` puts into a fresh registry, and the note of addresses and credentials it leaves."""

import json
import secrets
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from config import private_file
from consumers.services import memory_tools
from demo import catalogue
from oauth import audit, scopes
from oauth.models import Application, User
from oauth.principal import everything
from registry.api.registering import register_all
from registry.models import Provider, Tool
from registry.services import clients
from registry.services.clients import Kind, NewClient
from registry.services.registration import Registering

ADMIN = "admin"
_ME = audit.command("run")
CLIENTS = (
    NewClient("safecracker", Kind.AGENT, scopes=("calculator:use",)),
    NewClient("hacker", Kind.AGENT, scopes=("simulation:read", "file_reader:use")),
    NewClient("driver", Kind.AGENT, scopes=("database:read",)),
    NewClient("session", Kind.AGENT, scopes=("memory:use",)),
    NewClient("mail-team", Kind.PROVIDER, providers=("mail-team",)),
    NewClient("demo-tools", Kind.TOOL_SERVICE),
    NewClient("operator", Kind.OPERATOR),
)
"""The agents of demo/agents_config.yaml, their session, the provider of seeds/004, a service, an operator."""


def load(*, now: datetime) -> None:
    """Register the memory, and the probe tools that are not there yet; what people changed stays as it is.

    The probe also has a `send_email`: the one of seeds/004 answers the bare name.
    """
    known = set(Tool.objects.filter(provider__name="probe").values_list("name", flat=True))
    missing = [document for document in catalogue.probe_documents() if document["name"] not in known]
    by = Registering(principal=everything(), now=now, review_required=False)
    register_all(missing, by=by)
    register_all(memory_tools.documents(settings.PUBLIC_URL), by=by)
    team, _ = Provider.objects.get_or_create(name="mail-team", defaults={"created_at": now})
    first = {"created_at": now, "is_default_for_name": True}
    Tool.objects.get_or_create(provider=team, name="send_email", defaults=first)


def note(home: Path, *, now: datetime) -> dict[str, Any]:
    """Write `demo.json`, readable by its owner alone, and return what it holds.

    Passwords and secrets of an earlier run stay, unless the note or their owner is gone.
    """
    path = home / "demo.json"
    noted: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    base = settings.PUBLIC_URL
    content = {
        "base_url": base,
        "docs_url": f"{base}/docs",
        "admin": {"username": ADMIN, "password": _password(noted), "url": f"{base}/admin/"},
        "token_url": f"{base}/token",
        "clients": [_client(client, noted, now) for client in CLIENTS],
    }
    private_file.write(path, json.dumps(content, indent=2) + "\n")
    return content


def _client(client: NewClient, noted: dict[str, Any], now: datetime) -> dict[str, Any]:
    application = Application.objects.filter(name=client.name).first()
    known = {item["client_id"]: item["client_secret"] for item in noted.get("clients", [])}
    if application is None:
        application, secret = clients.create(
            replace(client, owner=User.objects.get(username=ADMIN)), by=_ME, now=now
        )
    else:
        secret = known.get(application.client_id) or clients.rotate(application, by=_ME, now=now)
    return {
        "name": client.name,
        "kind": str(client.kind),
        "client_id": application.client_id,
        "client_secret": secret,
        "scopes": scopes.held_by(application),
        "provider": next(iter(client.providers), None),
        "curl": f"curl -su {application.client_id}:{secret} -d grant_type=client_credentials "
        f"{settings.PUBLIC_URL}/token",
    }


def _password(noted: dict[str, Any]) -> str | None:
    """Return the demo admin's password as noted, a new one for a new admin, None if it is not known."""
    user, is_new = User.objects.get_or_create(
        username=ADMIN, defaults={"is_staff": True, "is_superuser": True}
    )
    if not is_new and noted:
        known: str | None = noted["admin"]["password"]
        return known if known and user.check_password(known) else None  # a person changed it
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    user.save()
    return password
