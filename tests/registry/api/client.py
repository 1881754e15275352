"""Calls of the REST interface in tests, and what every problem must look like."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from oauth.models import Application
from registry.models import (
    Provider,
    ProviderOwner,
    Tool,
    ToolEvent,
    ToolInstance,
    ToolPresentation,
    ToolRegistration,
)
from registry.search import words
from registry.services import leases
from tests import factories

CAMEL = "application/vnd.toolroster.camel+json"
MEMBERS = {
    "type",
    "title",
    "status",
    "code",
    "detail",
    "errors",
    "retryable",
    "retry_after_seconds",
    "nearest",
}

Answer = Any
"""A HttpResponse of Django's test client, which adds `json()`."""


def get_json(path: str, **extra: Any) -> Answer:
    """Send a GET as an agent does; `extra` holds query parameters as `query`, and headers."""
    query = extra.pop("query", None)
    return Client().get(path, query, **extra)


def post_json(path: str, value: Any, **extra: Any) -> Answer:
    """Send a value as JSON."""
    return post_bytes(path, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), **extra)


def post_bytes(path: str, body: bytes, content_type: str = "application/json", **extra: Any) -> Answer:
    """Send bytes as they are."""
    return Client(raise_request_exception=False).post(path, body, content_type=content_type, **extra)


def document(name: str = "send_email", **fields: Any) -> dict[str, Any]:
    """Return a registration document; its provider is `mail-team` unless said."""
    return {"provider": "mail-team", "name": name, "description": "Send an email.", **fields}


def register(name: str = "send_email", **fields: Any) -> dict[str, Any]:
    """Register one document and return its result."""
    answer = post_json("/api/tools/register", document(name, **fields))
    assert answer.status_code == 200, answer.content
    return answer.json()["results"][0]


def register_all(documents: list[dict[str, Any]], **form: Any) -> list[dict[str, Any]]:
    """Register documents at once, in the provider form when `form` names an instance."""
    answer = post_json("/api/tools/register", {"tools": documents, **form} if form else documents)
    assert answer.status_code == 200, answer.content
    results: list[dict[str, Any]] = answer.json()["results"]
    assert all(result["outcome"] == "created" for result in results), results
    return results


def beat(*tool_ids: str, instance: str = "mail-1", **extra: Any) -> Answer:
    """Send a beat of an instance."""
    return post_json("/api/tools/heartbeat", {"tool_ids": tool_ids, "provider_instance": instance}, **extra)


def make_token(
    *, scopes: str = "", seconds: int = 3600, roles: Sequence[str] = ()
) -> tuple[Application, str]:
    """Return a new OAuth client and an access token of it."""
    application = factories.make_application("weather-client", roles=list(roles))
    return application, factories.make_token(scopes, application=application, seconds=seconds)


def is_problem(answer: Answer, status: int, code: str | None = None) -> dict[str, Any]:
    """Assert that an answer is a complete problem of this status, and return it."""
    assert answer.status_code == status, (answer.status_code, answer.content[:500])
    assert answer["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(answer.content)
    assert well_formed(problem), problem
    assert problem["status"] == status
    if code is not None:
        assert problem["code"] == code, problem
    return problem


def well_formed(problem: dict[str, Any]) -> bool:
    """Tell whether a problem has every member of CONTRACTS, each of its type."""
    return (
        problem.keys() >= MEMBERS
        and problem["type"] == f"urn:toolroster:problem:{problem['code']}"
        and all(isinstance(problem[name], str) and problem[name] for name in ("title", "code", "detail"))
        and isinstance(problem["retryable"], bool)
        and isinstance(problem["retry_after_seconds"], int | None)
        and all(isinstance(name, str) for name in problem["nearest"])
        and all(set(fault) == {"pointer", "code", "detail"} for fault in problem["errors"])
        and all(_is_pointer(fault["pointer"]) and fault["detail"] for fault in problem["errors"])
    )


def _is_pointer(text: str) -> bool:
    return text == "" or text.startswith("/")


def pointers(problem: dict[str, Any]) -> list[str]:
    """Return where a problem points."""
    return [fault["pointer"] for fault in problem["errors"]]


def queries_of(call: Callable[[], object]) -> list[str]:
    """Return the SQL of a call in a process that has looked at nothing before."""
    leases.recent.forget()
    words.corpus.forget()
    with CaptureQueriesContext(connection) as captured:
        call()
    return [query["sql"] for query in captured.captured_queries]


def everything_stored() -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of the registry, to see that nothing was lost or changed."""
    models = (Provider, ProviderOwner, Tool, ToolRegistration, ToolPresentation, ToolInstance, ToolEvent)
    return {model.__name__: list(model.objects.order_by("pk").values_list()) for model in models}
