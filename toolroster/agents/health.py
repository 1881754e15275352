"""Look at the start whether the services of a team work (seeds/000)."""

from collections.abc import Callable
from dataclasses import dataclass

import httpx

from toolroster.errors import Unavailable
from toolroster.messages import Call
from toolroster.wire import Wire

HEALTH_SECONDS = 3.0


@dataclass(frozen=True)
class ServiceHealthChecker:
    """Asks services how they are, and says it with a tick or a cross."""

    say: Callable[[str], None]
    transport: httpx.BaseTransport | None = None

    def begin(self) -> None:
        """Say what comes."""
        self.say("🏥 Checking service health...")

    def check_service(self, url: str, name: str) -> bool:
        """Ask `{url}/health`, or the origin's where the service below a path has none: it answers 2xx."""
        try:
            self._ask(url, name)
        except Unavailable as error:
            self.say(f"❌ {name} is not healthy: {error.detail} ({url})")
            return False
        return self.tell_healthy(name)

    def tell_healthy(self, name: str) -> bool:
        """Say that a service works: one in this process, or one that was asked."""
        self.say(f"✅ {name} is healthy")
        return True

    def _ask(self, url: str, name: str) -> None:
        wire, below = self._wire(name), httpx.URL(f"{url.rstrip('/')}/health")
        origin = below.copy_with(path="/health")
        status = wire.send(Call(below)).status
        if status == httpx.codes.NOT_FOUND and origin != below:
            status = wire.send(Call(origin)).status
        if not httpx.codes.is_success(status):
            raise Unavailable(f"The {name} answers {status}.")

    def _wire(self, name: str) -> Wire:
        return Wire(timeout_seconds=HEALTH_SECONDS, pauses_seconds=(), peer=name, transport=self.transport)
