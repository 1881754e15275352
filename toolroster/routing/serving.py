"""Send a call to the instances of one version: breakers, places, attempts, and what the answers mean."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from toolroster.errors import AddressForbidden, TimedOut, ToolFailed, ToolrosterError, ToolUnavailable
from toolroster.routing.answering import content_of, is_failure
from toolroster.routing.breaker import Admission, Outcome, Refusal, State
from toolroster.routing.calls import LARGE_BYTES, Invocation
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.parts import Parts
from toolroster.routing.policy import slot_of, take
from toolroster.routing.progress import Progress
from toolroster.routing.stores import Slot
from toolroster.routing.telemetry import span
from toolroster.routing.transport import Answer, Lost, NotSent, Request, TooSlow

SLOW_SHARE = 0.8
"""Of its timeout, from which on a call counts as slow."""
MOST_ATTEMPTS = 3
_PAUSE_SECONDS = 0.02
_UNAUTHORIZED = 401


class Unserved(Exception):
    """This version cannot serve now: nothing was sent, or what was sent can be repeated."""

    def __init__(self, error: ToolrosterError) -> None:
        super().__init__(error.detail)
        self.error = error


async def _unclaimed() -> None:
    """Need no approval."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call for one version; `ends` is the tick at which the caller's time is over.

    `claim` is awaited right before something is sent: it uses an approval up.
    """

    candidate: Candidate
    params: Mapping[str, Any] = field(repr=False)
    call: Invocation
    ends: float
    claim: Callable[[], Awaitable[None]] = _unclaimed


@dataclass(frozen=True, slots=True)
class _Sending:
    """A job on its way: its body, and until when it may take."""

    job: Job
    body: bytes
    until: float

    @property
    def candidate(self) -> Candidate:
        return self.job.candidate


@dataclass(slots=True)
class _Attempt:
    """One request to one instance. `is_whole`: it had nearly all the time that the policy gives."""

    instance: Instance
    admission: Admission
    began: float
    is_whole: bool = False
    outcome: Outcome | None = None


class Server:
    """Sends calls to instances; one for each router."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ticks = parts.ticks
        self._running: Counter[str] = Counter()
        self._later: set[asyncio.Task[None]] = set()

    async def serve(self, job: Job, progress: Progress) -> Any:
        """Return what an instance answers.

        Raises:
            Unserved: nothing was sent, or it can be repeated.
            ToolrosterError: the answer to the call.
        """
        candidate = job.candidate
        if not candidate.instances or candidate.transport != "http":
            raise Unserved(
                ToolUnavailable(f"No instance of {candidate.tool_id} is alive.", retry_after_seconds=30)
            )
        seconds = candidate.policy.timeout_ms / 1000
        slot = slot_of(candidate, job.call.call_id, seconds)
        await take(slot, self._parts.store)
        try:
            progress.request_bytes = len(body := _body(job.params))
            until = min(job.ends, self._ticks() + seconds)
            return await self._attempts(_Sending(job, body, until), progress)
        finally:
            if slot is not None:
                self._soon(self._leave(slot))

    async def settle(self) -> None:
        """Wait for what goes on behind answers: breakers are told what became of calls."""
        while self._later:
            await asyncio.gather(*self._later, return_exceptions=True)

    async def _attempts(self, sending: _Sending, progress: Progress) -> Any:
        left = self._least_loaded_of_two(sending.candidate.instances)
        failed: Unserved | None = None
        for attempt in range(MOST_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_PAUSE_SECONDS * attempt * (1 + random.random()))  # noqa: S311 - no secret
            admission = await self._admitted(sending.candidate, left, failed)
            instance = next(one for one in left if _key(sending.candidate, one) == admission.key)
            was_sent = progress.sent
            try:
                return await self._once(sending, instance, admission, progress)
            except Unserved as error:  # what was sent says more than what did not arrive afterwards
                failed = failed if failed and was_sent and isinstance(error.error, ToolUnavailable) else error
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
        """Ask one instance; tell its breaker how that went. What ends before it is sent says nothing."""
        headers = await self._headers(sending.job, instance)
        await sending.job.claim()
        progress.instance, progress.tool_id = instance.name or instance.url, sending.candidate.tool_id
        progress.attempts += 1
        attempt = _Attempt(instance, admission, self._ticks())
        self._running[instance.url] += 1
        try:
            answer = await self._answer(sending, attempt, headers, progress)
            return await self._content(answer, sending, attempt, progress)
        except asyncio.CancelledError:
            attempt.outcome = Outcome.SLOW if self._is_slow(sending, attempt) else None
            raise
        finally:
            self._running[instance.url] -= 1
            if not self._running[instance.url]:
                del self._running[instance.url]
            if attempt.outcome is not None:
                self._soon(self._told(sending.candidate, attempt, attempt.outcome))

    async def _answer(
        self, sending: _Sending, attempt: _Attempt, headers: Mapping[str, str], progress: Progress
    ) -> Answer:
        """Send the call.

        Raises:
            Unserved: it did not arrive, or the tool reads, or does the same twice.
            TimedOut, ToolFailed: there is no answer.
            AddressForbidden: it is not to be called.
        """
        candidate, before = sending.candidate, progress.sent
        seconds = max(0.001, sending.until - self._ticks())
        attempt.is_whole = seconds >= SLOW_SHARE * candidate.policy.timeout_ms / 1000
        with span(
            "toolroster.call", {"tool.id": candidate.tool_id, "tool.instance": attempt.instance.name}
        ) as on:
            request = Request(
                url=attempt.instance.url,
                body=sending.body,
                headers={**headers, **on, "X-Request-Timeout-Ms": str(ceil(seconds * 1000))},
                method=candidate.method,
                timeout_seconds=seconds,
                may_be_private=candidate.may_be_private,
            )
            progress.sent = True
            try:
                return await self._parts.transport.send(request)
            except NotSent as reason:
                progress.sent, attempt.outcome = before, Outcome.FAILED
                raise Unserved(_silent(candidate, reason)) from reason
            except AddressForbidden:
                progress.sent = before
                raise
            except TooSlow as reason:
                attempt.outcome = self._cut(sending, attempt)
                milliseconds = round(seconds * 1000)
                raise _again(
                    candidate, TimedOut(f"{candidate.tool_id} did not answer within {milliseconds} ms.")
                ) from reason
            except Lost as reason:
                attempt.outcome = Outcome.FAILED
                raise _again(candidate, ToolFailed(f"{candidate.tool_id}: {reason}.")) from reason

    async def _content(self, answer: Answer, sending: _Sending, attempt: _Attempt, progress: Progress) -> Any:
        """Return what an answer says; a large one is read in a thread: the loop has others to serve."""
        candidate = sending.candidate
        progress.response_bytes = len(answer.body)
        if answer.status == _UNAUTHORIZED:
            await self._parts.tokens.refused(candidate, attempt.instance, sending.job.call.caller)
        attempt.outcome = Outcome.SLOW if self._is_slow(sending, attempt) else Outcome.OK
        try:
            if len(answer.body) < LARGE_BYTES:
                return content_of(answer, tool_id=candidate.tool_id)
            return await asyncio.to_thread(content_of, answer, tool_id=candidate.tool_id)
        except ToolrosterError as told:
            if not is_failure(told):
                raise
            attempt.outcome = Outcome.FAILED
            raise _again(candidate, told) from told

    def _is_slow(self, sending: _Sending, attempt: _Attempt) -> bool:
        return self._ticks() - attempt.began >= SLOW_SHARE * sending.candidate.policy.timeout_ms / 1000

    def _cut(self, sending: _Sending, attempt: _Attempt) -> Outcome | None:
        """Return what a timeout says about an instance: nothing, where it had but a part of its time."""
        if attempt.is_whole:
            return Outcome.FAILED
        return Outcome.SLOW if self._is_slow(sending, attempt) else None

    async def _headers(self, job: Job, instance: Instance) -> dict[str, str]:
        candidate, call = job.candidate, job.call
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

    async def _told(self, candidate: Candidate, attempt: _Attempt, outcome: Outcome) -> None:
        state = await self._parts.store.report(attempt.admission, outcome, self._parts.rules)
        if state is not None:
            opening = attempt.admission.probe + 1
            opened = self._parts.rules.wait_seconds(opening) if state is State.OPEN else 0.0
            instance = attempt.instance.name or attempt.instance.url
            self._parts.recorder.note_breaker(candidate.tool_id, instance, state, opened)

    async def _leave(self, slot: Slot) -> None:
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


def _again(candidate: Candidate, error: ToolrosterError) -> Unserved | ToolrosterError:
    """Return a failure of the tool, as one that another instance may mend where the call can be repeated."""
    return Unserved(error) if candidate.is_repeatable else error


def _silent(candidate: Candidate, reason: NotSent) -> ToolUnavailable:
    return ToolUnavailable(f"{candidate.tool_id} does not answer: {reason}.", retry_after_seconds=5)


def _broken(candidate: Candidate, refusal: Refusal) -> ToolUnavailable:
    seconds = ceil(refusal.retry_after_seconds)
    return ToolUnavailable(
        f"{candidate.tool_id} failed too often and is left alone for {seconds} s.",
        retry_after_seconds=seconds,
    )
