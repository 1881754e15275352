"""What `make run` puts into a fresh registry, and the note of addresses and credentials it leaves."""

import json
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model

from config import private_file
from demo import catalogue
from oauth.principal import everything
from registry.api.registering import register_all
from registry.models import Provider, Tool
from registry.services.registration import Registering

ADMIN = "admin"


def load(*, now: datetime) -> None:
    """Register the probe tools; what is there already stays unchanged.

    The probe also has a `send_email`: the one of seeds/004 answers the bare name.
    """
    by = Registering(principal=everything(), now=now, review_required=False)
    register_all(catalogue.probe_documents(), by=by)
    team, _ = Provider.objects.get_or_create(name="mail-team", defaults={"created_at": now})
    if not Tool.objects.filter(name="send_email", is_default_for_name=True).exists():
        defaults = {"created_at": now}
        tool, _ = Tool.objects.get_or_create(provider=team, name="send_email", defaults=defaults)
        Tool.objects.filter(pk=tool.pk).update(is_default_for_name=True)


def note(home: Path) -> dict[str, Any]:
    """Write `demo.json`, readable by its owner alone, and return what it holds.

    The password of an earlier run stays, unless the note or the user is gone.
    """
    path = home / "demo.json"
    password = _password(path)
    base = settings.PUBLIC_URL
    content = {
        "base_url": base,
        "docs_url": f"{base}/docs",
        "admin": {"username": ADMIN, "password": password, "url": f"{base}/admin/"},
        "clients": [],
    }
    private_file.write(path, json.dumps(content, indent=2) + "\n")
    return content


def _password(path: Path) -> str:
    noted = json.loads(path.read_text())["admin"]["password"] if path.exists() else secrets.token_urlsafe(12)
    user, is_new = get_user_model().objects.get_or_create(
        username=ADMIN, defaults={"is_staff": True, "is_superuser": True}
    )
    if is_new or not user.check_password(noted):
        user.set_password(noted)
        user.save()
    return str(noted)
