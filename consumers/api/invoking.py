"""Calls through the router: `POST /api/tools/invoke`, and `POST /call/{tool}` for agents of seeds/000."""

import uuid
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.db import connection
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from consumers import conf
from consumers.api import answers, call_shapes
from consumers.api.repeating import once
from consumers.services import calling
from consumers.services.calling import PlatformCaller
from consumers.services.repeating import Key
from oauth import authentication, permissions
from oauth.principal import Principal
from registry.api.answers import described
from registry.api.call import HotView
from registry.api.parsing import body_as
from registry.api.wire import Reply, Sent, as_http, json_body, rendered, renderer_for, sent_of
from toolroster.errors import ApprovalPending, ArgumentsInvalid, DocumentInvalid, Fault, ToolRefused
from toolroster.routing.calls import LARGE_BYTES, Invocation
from toolroster.routing.result import ToolResult

SCOPES = ("tools:invoke",)
_MOST_KEY = 255
_LONGEST_MS = 3_600_000
_HEADERS = [
    OpenApiParameter(
        "Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key is called once."
    ),
    OpenApiParameter(
        "X-Request-Timeout-Ms", int, OpenApiParameter.HEADER, description="What the caller has left."
    ),
]


class InvokeView(HotView):
    """`POST /api/tools/invoke`."""

    @extend_schema(
        operation_id="invoke",
        request={"application/json": call_shapes.Invocation},
        parameters=_HEADERS,
        responses=described(answers.Invoked) | {(202, "application/json"): answers.ApprovalNeeded},
        description="Calls a tool: the version is resolved, arguments are checked, defaults filled in; where "
        "the version cannot serve another one does, and `why` says why. 202: somebody has to approve.",
    )
    def post(self, request: Request) -> HttpResponse:
        """Call a tool."""
        return _blocking(invoke, request)


class CallView(HotView):
    """`POST /call/{tool}`."""

    @extend_schema(
        operation_id="call",
        request={"application/json": call_shapes.Arguments},
        parameters=_HEADERS,
        responses=described(answers.Called),
        description="Calls a tool of the flat list of `GET /` with its arguments as the body, as seeds/000's "
        "tool services are called.",
    )
    def post(self, request: Request, tool: str) -> HttpResponse:
        """Call a tool by its name in the flat list."""
        return _blocking(call, request)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as it was asked for."""

    principal: Principal
    invocation: Invocation
    key: str = ""
    dry_run: bool = False
    request: bytes = field(default=b"", repr=False)
    """What tells a repetition from another call with the same key."""


async def invoke(sent: Sent, request_id: str) -> Reply:
    """`POST /api/tools/invoke`."""
    renderer = renderer_for(sent.accept)
    asked = await _read(sent, request_id, _invocation)
    if asked.dry_run:
        with _pointing_into_params():
            plan = await conf.running().engine.plan(asked.invocation)
        return rendered(_plan(plan), renderer)

    async def answer() -> Reply:
        with _pointing_into_params():
            result = await conf.running().engine.invoke(asked.invocation)
        return rendered(_result(result), renderer)

    return await _told(asked, answer)


async def call(sent: Sent, request_id: str) -> Reply:
    """`POST /call/{tool}`."""
    renderer = renderer_for(sent.accept)
    asked = await _read(sent, request_id, _flat_call)

    async def answer() -> Reply:
        result = await conf.running().engine.invoke(asked.invocation)
        return rendered({"result": result.content}, renderer)

    return await _told(asked, answer)


async def _told(asked: Asked, answer: Callable[[], Coroutine[Any, Any, Reply]]) -> Reply:
    """Return an answer, once for each key; a call that waits for people is 202."""
    try:
        if not asked.key:
            return await answer()
        return await once(Key.of(asked.key, asked.principal), asked.request, answer)
    except ApprovalPending as pending:
        return _pending(pending)


async def _read(sent: Sent, request_id: str, read: Callable[[Sent, Principal, str], Asked]) -> Asked:
    """Return what was asked for by whom; on the event loop where that waits for nothing."""
    principal = authentication.remembered_principal(sent.authorization)
    if principal is None or len(sent.body) > LARGE_BYTES or "__" in sent.path:
        return await conf.threads().run(lambda: _authenticated(sent, request_id, read))
    permissions.require(principal, SCOPES)
    return read(sent, principal, request_id)


def _authenticated(sent: Sent, request_id: str, read: Callable[[Sent, Principal, str], Asked]) -> Asked:
    principal = authentication.principal_of_header(sent.authorization)
    permissions.require(principal, SCOPES)
    return read(sent, principal, request_id)


def _invocation(sent: Sent, principal: Principal, request_id: str) -> Asked:
    body = json_body(sent)
    # Arguments are the tool's: neither their names nor the form of their texts is changed.
    params = body.pop("params", None) if isinstance(body, dict) else None
    form = body_as(call_shapes.Invocation, body)
    invocation = Invocation(
        call_id=str(uuid.uuid4()),
        ref=_ref(form.tool, form.version_constraint),
        params=_arguments(params, "/params"),
        caller=PlatformCaller.of(principal),
        session_id=form.session_id,
        timeout_seconds=_seconds(sent, form.timeout_ms),
        approval_id=form.approval_id,
        size=len(sent.body),
    )
    return Asked(principal, invocation, _key(sent), form.dry_run, sent.body)


def _flat_call(sent: Sent, principal: Principal, request_id: str) -> Asked:
    invocation = Invocation(
        call_id=str(uuid.uuid4()),
        ref=calling.ref_of_flat_name(sent.path.removeprefix("/call/"), principal=principal),
        params=_arguments(json_body(sent), ""),
        caller=PlatformCaller.of(principal),
        timeout_seconds=_seconds(sent, None),
        size=len(sent.body),
    )
    return Asked(principal, invocation, _key(sent), request=sent.path.encode() + b"\n" + sent.body)


@contextmanager
def _pointing_into_params() -> Iterator[None]:
    """Let faults of arguments point into the body as it was sent."""
    try:
        yield
    except (ArgumentsInvalid, ToolRefused) as error:
        raise error.pointing(
            lambda fault: Fault(f"/params{fault.pointer}", fault.code, fault.detail)
        ) from None


def _ref(tool: str, constraint: str | None) -> str:
    if constraint is None:
        return tool
    if "@" in tool or tool.count(":") > 1:
        fault = Fault("/version_constraint", "contradiction", "The tool names a version already.")
        raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
    return f"{tool}@{constraint}"


def _arguments(params: Any, at: str) -> Mapping[str, Any]:
    if params is None or isinstance(params, dict):
        return params or {}
    raise DocumentInvalid(
        f"{at}: Arguments are a JSON object." if at else "Arguments are a JSON object.",
        errors=[Fault(at, "type", "Send an object.")],
    )


def _key(sent: Sent) -> str:
    key = sent.idempotency_key.strip().strip('"')
    if len(key) > _MOST_KEY or not key.isprintable():
        fault = Fault("/Idempotency-Key", "too_long", f"Send at most {_MOST_KEY} printable characters.")
        raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
    return key


def _seconds(sent: Sent, timeout_ms: int | None) -> float | None:
    """Return what the caller has left: the smaller of header and body."""
    text = sent.timeout_ms.strip()
    if text and not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= _LONGEST_MS):
        fault = Fault("/X-Request-Timeout-Ms", "out_of_range", f"Send milliseconds from 1 to {_LONGEST_MS}.")
        raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
    given = [one for one in (timeout_ms, int(text) if text else None) if one is not None]
    return min(given) / 1000 if given else None


def _result(result: ToolResult) -> dict[str, Any]:
    return {
        "call_id": result.call_id,
        "asked": result.asked,
        "tool_id": result.tool_id,
        "why": result.why,
        "attempts": result.attempts,
        "duration_ms": result.duration_ms,
        "result": result.content,
    }


def _plan(plan: Any) -> dict[str, Any]:
    return {
        "dry_run": True,
        "tool_id": plan.tool_id,
        "params": plan.params,
        "instances": [
            {"instance": name, "breaker": state}
            for name, state in zip(plan.instances, plan.breakers, strict=True)
        ],
        "requires_approval": plan.requires_approval,
        "timeout_ms": plan.timeout_ms,
    }


def _pending(pending: ApprovalPending) -> Reply:
    """Return 202, where to look, and when to come back."""
    headers = {
        "Location": f"/api/approvals/{pending.extra['approval_id']}",
        "Retry-After": str(pending.retry_after_seconds),
    }
    body = {"detail": pending.detail, **pending.extra, "retry_after_seconds": pending.retry_after_seconds}
    return rendered(body, renderer_for("application/json"), status=HTTPStatus.ACCEPTED, headers=headers)


def _blocking(operation: Callable[[Sent, str], Coroutine[Any, Any, Reply]], request: Request) -> HttpResponse:
    """Run an operation from a view of Django, whose connection is given back before the tool is called."""
    sent = sent_of(request)
    if not connection.in_atomic_block:  # only tests run views inside a transaction
        connection.close()
    return as_http(conf.blocking(operation(sent, str(uuid.uuid4()))))
