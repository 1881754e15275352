"""The one translator, and request ids."""

import json

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from registry.api import problems
from registry.api.seed import SeedStatsView
from tests.registry.api.client import get_json, is_problem, post_json, well_formed
from toolroster import errors
from toolroster.errors import ToolrosterError

UUID_HEX = 32


def every_error() -> list[type[ToolrosterError]]:
    found, pending = [], [ToolrosterError]
    while pending:
        pending += (kind := pending.pop()).__subclasses__()
        found.append(kind)
    return [kind for kind in found if kind.__module__ == errors.__name__]


def translated(error: Exception, **headers: str):
    request = Request(APIRequestFactory().get("/", headers=headers))
    return problems.translate(error, {"request": request})


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_becomes_a_complete_problem(kind):
    answer = translated(kind("It went wrong."))

    assert well_formed(answer.data)
    assert answer.status_code == answer.data["status"] == kind.status
    assert answer.content_type == "application/problem+json"


def test_codes_are_unique_in_the_tree():
    codes = [kind.code for kind in every_error()]

    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404("secret"), 404, "not_found"),
        (PermissionDenied("secret"), 403, "permission_missing"),
        (SuspiciousOperation("secret"), 400, "malformed"),
        (Throttled(wait=5), 429, "rate_limited"),
    ],
)
def test_the_frameworks_errors_become_complete_problems(error, status, code):
    answer = translated(error)

    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert well_formed(answer.data)
    assert "secret" not in json.dumps(answer.data)


@pytest.mark.parametrize("error", [OperationalError("secret"), InterfaceError("secret")])
def test_a_database_that_does_not_answer_is_503_and_can_be_retried(error, caplog):
    answer = translated(error)

    assert answer.status_code == 503
    assert (answer.data["code"], answer.data["retryable"]) == ("unavailable", True)
    assert answer["Retry-After"] == str(answer.data["retry_after_seconds"])
    assert "secret" not in json.dumps(answer.data)


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (errors.Unauthenticated("No."), ()),
        (errors.TokenInvalid("No."), ('error="invalid_token"', 'error_description="No."')),
        (errors.InsufficientScope("No.", scopes=["a:b"]), ('error="insufficient_scope"', 'scope="a:b"')),
    ],
    ids=lambda value: getattr(value, "code", ""),
)
def test_a_challenge_names_an_error_only_where_a_token_was_sent(error, parts):
    challenge = translated(error)["WWW-Authenticate"]

    assert challenge.startswith('Bearer realm="tools", ')
    assert 'resource_metadata="http://localhost:8006/.well-known/oauth-protected-resource"' in challenge
    assert ("error" in challenge) == bool(parts)
    assert all(part in challenge for part in parts)


def test_an_error_that_is_not_about_the_token_has_no_challenge():
    assert "WWW-Authenticate" not in translated(errors.PermissionMissing("No."))


@pytest.mark.django_db
def test_an_unexpected_error_is_500_with_the_request_id_and_no_internals(monkeypatch):
    def fail(*_args):
        raise RuntimeError("secret")

    monkeypatch.setattr(SeedStatsView, "call", fail)

    answer = get_json("/stats", headers={"x-request-id": "abc-123"})

    problem = is_problem(answer, 500, "internal_error")
    assert problem["request_id"] == answer["X-Request-Id"] == "abc-123"
    assert problem["retryable"] is False
    assert "secret" not in answer.content.decode()


def test_an_error_outside_of_the_views_is_a_problem_too():
    answer = problems.server_error(APIRequestFactory().get("/"))

    assert answer.status_code == 500
    assert well_formed(json.loads(answer.content))


@pytest.mark.django_db
@pytest.mark.parametrize("sent", ["abc", "A-Z_0.9:x", "x" * 100])
def test_a_request_id_comes_back(sent):
    for path in ("/", "/nowhere", "/api/tools/available?limit=0", "/health"):
        assert get_json(path, headers={"x-request-id": sent})["X-Request-Id"] == sent


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sent", ["", " ", "a b", "x" * 101, "a\tb", "\u00e9", "<script>", 'a"b', "a%0d%0aSet-Cookie: x", "\u0661"]
)
def test_a_hostile_request_id_is_replaced(sent):
    answer = get_json("/stats", headers={"x-request-id": sent})

    assert len(answer["X-Request-Id"]) == UUID_HEX
    assert answer["X-Request-Id"].isalnum()


@pytest.mark.django_db
def test_requests_without_an_id_get_different_ones():
    first, second = (post_json("/api/tools/search", {})["X-Request-Id"] for _ in range(2))

    assert first != second
