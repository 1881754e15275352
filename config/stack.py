"""`make run`: the whole platform on one machine, under one supervisor.

Starts the embedded servers, brings the schema up to date, loads the demo catalogue, then supervises web,
worker with beat, and the demo tool services until Ctrl-C or SIGTERM. Stops in the reverse order; all that
was taken in is in PostgreSQL and Valkey, and the next start goes on from there.
"""

import json
import os
import secrets
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from django.core.exceptions import ImproperlyConfigured
from honcho.manager import Manager

from config import env, private_file, web
from config.embedded import keeper
from toolroster.errors import ToolrosterError

_DEMO_PORTS = {"seed_000": 8002, "seed_004": 8003}
_PATIENCE_SECONDS = 120


def main() -> int:
    """Run until a signal; return the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    try:
        environment = env.load()
        web.ensure_port_free("127.0.0.1", environment.port)
        return _run(environment)
    except (ToolrosterError, ImproperlyConfigured) as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


def _run(environment: env.Environment) -> int:
    if environment.database_url and environment.redis_url:
        return _prepare_and_supervise(environment)
    _say("starting PostgreSQL and Valkey")
    with keeper.kept(environment.toolroster_home):
        code = _prepare_and_supervise(environment)
        _say("stopping PostgreSQL and Valkey")
    return code


def _prepare_and_supervise(environment: env.Environment) -> int:
    ensure_secret_key(environment.toolroster_home)
    _manage("migrate", "--verbosity", "0")
    _manage("load_demo", "--verbosity", "0")
    return _supervise(environment)


def ensure_secret_key(home: Path) -> None:
    """Write the key that signs sessions, once; every process of this home reads it."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home / "secret_key"
    if not path.exists():
        private_file.write(path, secrets.token_urlsafe(50))


def _manage(*arguments: str) -> None:
    try:
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=env.CHECKOUT, check=True)  # noqa: S603
    except subprocess.CalledProcessError as error:
        raise ImproperlyConfigured(f"`manage.py {arguments[0]}` failed; its output is above.") from error


def _supervise(environment: env.Environment) -> int:
    manager = Manager()
    for name, command in _commands(environment):
        manager.add_process(name, shlex.join(command), cwd=str(env.CHECKOUT), env=_environment())
    threading.Thread(target=_announce, args=(environment,), daemon=True).start()
    manager.loop()
    return 0 if manager.returncode in {130, 143} else int(manager.returncode or 0)


def _environment() -> dict[str, str]:
    # The serializer is JSON, so root is no more dangerous for Celery than for the other parts.
    quiet = "ignore:You're running the worker with superuser privileges"
    return {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": quiet}


def _commands(environment: env.Environment) -> Iterator[tuple[str, list[str]]]:
    python = sys.executable
    yield "web", web.command(environment.port, environment.web_threads)
    yield "worker", [python, "-m", "config.keep", *worker_command(environment.toolroster_home)]
    for seed, port in _DEMO_PORTS.items():
        registry = f"http://127.0.0.1:{environment.port}"
        demo = [python, "-m", "demo", seed, "--registry", registry, "--port", str(port)]
        yield seed, [python, "-m", "config.keep", "--once", *demo]


def worker_command(home: Path) -> list[str]:
    """Return the command of one worker with beat: enough for one machine, never two of them."""
    schedule = ["--beat", "--schedule", str(home / "beat-schedule")]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    celery = [sys.executable, "-m", "celery", "--quiet", "--app", "config.celery", "worker"]
    # Threads share one embedding model and end in peace; three, so that a sweep never waits for embeddings.
    return [*celery, "--pool", "threads", "--concurrency", "3", *schedule, *quiet]


def _announce(environment: env.Environment) -> None:
    """Print addresses and credentials once every part works."""
    health = f"http://127.0.0.1:{environment.port}/health"
    if _waited_for(health):
        note = json.loads((environment.toolroster_home / "demo.json").read_text())
        _say(_banner(note, environment.toolroster_home))
    else:
        _say(f"the platform is not healthy after {_PATIENCE_SECONDS} seconds: see {health}")


def _waited_for(address: str) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(address, timeout=2).is_success:
                return True
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    return False


def _banner(note: dict[str, Any], home: Path) -> str:
    base = note["base_url"]
    return f"""Toolroster is running. Ctrl-C stops it.

  catalogue   {base}/
  API docs    {note["docs_url"]}
  admin       {note["admin"]["url"]}   {note["admin"]["username"]} / {note["admin"]["password"]}
  for scripts {home / "demo.json"}

  try         curl '{base}/api/tools/resolve?ref=send_email@^1.0.0'
"""


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
