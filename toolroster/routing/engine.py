"""The router's one entrance: resolve → check → fall back → guard → call → note (seeds/004 ToolRouter)."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from toolroster.errors import (
    ApprovalPending,
    ConcurrencyLimited,
    PermissionMissing,
    RateLimited,
    TimedOut,
    ToolFailed,
    ToolRefused,
    ToolrosterError,
    ToolUnavailable,
    Unavailable,
)
from toolroster.routing import policy
from toolroster.routing.approvals import Approvals
from toolroster.routing.breaker import State
from toolroster.routing.calls import (
    LARGE_BYTES,
    CallOutcome,
    CallRecord,
    Invocation,
    params_hash,
)
from toolroster.routing.candidates import Candidate
from toolroster.routing.catalogue import Found
from toolroster.routing.fallback import Choice, Choosing
from toolroster.routing.params import prepared
from toolroster.routing.parts import Parts
from toolroster.routing.progress import Progress
from toolroster.routing.result import ToolResult
from toolroster.routing.sensitive import redacted
from toolroster.routing.serving import Job, Server, Unserved
from toolroster.routing.telemetry import count, span

LONGEST_SECONDS = 3600.0
_GRACE_SECONDS = 0.25
"""What is sent to a tool ends by itself, with an error that says more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call would do: which version would serve, where, and with which arguments."""

    tool_id: str
    params: Mapping[str, Any] = field(repr=False)
    instances: tuple[str, ...]
    breakers: tuple[State, ...]
    requires_approval: bool
    timeout_ms: int


class Engine:
    """Calls tools for agents; it belongs to one event loop."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._server = Server(parts)
        self._running = 0

    async def invoke(self, call: Invocation) -> ToolResult:
        """Call a tool and return its result.

        Raises:
            ToolNotFound, NoMatchingVersion, ReferenceAmbiguous: `nearest` has what may be meant.
            ArgumentsInvalid: a fault for each one that is wrong; nothing was called.
            PermissionMissing, RateLimited, ConcurrencyLimited, ApprovalPending: what would lift it is said.
            ToolUnavailable: neither the tool nor a fallback can serve; when to retry is said.
            ToolRefused: the tool says what is wrong with the call.
            ToolFailed, TimedOut: it was called; what it did is not known.
        """
        progress, began, at = Progress(), self._parts.ticks(), self._parts.now()
        error: BaseException | None = None
        try:
            with (
                span("toolroster.invoke", {"tool.ref": call.ref, "agent": call.caller.agent}),
                self._inside(),
            ):
                content = await self._invoke(call, progress, began)
        except BaseException as raised:
            error = raised
            if isinstance(raised, ToolrosterError):
                raised.extra["sent"] = progress.sent
            raise
        finally:
            milliseconds = (self._parts.ticks() - began) * 1000
            self._note(call, progress, error, at, milliseconds)
        return ToolResult(
            call_id=call.call_id,
            asked=call.ref,
            tool_id=progress.tool_id,
            content=content,
            why=progress.why,
            attempts=progress.attempts,
            duration_ms=round(milliseconds, 3),
        )

    async def plan(self, call: Invocation) -> Plan:
        """Check a call as `invoke` does, and return what it would do; nothing is called or counted."""
        found = await self._parts.catalogue.find(call.ref, call.caller)
        wanted = found.wanted
        params = prepared(call.params, wanted.input_schema)
        policy.check_access(wanted, call.caller)
        keys = [f"{wanted.tool_id}|{one.url}" for one in wanted.instances]
        return Plan(
            tool_id=wanted.tool_id,
            params=params,
            instances=tuple(one.name or one.url for one in wanted.instances),
            breakers=tuple(await self._parts.store.states(keys)) if keys else (),
            requires_approval=wanted.policy.requires_approval,
            timeout_ms=wanted.policy.timeout_ms,
        )

    async def settle(self) -> None:
        """Wait for what goes on behind answers."""
        await self._server.settle()

    async def _invoke(self, call: Invocation, progress: Progress, began: float) -> Any:
        ends = began + min(call.timeout_seconds or LONGEST_SECONDS, LONGEST_SECONDS)
        try:
            async with asyncio.timeout(ends - began + _GRACE_SECONDS):
                found = await self._parts.catalogue.find(call.ref, call.caller)
                params = await self._checked(found, call, progress)
                return await self._served(found, params, call, progress, ends)
        except TimeoutError as error:
            raise TimedOut("The caller's time is over.") from error

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Be one of those that run at once."""
        if self._running >= self._parts.most_running:
            raise Unavailable("As many calls run as this process takes.", retry_after_seconds=1)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1

    async def _checked(self, found: Found, call: Invocation, progress: Progress) -> dict[str, Any]:
        """Let a call pass that its tool's contract and policy allow."""
        wanted = found.wanted
        progress.tool_id_asked = wanted.tool_id
        if call.size < LARGE_BYTES:
            params = prepared(call.params, wanted.input_schema)
        else:
            params = await asyncio.to_thread(prepared, call.params, wanted.input_schema)
        progress.params, progress.schema = params, wanted.input_schema
        policy.check_access(wanted, call.caller)
        if wanted.policy.requires_approval:
            await self._parts.approvals.check(wanted, params, call)
        await policy.check_rate(wanted, call.caller, self._parts.store)
        return params

    async def _served(
        self, found: Found, params: Mapping[str, Any], call: Invocation, progress: Progress, ends: float
    ) -> Any:
        failures: list[ToolrosterError] = []
        choosing = Choosing(found, call.params, params, call.caller, self._parts.catalogue)
        async for choice in choosing.choices():
            if self._parts.ticks() >= ends:
                break
            try:
                content = await self._tried(choice, call, progress, ends)
            except Unserved as unserved:
                failures.append(unserved.error)
            else:
                progress.why = choice.why
                return content
            if not _may_fall_back(found, progress):
                break
        raise _worst(found, failures)

    async def _tried(self, choice: Choice, call: Invocation, progress: Progress, ends: float) -> Any:
        """Send a call to one version; what refuses a stand-in leaves the next one to try."""
        try:
            if choice.why:
                await self._check_stand_in(choice.candidate, call)
            return await self._serve(choice, call, progress, ends)
        except (ToolRefused, PermissionMissing, ConcurrencyLimited, RateLimited) as error:
            if choice.why:
                raise Unserved(error) from error
            raise

    async def _check_stand_in(self, candidate: Candidate, call: Invocation) -> None:
        """Let a fallback pass that the caller may use as it is, without asking anybody."""
        try:
            policy.check_access(candidate, call.caller)
            await policy.check_rate(candidate, call.caller, self._parts.store)
        except ToolrosterError as error:
            raise Unserved(error) from error
        if candidate.policy.requires_approval:
            raise Unserved(ToolUnavailable(f"{candidate.tool_id} requires approval."))

    async def _serve(self, choice: Choice, call: Invocation, progress: Progress, ends: float) -> Any:
        """Send a call to one version; an approval is used up when it is sent, else given back."""
        candidate = choice.candidate
        if not candidate.policy.requires_approval:
            return await self._server.serve(Job(candidate, choice.params, call, ends), progress)
        claim = _Claim(self._parts.approvals, call)
        try:
            return await self._server.serve(Job(candidate, choice.params, call, ends, claim), progress)
        except BaseException:
            if not progress.sent:
                await asyncio.shield(claim.give_back())
            raise

    def _note(
        self,
        call: Invocation,
        progress: Progress,
        error: BaseException | None,
        at: datetime,
        milliseconds: float,
    ) -> None:
        outcome = outcome_of(error, progress)
        count("toolroster.calls", outcome=outcome.value)
        taken = progress.params
        keeps = self._parts.records_values and taken is not None
        record = CallRecord(
            call_id=call.call_id,
            called_at=at,
            agent=call.caller.agent,
            ref=call.ref,
            outcome=outcome,
            agent_id=call.caller.agent_id,
            user_id=call.caller.user_id,
            session_id=call.session_id,
            tool_id_asked=progress.tool_id_asked,
            tool_id=progress.tool_id,
            instance=progress.instance,
            error_code=code_of(error),
            why=progress.why,
            attempts=progress.attempts,
            duration_ms=milliseconds,
            request_bytes=progress.request_bytes,
            response_bytes=progress.response_bytes,
            params_hash=params_hash(call.params if taken is None else taken, key=self._parts.hash_key),
            params=redacted(taken, progress.schema) if keeps else None,
        )
        self._parts.recorder.record(record)


class _Claim:
    """An approval, used up once however many instances are asked."""

    def __init__(self, approvals: Approvals, call: Invocation) -> None:
        self._approvals = approvals
        self._call = call
        self._is_used = False

    async def __call__(self) -> None:
        if not self._is_used:
            await self._approvals.use(self._call)
            self._is_used = True

    async def give_back(self) -> None:
        """Let it count again."""
        if self._is_used:
            await self._approvals.give_back(self._call)


def _may_fall_back(found: Found, progress: Progress) -> bool:
    """Tell whether another tool may be asked: never twice for what may have been done or was approved."""
    wanted = found.wanted
    return not wanted.policy.requires_approval and (wanted.read_only or not progress.sent)


def outcome_of(error: BaseException | None, progress: Progress) -> CallOutcome:
    """Return how a call ended that this error ended, None for none."""
    if error is None:
        return CallOutcome.OK
    if not isinstance(error, ToolrosterError):
        return CallOutcome.CANCELLED if isinstance(error, asyncio.CancelledError) else CallOutcome.FAILED
    kinds: list[tuple[type[ToolrosterError], CallOutcome]] = [
        (ApprovalPending, CallOutcome.PENDING),
        (TimedOut, CallOutcome.TIMED_OUT),
        (ToolFailed, CallOutcome.FAILED),
        (ToolRefused, CallOutcome.REJECTED),
        (ToolUnavailable, CallOutcome.UNAVAILABLE),
    ]
    default = CallOutcome.REJECTED if progress.sent else CallOutcome.REFUSED
    return next((outcome for kind, outcome in kinds if isinstance(error, kind)), default)


def code_of(error: BaseException | None) -> str:
    """Return the stable code of an error, "" for none."""
    if error is None:
        return ""
    if isinstance(error, ToolrosterError):
        return error.code
    return "cancelled" if isinstance(error, asyncio.CancelledError) else "internal_error"


def _worst(found: Found, failures: list[ToolrosterError]) -> ToolrosterError:
    """Return the error of a call that nothing served: what the tool itself said, if it was called."""
    if not failures:
        return TimedOut("The caller's time is over.")
    first = failures[0]
    if not isinstance(first, ToolUnavailable):
        return first
    waits = [one.retry_after_seconds for one in failures if one.retry_after_seconds]
    tried = f" {len(failures) - 1} fallbacks could not serve either." if len(failures) > 1 else ""
    return ToolUnavailable(
        f"{first.detail}{tried}",
        nearest=[one.tool_id for one in found.others][:5],
        retry_after_seconds=min(waits, default=30),
    )
