"""The environment is typed, and a wrong value stops the start with its name."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


@pytest.fixture(autouse=True)
def _read_again():
    env.load.cache_clear()
    yield
    env.load.cache_clear()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("LEASE_SECONDS", "0"),
        ("REVIEW_REQUIRED", "perhaps"),
        ("DISCOVERY_ANONYMOUS", "some"),
        ("EMBEDDING_BACKEND", "magic"),
        ("PRESERVATION_SHARE", "1.5"),
        ("LOG_LEVEL", "LOUD"),
        ("LLM_BASE_URL", "localhost:1234"),
        ("LLM_BASE_URL", "http://user:password@host/v1"),
        ("LLM_BASE_URL", "http://localhost:1234/v1"),  # of which model?
        ("LLM_API_KEY", "two words"),
        ("COMPATIBILITY_SWITCHES", "{"),
        ("COMPATIBILITY_SWITCHES", "[]"),
        ("COMPATIBILITY_SWITCHES", '{"no_such_switch": true}'),
        ("COMPATIBILITY_SWITCHES", '{"strict_policy": "yes"}'),
    ],
)
def test_a_wrong_value_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    with pytest.raises(ImproperlyConfigured, match=name):
        env.load()


def test_the_times_of_a_lease_must_be_in_order(monkeypatch):
    monkeypatch.setenv("SUSPECT_SECONDS", "100")

    with pytest.raises(ImproperlyConfigured, match="HEARTBEAT_SECONDS < SUSPECT_SECONDS < LEASE_SECONDS"):
        env.load()


def test_an_empty_variable_is_one_that_is_not_set(monkeypatch):
    monkeypatch.setenv("PORT", "")

    assert env.load().port == 8006


def test_a_relative_home_counts_from_the_checkout(monkeypatch):
    monkeypatch.setenv("TOOLROSTER_HOME", "elsewhere")

    assert env.load().toolroster_home == env.CHECKOUT / "elsewhere"


def test_lists_are_separated_by_commas(monkeypatch):
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, b.example,")

    assert env.load().allowed_hosts == ["a.example", "b.example"]


def test_secrets_are_not_shown(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "very-secret")

    assert "very-secret" not in repr(env.load())


def test_a_database_url_becomes_djangos_settings():
    settings = env.database("postgresql://u:p%40ss@db.example:6543/tools?sslmode=require")

    assert settings == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "tools",
        "USER": "u",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize("url", ["mysql://x/y", "", "postgresql://h/db?nonsense=1"])
def test_other_database_urls_are_refused(url):
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        env.database(url)


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("redis://h:6379/1", "redis://h:6379/1"),
        ("rediss://h:6379/1", "rediss://h:6379/1"),
        ("unix://:p@/run/v.sock?db=2", "redis+socket://:p@/run/v.sock?virtual_host=2"),
    ],
)
def test_the_broker_url_is_spelled_as_kombu_wants(url, broker):
    assert env.celery_broker(url) == broker


def test_other_cache_urls_are_refused():
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL"):
        env.celery_broker("memcached://h")
