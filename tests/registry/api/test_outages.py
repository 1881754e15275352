"""The REST interface while Valkey is down: everything works, only uses are not counted."""

import time
from collections.abc import Iterator

import pytest
from kombu import pools
from redis import Redis

from config.celery import app
from registry import conf
from tests.registry.api.client import beat, document, get_json, post_json

TOOL_ID = "mail-team:send_email:1.0.0"
NOWHERE = "/tmp/toolroster-no-such.sock"


@pytest.fixture
def _valkey_is_down(settings, monkeypatch) -> Iterator[None]:
    """Point every part at a socket where nobody listens: counts, cache and broker."""
    dead = Redis.from_url(f"unix://{NOWHERE}")
    monkeypatch.setattr(conf, "store", lambda: dead)
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": f"unix://{NOWHERE}"}}
    producers = pools.producers[app.connection_for_write(f"redis+socket://{NOWHERE}")]
    monkeypatch.setattr(app.amqp, "_producer_pool", producers)
    yield
    producers.force_close_all()
    dead.close()


@pytest.mark.django_db
@pytest.mark.usefixtures("_valkey_is_down")
def test_registering_beating_listing_and_resolving_work(django_capture_on_commit_callbacks):
    started = time.monotonic()
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        registered = post_json("/api/tools/register", document())

    assert callbacks  # the embedding was asked for, in vain: a pass will do it
    assert time.monotonic() - started < 5  # kombu's own retries took 6 seconds
    assert registered.json()["results"][0]["outcome"] == "created"
    assert beat(TOOL_ID).json()["results"][0]["outcome"] == "renewed"
    assert get_json("/api/tools/available").json()["results"][0]["tool_id"] == TOOL_ID
    assert get_json("/api/tools/resolve?ref=send_email").json()["tool_id"] == TOOL_ID
    assert get_json(f"/api/tools/{TOOL_ID}").status_code == 200
    assert post_json("/api/tools/search", {"query": "send email"}).json()["results"]
    assert post_json("/api/tools/deregister", {"tool_ids": [TOOL_ID]}).status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("_valkey_is_down")
def test_health_names_what_is_down():
    answer = get_json("/health")

    assert answer.status_code == 503
    assert answer.json()["parts"] == {
        "database": "up",
        "cache": "down",
        "worker": "down",
        "beat": "down",
        "embedder": "off",
    }
