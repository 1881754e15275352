"""The look at services before a session."""

import httpx
import pytest

from toolroster.agents.health import ServiceHealthChecker


def _said(status: int | Exception) -> list[str]:
    said: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url == "http://oauth.test/health"
        if isinstance(status, Exception):
            raise status
        return httpx.Response(status, json={})

    ServiceHealthChecker(said.append, httpx.MockTransport(answer)).check_service(
        "http://oauth.test/", "OAuth Service"
    )
    return said


@pytest.mark.parametrize("status", [200, 204])
def test_a_service_that_answers_is_healthy(status):
    assert _said(status) == ["✅ OAuth Service is healthy"]


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (301, "answers 301"),
        (401, "answers 401"),
        (404, "answers 404"),
        (503, "answers 503"),
        (429, "answers 429"),
        (httpx.ConnectError("refused"), "does not answer"),
    ],
)
def test_a_service_that_does_not_is_said_to_be_so_with_its_address(status, says):
    (line,) = _said(status)

    assert line.startswith("❌ OAuth Service is not healthy: ")
    assert says in line
    assert line.endswith("(http://oauth.test/)")


@pytest.mark.parametrize(("at_origin", "begins"), [(200, "✅"), (404, "❌"), (302, "❌")])
def test_a_service_below_a_path_is_as_healthy_as_its_origin_where_it_says_nothing_itself(at_origin, begins):
    said: list[str] = []
    status = {"/api/memory/health": 404, "/health": at_origin}
    transport = httpx.MockTransport(lambda request: httpx.Response(status[request.url.path]))

    ServiceHealthChecker(said.append, transport).check_service("http://x.test/api/memory", "Memory Service")

    assert said[0].startswith(begins)
