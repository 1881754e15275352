"""Whether the platform works: every part for load balancers and people, and bare liveness for Kubernetes."""

import logging
from collections.abc import Callable
from datetime import datetime

from django.db import Error, connection
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from redis.exceptions import RedisError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry import conf
from registry.api import answers
from registry.api.answers import described
from registry.api.seed_shape import SERVICE
from registry.search import embedders
from registry.search.errors import EmbedderUnavailable
from registry.services import pulse

logger = logging.getLogger(__name__)


class HealthView(APIView):
    """`GET /health`: 200 when every part works, else 503 with the part that does not."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="health", responses=described(answers.Health, also=503))
    def get(self, request: Request) -> Response:
        """Ask every part."""
        states = parts()
        healthy = all(state in {"up", "off"} for state in states.values())
        answer = {"status": "healthy" if healthy else "unhealthy", "service": SERVICE, "parts": states}
        return Response(answer, status=200 if healthy else 503)


class LiveView(APIView):
    """`GET /health/live`: the web process answers."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="live", responses=described(answers.Live))
    def get(self, request: Request) -> Response:
        """Answer."""
        return Response({"status": "alive"})


def parts() -> dict[str, str]:
    """Return `up`, `down` or `off` (not configured) for every part, asked now."""
    now = timezone.now()
    return {name: _asked(name, check, now) for name, check in _CHECKS.items()}


def _asked(name: str, check: Callable[[datetime], str], now: datetime) -> str:
    try:
        return check(now)
    except (Error, RedisError, EmbedderUnavailable) as error:
        logger.warning("a part is down", extra={"part": name, "error": str(error)})
        return "down"


def _database(now: datetime) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "up"


def _cache(now: datetime) -> str:
    conf.store().ping()
    return "up"


def _worker(now: datetime) -> str:
    return "up" if pulse.is_alive("worker", now=now) else "down"


def _beat(now: datetime) -> str:
    return "up" if pulse.is_alive("beat", now=now) else "down"


def _embedder(now: datetime) -> str:
    wanted = conf.wanted_embedding()
    embedder = embedders.load(wanted.backend, wanted.model, wanted.options)
    if embedder is None:
        return "off"
    # The length of its vectors: a service is asked for it until it has answered once.
    return "up" if embedder.model_id and embedder.dimensions else "down"


_CHECKS: dict[str, Callable[[datetime], str]] = {
    "database": _database,
    "cache": _cache,
    "worker": _worker,
    "beat": _beat,
    "embedder": _embedder,
}
