"""Production denies by default and says what is missing; development works without any variable."""

import os
import subprocess
import sys

import pytest

from config.env import CHECKOUT

COMPLETE = {
    "SECRET_KEY": "0123456789abcdef" * 4,
    "ALLOWED_HOSTS": "tools.example",
    "DATABASE_URL": "postgresql://u:p@db/tools",
    "REDIS_URL": "redis://cache/0",
    "PUBLIC_URL": "https://tools.example",
    "DISCOVERY_ANONYMOUS": "none",
}


def evaluate(expression: str, module: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in COMPLETE}
    environment = kept | variables | {"DJANGO_SETTINGS_MODULE": f"config.settings.{module}"}
    code = f"import django; django.setup(); from django.conf import settings; print({expression})"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_names_every_variable_that_is_missing():
    ran = evaluate("1", "production", {"PUBLIC_URL": "https://tools.example"})

    assert ran.returncode != 0
    missing = "SECRET_KEY, ALLOWED_HOSTS, DATABASE_URL, REDIS_URL, DISCOVERY_ANONYMOUS"
    assert f"Set these environment variables for production: {missing}" in ran.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("SECRET_KEY", "short"), ("SECRET_KEY", "k" * 60), ("PUBLIC_URL", "http://tools.example")],
)
def test_production_does_not_start_with_a_weak_choice(name: str, value: str):
    ran = evaluate("1", "production", COMPLETE | {name: value})

    assert ran.returncode != 0
    assert f"{name}: expected" in ran.stderr


def test_production_shows_and_permits_nothing_without_a_token():
    ran = evaluate(
        "settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES, settings.DEBUG", "production", COMPLETE
    )

    assert ran.stdout.strip() == "none () False", ran.stderr


def test_production_passes_djangos_deployment_check():
    environment = os.environ | COMPLETE | {"DJANGO_SETTINGS_MODULE": "config.settings.production"}

    ran = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr


def test_development_discovers_all_without_a_token():
    ran = evaluate("settings.DISCOVERY_ANONYMOUS, settings.PUBLIC_URL", "dev", {})

    assert ran.stdout.strip() == "all http://localhost:8006", ran.stderr


@pytest.mark.parametrize(
    ("discovery", "scopes"), [("all", "('tools:register', 'tools:invoke', 'tools:admin')"), ("none", "()")]
)
def test_development_lets_who_sees_all_without_a_token_write_as_well(discovery: str, scopes: str):
    ran = evaluate("settings.ANONYMOUS_SCOPES", "dev", {"DISCOVERY_ANONYMOUS": discovery})

    assert ran.stdout.strip() == scopes, ran.stderr


def test_production_shows_strangers_what_was_chosen():
    chosen = COMPLETE | {"DISCOVERY_ANONYMOUS": "all"}

    ran = evaluate("settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES", "production", chosen)

    assert ran.stdout.strip() == "all ()", ran.stderr


def test_a_command_says_how_to_start_the_embedded_database(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in COMPLETE}
    environment |= {"TOOLROSTER_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings.dev"}

    ran = subprocess.run(
        [sys.executable, "manage.py", "mark_stale_tools"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert "The embedded PostgreSQL is not running. Start it with `make run`" in ran.stderr
    assert "Traceback" not in ran.stderr
