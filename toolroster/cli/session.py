"""Who asks which registry: options, then the environment, then what `toolroster login` noted."""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from toolroster.access import Access, registry_url_of
from toolroster.client import Registry

DEFAULT_URL = "http://localhost:8006"


@dataclass(frozen=True, slots=True)
class Session:
    """The options of the group; "" for what was not given."""

    url: str = ""
    token: str = ""
    is_json: bool = False

    @property
    def registry_url(self) -> str:
        """The registry's address."""
        given = self.url or os.environ.get("TOOLROSTER_URL") or noted().get("url")
        return registry_url_of(given or DEFAULT_URL)

    @property
    def access(self) -> Access:
        """How to show the registry who asks."""
        if self.token:
            return Access(token=self.token)
        environment = Access.of_environment(self.registry_url)
        if environment.client_id or environment.token:
            return environment
        note = noted()
        if note.get("url") != self.registry_url:  # a secret is for the registry that it was noted for
            return Access()
        return Access(note.get("client_id", ""), note.get("client_secret", ""))

    @contextmanager
    def registry(self, *, is_cached: bool = True) -> Iterator[Registry]:
        """Give the registry; without a cache it says how things are now, or that it is away."""
        with Registry(self.registry_url, access=self.access, is_cached=is_cached) as registry:
            yield registry


def note_path() -> Path:
    """Return where `login` notes address and credentials."""
    return Path(os.environ.get("TOOLROSTER_CONFIG") or click.get_app_dir("toolroster")) / "login.json"


def noted() -> dict[str, Any]:
    """Return what was noted; {} if nothing was."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(note_path().read_text("utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def note(content: dict[str, str]) -> Path:
    """Note address and credentials in a file that only its owner can read."""
    path = note_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path
