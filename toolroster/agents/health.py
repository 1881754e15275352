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
        """Ask `{url}/health`; any answer below 500 is a sign of life: not every service has the address."""
        try:
            self._wire(name).send(Call(httpx.URL(f"{url.rstrip('/')}/health")))
        except Unavailable as error:
            self.say(f"❌ {name} is not healthy: {error.detail} ({url})")
            return False
        return self.tell_healthy(name)

    def tell_healthy(self, name: str) -> bool:
        """Say that a service works: one in this process, or one that was asked."""
        self.say(f"✅ {name} is healthy")
        return True

    def _wire(self, name: str) -> Wire:
        return Wire(timeout_seconds=HEALTH_SECONDS, pauses_seconds=(), peer=name, transport=self.transport)
