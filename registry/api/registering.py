"""Register, beat, deregister: what providers send."""

from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry import conf, tasks
from registry.api import answers, hot, shapes
from registry.api.answers import described
from registry.api.call import Call, HotView, RegistryView
from registry.api.parsing import body_as, body_of
from registry.api.wire import as_http, sent_of
from registry.services import heartbeat, registration
from registry.services.registration import Outcome, Registering
from toolroster.errors import DocumentInvalid, Fault, InsufficientScope


class RegisterView(RegistryView):
    """`POST /api/tools/register`."""

    required_scopes = ("tools:register",)

    @extend_schema(
        operation_id="register",
        request={"application/json": shapes.Registering},
        responses=described(answers.RegisterAnswer),
        description="One document, a list of documents, or `{provider_instance?, instance_endpoint?, tools}` "
        "(at most 500). A single refused document is its own 4xx; a batch is 200 with a result for each.",
    )
    def post(self, request: Request) -> Response:
        """Register what was sent."""
        data = body_of(request)
        documents, form = _read(data)
        by = registering(self.call(request), form)
        outcomes = register_all(documents, by=by)
        if not isinstance(data, list) and form is None and outcomes[0].problem:
            raise outcomes[0].problem
        return Response({"results": [outcome_json(outcome) for outcome in outcomes]})


def registering(call: Call, form: shapes.ProviderForm | None = None) -> Registering:
    """Return who registers under which rules.

    Raises:
        InsufficientScope: only operators override the verdict on a version.
    """
    override = (form.compatibility_override if form else None) or ""
    if override and not call.principal.has("tools:admin"):
        raise InsufficientScope("Only operators override a verdict.", scopes=["tools:admin"])
    return Registering(
        principal=call.principal,
        now=call.now,
        review_required=settings.REVIEW_REQUIRED,
        claims_are_open=settings.NAMESPACE_CLAIMS_OPEN,
        compatibility=conf.compatibility_rules(override),
        provider_instance=form.provider_instance if form else None,
        instance_endpoint=(form.instance_endpoint if form else None) or "",
    )


def register_all(documents: list[Any], *, by: Registering) -> list[Outcome]:
    """Register, and have the worker embed what is new."""
    outcomes = registration.register(documents, by=by)
    changed = [o.registration_id for o in outcomes if o.outcome in {"created", "updated"}]
    if changed:
        tasks.enqueue_on_commit(tasks.embed, changed)
    return outcomes


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON object of an outcome."""
    return {
        "tool_id": outcome.tool_id,
        "outcome": outcome.outcome,
        "changes": outcome.changes,
        "compatibility": outcome.compatibility.as_json() if outcome.compatibility else None,
        "problem": outcome.problem.problem() if outcome.problem else None,
    }


def _read(data: Any) -> tuple[list[Any], shapes.ProviderForm | None]:
    """Tell the three forms apart; None for those without an instance."""
    if isinstance(data, list):
        _check_count(data)
        return data, None
    if isinstance(data, dict) and "tools" in data:
        form = body_as(shapes.ProviderForm, data)
        return form.tools, form
    return [data], None


def _check_count(documents: list[Any]) -> None:
    if not 1 <= len(documents) <= shapes.MOST_DOCUMENTS:
        detail = f"A batch has 1 to {shapes.MOST_DOCUMENTS} documents."
        fault = Fault("", "too_long" if documents else "too_short", detail)
        raise DocumentInvalid(detail, errors=[fault])


class HeartbeatView(HotView):
    """`POST /api/tools/heartbeat`."""

    required_scopes = hot.BEAT_SCOPES

    @extend_schema(
        operation_id="heartbeat",
        request={"application/json": shapes.Heartbeat},
        responses=described(answers.HeartbeatAnswer, also=404),
        description="404 with the same body when every tool is unknown: register again.",
    )
    def post(self, request: Request) -> HttpResponse:
        """Take a beat."""
        return as_http(hot.beat(sent_of(request)))


_END_OUTCOMES = {None: "unknown", False: "unchanged", True: "ended"}


class DeregisterView(RegistryView):
    """`POST /api/tools/deregister`."""

    required_scopes = ("tools:register",)

    @extend_schema(
        operation_id="deregister",
        request={"application/json": shapes.Deregistration},
        responses=described(answers.DeregisterAnswer, also=404),
        description="Ends leases; deletes and retires nothing. 404 with the same body when all are unknown.",
    )
    def post(self, request: Request) -> Response:
        """Give leases back."""
        wanted = body_as(shapes.Deregistration, body_of(request))
        call = self.call(request)
        ended = heartbeat.end(
            tool_ids=wanted.tool_ids,
            provider_instance=wanted.provider_instance,
            principal=call.principal,
            now=call.now,
        )
        results = [
            {"tool_id": sent, "outcome": _END_OUTCOMES[ended.get(heartbeat.canonical_id(sent))]}
            for sent in wanted.tool_ids
        ]
        return Response({"results": results}, status=200 if ended else 404)
