"""seeds/000's own paths: `GET /`, `/tools/{name}`, `/tools/register`, `/stats`, in its own shapes."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import answers, hot, shapes
from registry.api.answers import described
from registry.api.call import Call, HotView, RegistryView
from registry.api.parsing import body_as, body_of
from registry.api.registering import register_all, registering
from registry.api.seed_shape import seed_tools
from registry.api.wire import as_http, sent_of
from registry.models import ProviderOwner
from registry.services import statistics, suggestions
from toolroster.errors import Fault, ToolNotFound
from toolroster.schema_walk import pointer

DEFAULT_PROVIDER = "default"


class DiscoveryView(HotView):
    """`GET /` for agents; a browser gets the page, see `config.urls`."""

    @extend_schema(operation_id="discover", responses=described(answers.Discovery))
    def get(self, request: Request) -> HttpResponse:
        """Return what the caller can use."""
        return as_http(hot.discover(sent_of(request)))


class SeedToolView(RegistryView):
    """`GET /tools/{name}`."""

    @extend_schema(operation_id="seed_tool", responses=described(answers.SeedToolAnswer))
    def get(self, request: Request, name: str) -> Response:
        """Return one tool of the flat list."""
        call = self.call(request)
        tool = seed_tools(call)[0].get(name)
        if tool is None:
            nearest = suggestions.names_like(name, call.principal)
            raise ToolNotFound(f"There is no tool {name}.", nearest=nearest)
        return Response(tool)


class SeedRegisterView(RegistryView):
    """`POST /tools/register`."""

    required_scopes = ("tools:register",)

    @extend_schema(
        operation_id="seed_register",
        request={"application/json": shapes.SeedTool},
        responses=described(answers.SeedRegistered),
    )
    def post(self, request: Request) -> Response:
        """Register a tool of seeds/000's shape."""
        sent = body_as(shapes.SeedTool, body_of(request))
        call = self.call(request)
        outcome = register_all([_document(sent, call)], by=registering(call))[0]
        if outcome.problem is not None:
            raise outcome.problem.pointing(lambda fault: _as_sent(fault, sent))
        return Response(
            {
                "message": f"Tool '{sent.name}' registered",
                "tool_id": outcome.tool_id,
                "outcome": outcome.outcome,
                "changes": outcome.changes,
            }
        )


def _document(sent: shapes.SeedTool, call: Call) -> dict[str, Any]:
    return {
        "provider": sent.provider or _namespace(call),
        "name": sent.name,
        "version": sent.version,
        "description": sent.description,
        "returns": sent.returns,
        "scopes": sent.scopes,
        "parameters": [{**schema, "name": name} for name, schema in sent.parameters.items()],
        "endpoint": {"url": f"http://{sent.host}:{sent.port}{sent.endpoint}"},
    }


def _namespace(call: Call) -> str:
    """Return the token's only namespace, else `default`."""
    if call.principal.application_id is None:
        return DEFAULT_PROVIDER
    owned = ProviderOwner.objects.filter(application_id=call.principal.application_id)
    names = list(owned.values_list("provider__name", flat=True)[:2])
    return names[0] if len(names) == 1 else DEFAULT_PROVIDER


def _as_sent(fault: Fault, sent: shapes.SeedTool) -> Fault:
    """Point into seeds/000's shape: a map of parameters by their names, and a path as endpoint."""
    match fault.pointer.split("/")[1:]:
        case ["parameters", index, *rest]:
            where = pointer(("parameters", list(sent.parameters)[int(index)]))
        case ["input_schema", "properties", *rest]:
            where = "/parameters"
        case ["endpoint", *_]:
            where, rest = "/endpoint", []
        case _:
            return fault
    return Fault("/".join([where, *rest]), fault.code, fault.detail)


class SeedStatsView(RegistryView):
    """`GET /stats`."""

    @extend_schema(operation_id="seed_stats", responses=described(answers.SeedStats))
    def get(self, request: Request) -> Response:
        """Return seeds/000's four keys, and ours beside them."""
        call = self.call(request)
        seed = statistics.seed_inventory(principal=call.principal, cutoff=call.seen.cutoff)
        ours = statistics.inventory(principal=call.principal)
        return Response(seed | {"registrations": ours.registrations, "providers": ours.providers})
