"""Who uses a tool, who would break, and moving them: for its owners and for operators."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, shapes
from consumers.services import impact, migrating
from oauth import audit
from registry import conf
from registry.api.answers import described
from registry.api.call import GoverningView
from registry.api.parsing import body_as, body_of, check_nothing_sent, query_as
from registry.api.shapes import NoQuery
from registry.models import Tool
from registry.services import governing
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid, Fault, ToolrosterError


class ConsumersView(GoverningView):
    """`GET` and `POST /api/tools/{provider}/{name}/consumers`."""

    @extend_schema(operation_id="consumers", responses=described(answers.Consumers))
    def get(self, request: Request, provider: str, name: str) -> Response:
        """Return the agents of a tool: what they declared, and what they really use."""
        query_as(NoQuery, request)
        _, tool = self.governed(request, provider, name)
        return Response({"results": [one.as_json() for one in impact.consumers(tool)]})

    @extend_schema(
        operation_id="would_break",
        request={"application/json": shapes.Impact},
        responses=described(answers.AffectedConsumers),
        description="Who would break if this document were published: each version that an agent is on is "
        "compared with it. Nothing is stored.",
    )
    def post(self, request: Request, provider: str, name: str) -> Response:
        """Return what a document would mean for each agent."""
        _, tool = self.governed(request, provider, name)
        asked = body_as(shapes.Impact, body_of(request))
        definition = _document(asked.document, tool)
        found = impact.affected(tool, definition, switches=conf.compatibility_switches(asked.policy))
        broken = sum(one.would_break for one in found)
        return Response({"would_break": broken, "results": [one.as_json() for one in found]})


def _document(sent: object, tool: Tool) -> ToolDefinition:
    try:
        definition = ToolDefinition.parse(sent)
    except ToolrosterError as error:
        raise error.pointing(
            lambda fault: Fault(f"/document{fault.pointer}", fault.code, fault.detail)
        ) from None
    if (definition.provider, definition.name) != (tool.provider.name, tool.name):
        fault = Fault("/document/name", "another_tool", f"It is no document of {tool}.")
        raise DocumentInvalid(fault.detail, errors=[fault])
    return definition


class MigrationsView(GoverningView):
    """`POST /api/tools/{provider}/{name}/migrations`."""

    @extend_schema(
        operation_id="migrate",
        request={"application/json": shapes.Migration},
        responses=described(answers.Migration),
        description="Deprecates the old version and moves the agents that are bound to it and whose range "
        "allows the new one; 409 `incompatible_version` names each break. `dry_run` changes nothing.",
    )
    def post(self, request: Request, provider: str, name: str) -> Response:
        """Migrate agents."""
        call, tool = self.governed(request, provider, name)
        sent = body_as(shapes.Migration, body_of(request))
        asked = migrating.Asked(
            governing.version(tool, sent.old),
            governing.version(tool, sent.new),
            agents=frozenset(sent.agents),
            percent=sent.percent,
            accept_review=sent.accept_review,
            switches=conf.compatibility_switches(),
        )
        if sent.dry_run:
            return Response(migrating.plan(asked).as_json())
        by = audit.principal(call.principal)
        return Response(migrating.migrate(asked, now=call.now, by=by).as_json())


class RollbackView(GoverningView):
    """`POST /api/tools/{provider}/{name}/migrations/{id}/rollback`."""

    @extend_schema(operation_id="roll_back", request=None, responses=described(answers.RolledBack))
    def post(self, request: Request, provider: str, name: str, migration: int) -> Response:
        """Take a migration back; a second time changes nothing."""
        check_nothing_sent(request)
        call, tool = self.governed(request, provider, name)
        by = audit.principal(call.principal)
        rows = migrating.roll_back(migration, of=tool, now=call.now, by=by)
        agents = [{"client_id": row.application.client_id, "name": row.application.name} for row in rows]
        return Response({"id": migration, "moved": len(rows), "agents": agents})
