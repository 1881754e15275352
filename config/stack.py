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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from django.core.exceptions import ImproperlyConfigured
from honcho.manager import Manager

from config import env, private_file, web
from config.embedded import keeper, lock
from toolroster.errors import ToolrosterError, Unavailable

_DEMO_PORTS = {"seed_000": 8002, "seed_004": 8003}
_DEMO_TOOLS = ("default/calculator", "mail-team/send_email")
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
    with keeper.kept(environment.toolroster_home), _alone(environment.toolroster_home):
        code = _prepare_and_supervise(environment)
        _say("stopping PostgreSQL and Valkey")
    return code


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Refuse a second platform in one home: its workers and demo services would take the first one's place.

    Raises:
        Unavailable: one runs already.
    """
    claim = lock.try_claim(home / "stack.lock")
    if claim is None:
        raise Unavailable(f"Toolroster runs already in {home}. Stop it, or set TOOLROSTER_HOME for another.")
    try:
        yield
    finally:
        os.close(claim)


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
    note = str(environment.toolroster_home / "demo.json")
    for seed, port in _DEMO_PORTS.items():
        registry = f"http://127.0.0.1:{environment.port}"
        demo = [python, "-m", "demo", seed, "--registry", registry, "--port", str(port), "--note", note]
        yield seed, [python, "-m", "config.keep", "--once", *demo]


def worker_command(home: Path) -> list[str]:
    """Return the command of one worker with beat: enough for one machine, never two of them."""
    schedule = ["--beat", "--schedule", str(home / "beat-schedule")]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    celery = [sys.executable, "-m", "celery", "--quiet", "--app", "config.celery", "worker"]
    # Threads share one embedding model and end in peace; three, so that a sweep never waits for embeddings.
    return [*celery, "--pool", "threads", "--concurrency", "3", *schedule, *quiet]


def _announce(environment: env.Environment) -> None:
    """Print addresses and credentials once every part works and the demo tools have registered."""
    base = f"http://127.0.0.1:{environment.port}"
    awaited = [f"{base}/health"]
    if environment.discovery_anonymous != "none":  # else nobody can look without a token
        awaited += [f"{base}/api/tools/resolve?ref={tool}" for tool in _DEMO_TOOLS]
    missing = _missing_of(awaited)
    if missing:
        _say(f"not everything runs after {_PATIENCE_SECONDS} seconds: see {missing[0]}")
    else:
        note = json.loads((environment.toolroster_home / "demo.json").read_text())
        _say(_banner(note, environment.toolroster_home))


def _missing_of(addresses: list[str]) -> list[str]:
    """Wait until every address answers with success; return those that did not in time."""
    waiting = list(addresses)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while waiting and time.monotonic() < deadline:
        if _succeeds(waiting[0]):
            waiting.pop(0)
        else:
            time.sleep(0.5)
    return waiting


def _succeeds(address: str) -> bool:
    try:
        return httpx.get(address, timeout=2).is_success
    except httpx.HTTPError:
        return False


def _banner(note: dict[str, Any], home: Path) -> str:
    base = note["base_url"]
    password = note["admin"]["password"] or "the password you set"
    return f"""Toolroster is running. Ctrl-C stops it.

  catalogue   {base}/
  API docs    {note["docs_url"]}
  admin       {note["admin"]["url"]}   {note["admin"]["username"]} / {password}
  tokens      {note["token_url"]}   clients, secrets and a curl line for each are in
  for scripts {home / "demo.json"}

  try         curl '{base}/api/tools/resolve?ref=send_email@^1.0.0'
"""


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
