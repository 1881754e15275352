"""docker/compose.yaml: what every service must have, and what none may have."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker/compose.yaml").read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PLATFORM = {"migrate", "web", "worker", "beat"}

every_service = pytest.mark.parametrize("name", sorted(SERVICES))
every_platform_service = pytest.mark.parametrize("name", sorted(PLATFORM))


def test_the_parts_are_services_of_their_own():
    assert set(SERVICES) == PLATFORM | {"postgres", "valkey"}


@every_service
def test_a_service_has_no_privileges(name):
    service = SERVICES[name]

    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert {"privileged", "cap_add", "network_mode", "pid"}.isdisjoint(service)


@every_service
def test_a_service_has_limits_and_bounded_logs(name):
    limits = SERVICES[name]["deploy"]["resources"]["limits"]

    assert set(limits) == {"cpus", "memory", "pids"}
    assert set(SERVICES[name]["logging"]["options"]) == {"max-size", "max-file"}


@every_service
def test_a_service_starts_again_unless_it_is_the_migration(name):
    assert SERVICES[name]["restart"] == ("no" if name == "migrate" else "unless-stopped")


@pytest.mark.parametrize("name", ["postgres", "valkey", "worker", "beat"])
def test_a_service_is_checked(name):
    assert {"test", "interval", "timeout", "retries", "start_period"} == set(SERVICES[name]["healthcheck"])


def test_web_is_checked_by_its_image_and_a_migration_not_at_all():
    assert "healthcheck" not in SERVICES["web"]
    assert SERVICES["migrate"]["healthcheck"] == {"disable": True}


@every_service
def test_an_image_has_a_tag(name):
    assert ":" in SERVICES[name]["image"]


def test_the_platform_image_has_the_version_of_the_project():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert {SERVICES[name]["image"] for name in PLATFORM} == {f"toolroster:{version}"}


def test_only_web_is_published_and_on_the_loopback_address():
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert published == {"web": ["127.0.0.1:${PORT:-8006}:8006"]}


def test_database_and_cache_have_no_way_out():
    assert COMPOSE["networks"]["data"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == SERVICES["valkey"]["networks"] == ["data"]


def test_database_and_cache_keep_their_data_and_run_as_their_own_users():
    assert SERVICES["postgres"]["volumes"] == ["postgres:/var/lib/postgresql"]
    assert SERVICES["valkey"]["volumes"] == ["valkey:/data"]
    assert set(COMPOSE["volumes"]) == {"postgres", "valkey"}
    assert (SERVICES["postgres"]["user"], SERVICES["valkey"]["user"]) == ("postgres", "valkey")


@every_platform_service
def test_secrets_come_from_the_file_or_are_demanded(name):
    assert SERVICES[name]["env_file"] == [".env"]
    assert SERVICES[name]["environment"] == {
        "DATABASE_URL": "${DATABASE_URL:-postgresql://toolroster:"
        "${POSTGRES_PASSWORD:?fill in docker/.env}@postgres:5432/toolroster}",
        "REDIS_URL": "${REDIS_URL:-redis://:${VALKEY_PASSWORD:?fill in docker/.env}@valkey:6379/0}",
    }


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_nothing_starts_before_the_schema_is_there(name):
    conditions = {other: entry["condition"] for other, entry in SERVICES[name]["depends_on"].items()}

    assert conditions == {
        "migrate": "service_completed_successfully",
        "postgres": "service_healthy",
        "valkey": "service_healthy",
    }


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_a_background_process_is_asked_by_the_name_that_it_runs_under(name):
    command, check = SERVICES[name]["command"], SERVICES[name]["healthcheck"]["test"]

    assert command[:3] == ["celery", "--app=config.celery", name]
    assert f"--hostname={name}@%h" in command
    assert f"--destination={name}@$$HOSTNAME" in check[1]
