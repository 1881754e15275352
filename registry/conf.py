"""The registry's settings as the objects that its services take. Read by interfaces and tasks only."""

from functools import cache

from django.conf import settings
from redis import Redis

from registry.search.embedders import Options
from registry.services.leases import LeasePolicy
from registry.services.spaces import Wanted


def lease_policy() -> LeasePolicy:
    """Return the timing of leases."""
    return LeasePolicy(
        heartbeat_seconds=settings.HEARTBEAT_SECONDS,
        suspect_seconds=settings.SUSPECT_SECONDS,
        lease_seconds=settings.LEASE_SECONDS,
        preservation_share=settings.PRESERVATION_SHARE,
        preservation_providers=settings.PRESERVATION_PROVIDERS,
    )


def wanted_embedding() -> Wanted:
    """Return which embedding model the settings ask for."""
    options = Options(
        base_url=settings.EMBEDDING_BASE_URL,
        api_key=settings.EMBEDDING_API_KEY,
        query_prefix=settings.EMBEDDING_QUERY_PREFIX,
        document_prefix=settings.EMBEDDING_DOCUMENT_PREFIX,
    )
    return Wanted(settings.EMBEDDING_BACKEND, settings.EMBEDDING_MODEL, options)


@cache
def store() -> Redis:
    """Return this process's connection pool to Valkey, with short timeouts: nothing waits for it long."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
