"""When to register and when to beat: decided here, without any I/O.

    register -> beat -> beat …        while the registry knows the tools
    beat -> unknown -> register       it forgot them, or started anew
    anything -> failed -> again       after a pause that grows; told once, and once when it is over

`Pulse` says what to send next and how long to wait for it; who asks sends it and tells what came back.
"""

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolroster.errors import ToolrosterError, Unavailable
from toolroster.messages import Answer

logger = logging.getLogger("toolroster.provider")

BEAT_SECONDS = 30.0
"""Until the registry says `next_beat_seconds`."""
PAUSES_SECONDS = (1.0, 1.0, 2.0, 4.0, 8.0, 15.0)
"""After a failure, the last one for all further ones. Five in a row pass before a lease of 90 s ends."""
REFUSED_AGAIN_SECONDS = 300.0
"""How soon tools that were refused are registered again: a person may have opened the namespace."""
_LONGEST_PAUSE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Message:
    """What to send to the registry: a path below its address, and a JSON object."""

    path: str
    content: Mapping[str, Any] = field(repr=False)


class Pulse:
    """The tools of one instance at one registry.

    `documents` are asked for at each registration. `spread` gives a number in [0, 1) for jitter.
    """

    def __init__(
        self,
        documents: Callable[[], Sequence[Mapping[str, Any]]],
        *,
        instance: str,
        instance_endpoint: str = "",
        spread: Callable[[], float] = random.random,
    ) -> None:
        self._documents = documents
        self._instance = instance
        self._endpoint = instance_endpoint
        self._spread = spread
        self._is_registered = False
        self._beat_seconds = BEAT_SECONDS
        self._failures = 0
        self._beats_until_again: int | None = None
        self._refused: dict[str, str] = {}
        self._told: set[tuple[str, str]] = set()
        self.tool_ids: list[str] = []

    def next_message(self) -> Message:
        """Return what to send now."""
        return self._beat() if self._is_registered else self._registration()

    def goodbye(self) -> Message | None:
        """Return what gives the leases back, None if there are none."""
        if not self.tool_ids:
            return None
        content = {"tool_ids": self.tool_ids, "provider_instance": self._instance}
        return Message("/api/tools/deregister", content)

    def answered(self, message: Message, answer: Answer) -> float:
        """Take an answer to a message; return how many seconds to wait for the next one."""
        try:
            results = _results(answer)
        except ToolrosterError as error:
            return self.failed(error)
        if self._failures > 1:
            logger.info("the registry answers again")
        self._failures = 0
        if message.path.endswith("register"):
            return self._registered(results)
        return self._beaten(results, answer)

    def failed(self, error: ToolrosterError) -> float:
        """Take the failure to get an answer; return how many seconds to wait for the next attempt."""
        self._failures += 1
        if self._failures == 2:  # one failure alone may be a restart
            logger.warning("the registry cannot be used, trying on: %s", error.detail)
        pause = PAUSES_SECONDS[min(self._failures, len(PAUSES_SECONDS)) - 1] * (0.5 + self._spread())
        return min(max(pause, error.retry_after_seconds or 0), _LONGEST_PAUSE_SECONDS)

    def _registration(self) -> Message:
        content: dict[str, Any] = {"provider_instance": self._instance, "tools": list(self._documents())}
        if self._endpoint:
            content["instance_endpoint"] = self._endpoint
        return Message("/api/tools/register", content)

    def _beat(self) -> Message:
        content = {"tool_ids": self.tool_ids, "provider_instance": self._instance}
        return Message("/api/tools/heartbeat", content)

    def _registered(self, results: Sequence[Mapping[str, Any]]) -> float:
        refused = [one for one in results if one.get("outcome") == "refused"]
        self._refused = {str(one.get("tool_id")): _reasons(one.get("problem")) for one in refused}
        for tool_id, why in self._refused.items():
            self._tell(tool_id, "refused", why)
        self.tool_ids = [str(one["tool_id"]) for one in results if one.get("tool_id")]
        self._is_registered = bool(self.tool_ids)
        self._beats_until_again = round(REFUSED_AGAIN_SECONDS / self._beat_seconds) if refused else None
        logger.info("%s of %s tools are registered", len(results) - len(refused), len(results))
        # The answer to a beat says when the next one is due.
        return 0 if self.tool_ids else REFUSED_AGAIN_SECONDS

    def _beaten(self, results: Sequence[Mapping[str, Any]], answer: Answer) -> float:
        outcomes = {str(one.get("tool_id")): one.get("outcome") for one in results}
        for tool_id in (key for key, outcome in outcomes.items() if outcome == "conflict"):
            self._tell(tool_id, "conflict", self._refused.get(tool_id, "a registration of it was refused"))
        said = answer.document().get("next_beat_seconds")
        if isinstance(said, (int, float)) and 0 < said <= _LONGEST_PAUSE_SECONDS:
            self._beat_seconds = float(said)
        forgotten = {key for key, outcome in outcomes.items() if outcome == "unknown"} - self._refused.keys()
        if forgotten or self._is_due_again():
            self._is_registered = False
            return self._spread()  # many instances notice at once
        return self._beat_seconds * (0.85 + 0.15 * self._spread())

    def _is_due_again(self) -> bool:
        if self._beats_until_again is None:
            return False
        self._beats_until_again -= 1
        return self._beats_until_again <= 0

    def _tell(self, tool_id: str, what: str, why: str) -> None:
        """Log it once for each reason."""
        if (tool_id, f"{what} {why}") not in self._told:
            self._told.add((tool_id, f"{what} {why}"))
            logger.error("%s: %s: %s", tool_id, what, why)


def _results(answer: Answer) -> list[Mapping[str, Any]]:
    """Return the results; a beat that finds nothing known is a 404 with results."""
    if answer.status >= 400 and answer.status != 404:
        raise Unavailable(_problem(answer))
    results = answer.document().get("results")
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise Unavailable(_problem(answer))
    return results


def _problem(answer: Answer) -> str:
    """Return what an error says, or that the answer makes no sense."""
    try:
        detail = answer.document(media_types=("application/problem+json", "application/json")).get("detail")
    except Unavailable as error:
        return error.detail
    return str(detail) if detail else f"The {answer.peer}'s answer ({answer.status}) makes no sense."


def _reasons(problem: Any) -> str:
    return "; ".join(_reason_lines(problem)) or "no reason was given"


def _reason_lines(problem: Any) -> Iterator[str]:
    if not isinstance(problem, dict):
        return
    yield str(problem.get("detail", ""))
    for one in problem.get("errors") or ():
        if isinstance(one, dict):
            yield f"{one.get('pointer', '')}: {one.get('detail', '')}"
