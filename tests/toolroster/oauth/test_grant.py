import json
from typing import Any

import httpx
import pytest

from toolroster.errors import Malformed, PermissionMissing, Unauthenticated, Unavailable
from toolroster.messages import Answer
from toolroster.oauth import grant

GOOD = {"access_token": "abc", "token_type": "Bearer", "expires_in": 3600}


def read(document: Any, status: int = 200) -> grant.AccessToken:
    answer = Answer(
        status, httpx.Headers({"Content-Type": "application/json"}), json.dumps(document).encode()
    )
    return grant.read(answer, asked_at=1000.0, leeway_seconds=30.0)


def test_a_token_is_due_shortly_before_its_end():
    token = read(GOOD)

    assert (token.value, token.refresh_at, token.expires_at) == ("abc", 4570.0, 4600.0)


@pytest.mark.parametrize(
    ("expires_in", "life"),
    [
        (40, 40),
        (0, 0),
        (-5, 0),
        (1.5, 1.5),
        ("120", 120),
        ("soon", 60),
        ("9" * 20, 60),
        (None, 60),
        (True, 60),
    ],
)
def test_the_life_of_a_token_is_read_with_care(expires_in, life):
    assert read({**GOOD, "expires_in": expires_in}).expires_at == 1000 + life


def test_a_short_life_is_due_at_its_half():
    assert read({**GOOD, "expires_in": 20}).refresh_at == 1010


@pytest.mark.parametrize(
    "wrong",
    [{"access_token": None}, {"access_token": ["abc"]}, {"access_token": "a b"}, {"access_token": "a" * 4097},
     {"access_token": "a\r\nX: y"}, {"token_type": "DPoP"}, {"token_type": None}],
)  # fmt: skip
def test_an_answer_without_a_bearer_token_makes_no_sense(wrong):
    with pytest.raises(Unavailable, match="no bearer token"):
        read({**GOOD, **wrong})


@pytest.mark.parametrize(
    ("status", "error", "raised", "code"),
    [
        (400, "invalid_client", Unauthenticated, "unauthenticated"),
        (401, "invalid_client", Unauthenticated, "unauthenticated"),
        (400, "invalid_scope", PermissionMissing, "permission_missing"),
        (400, "invalid_target", PermissionMissing, "permission_missing"),
        (400, "unauthorized_client", PermissionMissing, "permission_missing"),
        (403, "something_new", PermissionMissing, "permission_missing"),
        (400, "invalid_request", Malformed, "malformed"),
    ],
)
def test_each_refusal_has_its_error(status, error, raised, code):
    with pytest.raises(raised) as caught:
        read({"error": error}, status)

    assert caught.value.code == code


def test_a_refusal_says_in_one_line_what_the_server_said():
    with pytest.raises(PermissionMissing) as caught:
        read({"error": "invalid_scope", "error_description": "no\nsuch " + "x" * 300}, 400)

    assert caught.value.detail.startswith("The authorization server refuses a token: invalid_scope no such x")
    assert len(caught.value.detail) < 300


@pytest.mark.parametrize(("status", "document"), [(302, {}), (204, {}), (404, {"detail": "Not found."})])
def test_what_no_token_endpoint_says_hints_at_its_address(status, document):
    with pytest.raises(Unavailable, match="is its address right"):
        read(document, status)


def test_a_token_is_not_shown():
    assert "abc" not in repr(read(GOOD))
