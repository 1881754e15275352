"""Send a call to the instances of one version: breakers, places, attempts, and what the answers mean."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from toolroster.errors import TimedOut, ToolFailed, ToolrosterError, ToolUnavailable
from toolroster.routing.answering import content_of, is_failure
from toolroster.routing.breaker import Admission, Outcome, Refusal, State
from toolroster.routing.calls import Invocation
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.parts import Parts
from toolroster.routing.policy import slot_of, take
from toolroster.routing.spans import span
from toolroster.routing.stores import Slot
from toolroster.routing.transport import Answer, Lost, NotSent, Request, TooSlow

SLOW_SHARE = 0.8
"""Of its timeout, from which on a call counts as slow."""
MOST_ATTEMPTS = 3
_PAUSE_SECONDS = 0.02


class Unserved(Exception):
    """This version cannot serve now, and another may: nothing was sent, or what was sent can be repeated."""

    def __init__(self, error: ToolrosterError) -> None:
        super().__init__(error.detail)
        self.error = error


@dataclass(slots=True)
class Progress:
    """How far a call has come; what is noted of it in the end."""

    tool_id_asked: str = ""
    tool_id: str = ""
    instance: str = ""
    why: str = ""
    attempts: int = 0
    request_bytes: int = 0
    response_bytes: int = 0
    params: Mapping[str, Any] | None = field(default=None, repr=False)
    schema: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class _Sending:
    """One call on its way to one version."""

    candidate: Candidate
    call: Invocation
    body: bytes
    until: float
    is_whole: bool
    """Whether it has all the time that the policy gives; a caller in a hurry says nothing about the tool."""


class Server:
    """Sends calls to instances; one for each router."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ticks = parts.ticks
        self._running: Counter[str] = Counter()
        self._later: set[asyncio.Task[None]] = set()

    async def serve(
        self,
        candidate: Candidate,
        params: Mapping[str, Any],
        call: Invocation,
        progress: Progress,
        ends: float,
    ) -> Any:
        """Return what an instance answers. `ends` is the tick at which the caller's time is over.

        Raises:
            Unserved: another version may serve.
            ToolrosterError: the answer to the call.
        """
        if not candidate.instances or candidate.transport != "http":
            raise Unserved(
                ToolUnavailable(f"No instance of {candidate.tool_id} is alive.", retry_after_seconds=30)
            )
        until = min(ends, self._ticks() + candidate.policy.timeout_ms / 1000)
        slot = slot_of(candidate, call.call_id, candidate.policy.timeout_ms / 1000)
        await take(slot, self._parts.store)
        try:
            progress.request_bytes = len(body := _body(params))
            sending = _Sending(candidate, call, body, until, is_whole=until < ends)
            return await self._attempts(sending, progress)
        finally:
            self._soon(self._leave(slot))

    async def settle(self) -> None:
        """Wait for what goes on behind answers: breakers are told what became of calls."""
        while self._later:
            await asyncio.gather(*self._later, return_exceptions=True)

    async def _attempts(self, sending: _Sending, progress: Progress) -> Any:
        candidate = sending.candidate
        left = self._least_loaded_of_two(candidate.instances)
        failed: Unserved | None = None
        for attempt in range(MOST_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311 - no secret
            admission = await self._admitted(candidate, left, failed)
            instance = next(one for one in left if _key(candidate, one) == admission.key)
            progress.instance, progress.tool_id = instance.name or instance.url, candidate.tool_id
            progress.attempts += 1
            try:
                return await self._once(sending, instance, admission, progress)
            except Unserved as error:
                failed = error
            left = [one for one in left if one != instance] or left
            if self._ticks() >= sending.until:
                break
        assert failed is not None  # noqa: S101 - the loop runs at least once
        raise failed

    async def _admitted(
        self, candidate: Candidate, instances: Sequence[Instance], failed: Unserved | None
    ) -> Admission:
        told = await self._parts.store.admit([_key(candidate, one) for one in instances], self._parts.rules)
        if isinstance(told, Admission):
            return told
        raise failed or Unserved(_broken(candidate, told))

    async def _once(
        self, sending: _Sending, instance: Instance, admission: Admission, progress: Progress
    ) -> Any:
        """Ask one instance; tell its breaker how that went."""
        began = self._ticks()
        self._running[instance.url] += 1
        error: ToolrosterError | None = None
        is_cancelled = False
        try:
            answer = await self._answer(sending, instance)
            progress.response_bytes = len(answer.body)
            return content_of(answer, tool_id=sending.candidate.tool_id)
        except NotSent as reason:
            error = _silent(sending.candidate, reason)
            raise Unserved(error) from reason
        except ToolrosterError as told:
            error = told
            if is_failure(told) and sending.candidate.is_repeatable:
                raise Unserved(told) from told
            raise
        except asyncio.CancelledError:
            is_cancelled = True
            raise
        finally:
            self._running[instance.url] -= 1
            if not self._running[instance.url]:
                del self._running[instance.url]
            outcome = _outcome(sending, error, self._ticks() - began, is_cancelled=is_cancelled)
            if outcome is not None:
                self._soon(self._told(sending.candidate, instance, admission, outcome))

    async def _answer(self, sending: _Sending, instance: Instance) -> Answer:
        """Send the call.

        Raises:
            NotSent: it did not arrive.
            TimedOut, ToolFailed: it did, and there is no answer.
        """
        candidate = sending.candidate
        headers = await self._headers(sending, instance)
        seconds = max(0.001, sending.until - self._ticks())
        about = {"tool.id": candidate.tool_id, "tool.instance": instance.name}
        with span("toolroster.call", about) as carried:
            request = Request(
                url=instance.url,
                body=sending.body,
                headers={**headers, **carried, "X-Request-Timeout-Ms": str(ceil(seconds * 1000))},
                method=candidate.method,
                timeout_seconds=seconds,
                may_be_private=candidate.may_be_private,
            )
            try:
                return await self._parts.transport.send(request)
            except TooSlow as error:
                milliseconds = round(seconds * 1000)
                raise TimedOut(f"{candidate.tool_id} did not answer within {milliseconds} ms.") from error
            except Lost as error:
                raise ToolFailed(f"{candidate.tool_id}: {error}.") from error

    async def _headers(self, sending: _Sending, instance: Instance) -> dict[str, str]:
        candidate, call = sending.candidate, sending.call
        headers = {
            "Accept": "application/json",
            "X-Request-Id": call.call_id,
            "Idempotency-Key": call.call_id,
        }
        if candidate.scopes and (
            token := await self._parts.tokens.token_for(candidate, instance, call.caller)
        ):
            headers["Authorization"] = f"Bearer {token}"
        return headers

    async def _told(
        self, candidate: Candidate, instance: Instance, admission: Admission, outcome: Outcome
    ) -> None:
        state = await self._parts.store.report(admission, outcome, self._parts.rules)
        if state is not None:
            opened = self._parts.rules.wait_seconds(admission.probe + 1) if state is State.OPEN else 0.0
            self._parts.recorder.note_breaker(candidate.tool_id, instance.name, state, opened)

    async def _leave(self, slot: Slot | None) -> None:
        if slot is not None:
            await self._parts.store.leave(slot)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what the caller need not wait for; the set keeps it from being collected."""
        task = asyncio.get_running_loop().create_task(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    def _least_loaded_of_two(self, instances: Sequence[Instance]) -> list[Instance]:
        """Return instances, the less loaded of two random ones first (Mitzenmacher 2001)."""
        if len(instances) == 1:
            return list(instances)
        order = random.sample(instances, len(instances))
        if self._running[order[1].url] < self._running[order[0].url]:
            order[0], order[1] = order[1], order[0]
        return order


def _body(params: Mapping[str, Any]) -> bytes:
    return json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _key(candidate: Candidate, instance: Instance) -> str:
    return f"{candidate.tool_id}|{instance.url}"


def _outcome(
    sending: _Sending, error: ToolrosterError | None, seconds: float, *, is_cancelled: bool
) -> Outcome | None:
    """Return what a call says about its instance, None for nothing: the caller did not wait for it."""
    is_slow = seconds >= SLOW_SHARE * sending.candidate.policy.timeout_ms / 1000
    is_cut = is_cancelled or (isinstance(error, TimedOut) and not sending.is_whole)
    if is_cut:
        return Outcome.SLOW if is_slow else None
    if isinstance(error, ToolUnavailable) or (error is not None and is_failure(error)):
        return Outcome.FAILED
    return Outcome.SLOW if is_slow else Outcome.OK


def _silent(candidate: Candidate, reason: NotSent) -> ToolUnavailable:
    return ToolUnavailable(f"{candidate.tool_id} does not answer: {reason}.", retry_after_seconds=5)


def _broken(candidate: Candidate, refusal: Refusal) -> ToolUnavailable:
    seconds = ceil(refusal.retry_after_seconds)
    return ToolUnavailable(
        f"{candidate.tool_id} failed too often and is left alone for {seconds} s.",
        retry_after_seconds=seconds,
    )
