"""Health for load balancers and people."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.utils import timezone

from registry.services import pulse
from tests.registry.api.client import get_json

pytestmark = pytest.mark.django_db
PARTS = {"database", "cache", "worker", "beat", "embedder"}


@pytest.fixture
def _pulses() -> Iterator[None]:
    """Let worker and beat be alive; the cache outlives a test."""
    for part in ("worker", "beat"):
        pulse.note(part, now=timezone.now())
    yield
    cache.delete_many(["tr:pulse:worker", "tr:pulse:beat"])


@pytest.mark.usefixtures("_pulses")
def test_health_is_200_when_every_part_works():
    answer = get_json("/health")

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer.json() == {
        "status": "healthy",
        "service": "Tool Discovery Server (MCP)",
        "parts": dict.fromkeys(PARTS, "up") | {"embedder": "off"},
    }


@pytest.mark.usefixtures("_pulses")
@pytest.mark.parametrize("part", ["worker", "beat"])
def test_health_is_503_and_names_the_part_without_a_pulse(part):
    cache.delete(f"tr:pulse:{part}")

    answer = get_json("/health")

    assert answer.status_code == 503
    assert answer.json()["status"] == "unhealthy"
    assert [name for name, state in answer.json()["parts"].items() if state == "down"] == [part]


@pytest.mark.usefixtures("_pulses")
def test_health_is_503_when_the_embedding_service_cannot_be_had(settings):
    settings.EMBEDDING_BACKEND, settings.EMBEDDING_BASE_URL = "openai", "http://127.0.0.1:9"

    answer = get_json("/health")

    assert answer.status_code == 503
    assert answer.json()["parts"]["embedder"] == "down"


def test_liveness_asks_no_part(django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = get_json("/health/live")

    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


@pytest.mark.usefixtures("_pulses")
def test_a_bad_token_does_not_make_the_platform_unhealthy():
    assert get_json("/health", headers={"authorization": "Bearer x"}).status_code == 200
