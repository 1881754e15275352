import json
import logging
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from toolroster.errors import Unavailable
from toolroster.messages import Answer
from toolroster.oauth.introspection import CheckedToken, Expected, Refused
from toolroster.oauth.resource import normal

NOW = 1_000_000.0
GOOD = {
    "active": True,
    "sub": "mail-agent",
    "client_id": "mail-agent",
    "scope": "email:send calendar:read",
    "aud": "https://tool.test",
    "iss": "https://tools.test",
    "exp": NOW + 60,
    "token_type": "Bearer",
}
EXPECTED = Expected(frozenset({normal("https://tool.test")}), "https://tools.test")


def verdict(document: Any, *, status: int = 200, expected: Expected = EXPECTED) -> CheckedToken | Refused:
    answer = Answer(
        status, httpx.Headers({"Content-Type": "application/json"}), json.dumps(document).encode()
    )
    return expected.verdict(answer, now=NOW)


def test_a_token_says_whose_it_is_and_what_it_opens():
    assert verdict(GOOD) == CheckedToken(
        subject="mail-agent",
        client_id="mail-agent",
        scopes=frozenset({"email:send", "calendar:read"}),
        audience=("https://tool.test",),
        expires_at=datetime.fromtimestamp(NOW + 60, UTC),
    )


def test_what_the_server_does_not_say_stays_open():
    expected = Expected(EXPECTED.audiences, None)

    assert verdict({"active": True, "aud": ["https://tool.test"]}, expected=expected) == CheckedToken(
        subject=None, client_id=None, scopes=frozenset(), audience=("https://tool.test",), expires_at=None
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"active": False}, "unknown, expired or revoked"),
        ({"exp": NOW}, "has expired"),
        ({"exp": -1.5}, "has expired"),
        ({"iss": "https://evil.test"}, "another issuer"),
        ({"iss": None}, "another issuer"),
        ({"aud": "https://other.test"}, "another audience"),
        ({"aud": None}, "another audience"),
        ({"aud": []}, "another audience"),
        ({"aud": 7}, "another audience"),
        ({"aud": [["https://tool.test"]]}, "another audience"),
        ({"aud": "https://tool.test.evil.test"}, "another audience"),
        ({"aud": "https://tool.test/deeper"}, "another audience"),
        ({"token_type": "DPoP"}, "no bearer token"),
    ],
)
def test_a_token_that_does_not_count_here_is_refused(changed, reason):
    refused = verdict({**GOOD, **changed})

    assert isinstance(refused, Refused)
    assert reason in refused.reason


@pytest.mark.parametrize(
    "changed",
    [
        {"active": "true"}, {"active": 1}, {"active": None}, {"exp": "soon"}, {"exp": True}, {"exp": 1e300},
        {"exp": 10**18}, {"scope": ["email:send"]}, {"sub": 7}, {"client_id": {}}, {"token_type": 1},
        {"iss": 1},
    ],
)  # fmt: skip
def test_an_answer_of_wrong_types_opens_nothing(changed):
    with pytest.raises(Unavailable, match="Tokens cannot be checked"):
        verdict({**GOOD, **changed})


@pytest.mark.parametrize("status", [201, 302, 400, 401, 403, 404])
def test_any_status_but_200_opens_nothing(status):
    with pytest.raises(Unavailable, match=f"answers {status}"):
        verdict(GOOD, status=status)


@pytest.mark.parametrize(("status", "records"), [(401, 1), (403, 1), (404, 0)])
def test_the_log_tells_the_service_that_its_secret_is_wrong(caplog, status, records):
    caplog.set_level(logging.ERROR)
    with pytest.raises(Unavailable):
        verdict({}, status=status)

    assert len(caplog.records) == records


@pytest.mark.parametrize(
    "other", ["https://tool.test", "https://tool.test/", "HTTPS://Tool.Test", "https://tool.test:443/"]
)
def test_the_spellings_of_a_resource_are_one(other):
    assert normal(other) == normal("https://tool.test")


@pytest.mark.parametrize(
    "other", ["http://tool.test", "https://tool.test:8443", "https://tool.test/a", "https://tool.test/?a",
              "https://tool.test#a", "https://ann@tool.test", "https://tool.test:port",
              "https://[tool.test", "tool.test"],
)  # fmt: skip
def test_other_resources_are_others(other):
    assert normal(other) != normal("https://tool.test")
