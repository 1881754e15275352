"""A memory service over HTTP, as a team's agents use it (seeds/000)."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from toolroster.access import Access
from toolroster.agents.memory import RECENT, CompressedMemory, Remembered
from toolroster.client.answers import error_of
from toolroster.errors import Unavailable
from toolroster.messages import Answer, Call
from toolroster.wire import Wire

SCOPE = "memory:use"
"""What the platform's memory asks for."""
ANSWER_SECONDS = 30.0
"""A model may summarize before the answer comes."""
MOST_BYTES = 16 * 1024 * 1024
MOST_CHARACTERS = 32_000
"""Of one message; the rest of a longer one is not remembered."""
_PEER = "memory service"
WIRE = Wire(timeout_seconds=ANSWER_SECONDS, pauses_seconds=(0.2,), most_bytes=MOST_BYTES, peer=_PEER)


class MemoryServiceClient:
    """A `MemoryClient` whose memory is at `url`: `POST {url}/store_memory` and `…/get_compressed_memory`.

    `access` is who it is there, nobody if not given; its tokens come from the address that it names, or else
    from the origin of `url`. Storing twice is storing once, so that a request without an answer is repeated.
    """

    def __init__(
        self, url: str, access: Access | None = None, *, recent: int = RECENT, wire: Wire = WIRE
    ) -> None:
        self.url = url.rstrip("/")
        parts = urlsplit(self.url)
        self._auth = (access or Access()).auth(f"{parts.scheme}://{parts.netloc}")
        self._recent = recent
        self._wire = wire

    def store_memory(self, agent_id: str, turn_id: int, message: str, session_id: str) -> None:
        """Keep what an agent said; the same turn of an agent again replaces it.

        Raises:
            Unavailable: the service does not answer.
            ToolrosterError: what it says is wrong.
        """
        said = {"turn_id": turn_id, "message": message[:MOST_CHARACTERS]}
        self._ask("store_memory", {"agent_id": agent_id, "session_id": session_id, **said})

    def get_compressed_memory(self, agent_id: str, session_id: str) -> CompressedMemory:
        """Return what an agent said in a session.

        Raises:
            Unavailable: the service does not answer, or what makes no sense.
            ToolrosterError: what it says is wrong.
        """
        asked = {"agent_id": agent_id, "session_id": session_id, "recent": self._recent}
        return _memory(self._ask("get_compressed_memory", asked), session_id)

    def _ask(self, name: str, arguments: dict[str, Any]) -> Any:
        url = httpx.URL(f"{self.url}/{name}")
        answer = self._wire.send(Call(url, json=arguments, auth=self._auth))
        if answer.status >= httpx.codes.BAD_REQUEST:
            raise error_of(answer.status, _problem(answer), host=url.host)
        return answer.document().get("result")


def _problem(answer: Answer) -> Any:
    try:
        return answer.document(media_types=("application/problem+json", "application/json"))
    except Unavailable:  # the status says enough
        return None


def _memory(result: Any, session_id: str) -> CompressedMemory:
    try:
        recent = [
            Remembered(str(one["agent_id"]), int(one["turn_id"]), str(one["message"]), session_id)
            for one in result["recent"]
        ]
        return CompressedMemory(str(result["summary"]), tuple(recent), int(result["total"]))
    except (LookupError, TypeError, ValueError) as error:
        raise Unavailable(f"The {_PEER} answers what makes no sense.") from error
