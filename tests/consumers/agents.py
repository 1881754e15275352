"""Agents, owners and calls for the tests of consumers."""

from dataclasses import dataclass
from typing import Any

from django.test import Client

from oauth.models import Application
from registry.models import Provider, ProviderOwner
from tests.factories import NOW, make_application, make_document, make_token
from tests.registry.api.client import Answer, post_json

TO = {"name": "to", "type": "string", "required": True}
CC = {"name": "cc", "type": "string"}


@dataclass(frozen=True)
class Caller:
    """An OAuth client with a token of it."""

    application: Application
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def get(self, path: str, **query: Any) -> Answer:
        return Client().get(path, query, headers=self.headers)

    def post(self, path: str, body: Any) -> Answer:
        return post_json(path, body, headers=self.headers)

    def publish(self, version: str, *parameters: Any, **fields: Any) -> None:
        """Publish a version of `send_email` in its namespace."""
        document = make_document(version=version, parameters=list(parameters), **fields)
        answer = self.post("/api/tools/register", document)
        assert answer.status_code == 200, answer.content

    def declare(self, *refs: str) -> Answer:
        return Client(raise_request_exception=False).put(
            "/api/agents/me/bindings", {"refs": refs}, content_type="application/json", headers=self.headers
        )

    def bound(self) -> dict[str, str]:
        """Return the versions that it is bound to by the references that it declared."""
        rows = self.get("/api/agents/me/bindings").json()["results"]
        return {row["ref"]: row["bound"].rpartition(":")[2] for row in rows}

    def inbox(self, **query: Any) -> list[tuple[str, str]]:
        """Return kinds and tool ids of the events in its inbox."""
        rows = self.get("/api/agents/me/events", **query).json()["results"]
        return [(row["kind"].removeprefix("tool:"), row["tool_id"].rpartition(":")[2]) for row in rows]


def caller(name: str, scope: str = "") -> Caller:
    application = make_application(name)
    return Caller(application, make_token(scope, application=application))


def owner(name: str = "owner", provider: str = "mail-team") -> Caller:
    found = caller(name, "tools:register")
    row, _ = Provider.objects.get_or_create(name=provider, defaults={"created_at": NOW})
    ProviderOwner.objects.create(provider=row, application=found.application, since=NOW)
    return found


def team_with_agents() -> Caller:
    """Return a team with three versions, the last one a break, and two agents on the first one."""
    found = owner()
    found.publish("1.0.0", TO, CC)
    caller("agent").declare("send_email@^1")
    caller("pinned").declare("send_email@1.0.0")
    found.publish("1.1.0", TO, CC)
    found.publish("2.0.0", TO)
    return found
