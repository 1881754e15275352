"""`Idempotency-Key`: one call, however often it is sent."""

from threading import Thread
from typing import Any

import pytest
from django.utils import timezone

from consumers.models import RepeatableCall
from consumers.services import repeating
from consumers.services.repeating import Key
from tests.consumers.agents import Caller
from tests.consumers.calls.tools import make_agent, make_tool, publish
from tests.factories import at
from tests.registry.api.client import Answer, post_json
from tests.toolroster.routing.faulty import FaultyServer

BODY = {"tool": "forecast", "params": {"city": "Ulm"}}


def send(agent: Caller, key: str = "k-1", body: dict[str, Any] | None = None) -> Answer:
    headers = {**agent.headers, "idempotency-key": key}
    return post_json("/api/tools/invoke", BODY if body is None else body, headers=headers)


@pytest.mark.parametrize(("path", "status"), [("echo", 200), ("500", 502), ("422", 422), ("reset", 502)])
def test_a_second_call_with_the_key_is_told_what_the_first_was(
    faulty: FaultyServer, path: str, status: int
) -> None:
    publish(make_tool(faulty, path, capabilities={}))
    agent = make_agent()

    first, second = send(agent), send(agent)

    assert (first.status_code, second.status_code) == (status, status)
    assert first.content == second.content
    assert second.headers["idempotency-replayed"] == "true"
    assert faulty.calls == {path: 1}


def test_a_key_belongs_to_one_request(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"))
    agent = make_agent()
    send(agent)

    answer = send(agent, body={**BODY, "params": {"city": "Rom"}})

    assert answer.status_code == 422
    assert answer.json()["errors"][0] == {
        "pointer": "/Idempotency-Key",
        "code": "reused",
        "detail": "Send another key with another request.",
    }


def test_agents_do_not_share_keys(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"))

    send(make_agent())
    send(make_agent("another"))

    assert faulty.calls == {"echo": 2}


def test_a_call_that_never_arrived_may_come_again(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", endpoint={"url": "http://127.0.0.1:9/gone"}, capabilities={}))
    agent = make_agent()

    first = send(agent)
    publish_again = make_tool(faulty, "ok", capabilities={})
    assert post_json("/api/tools/register", publish_again).status_code == 200
    second = send(agent)

    assert (first.status_code, second.status_code) == (503, 200)


def test_of_many_at_once_one_is_called(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "slow", capabilities={}))
    agent = make_agent()
    answers: list[int] = []
    threads = [Thread(target=lambda: answers.append(send(agent).status_code)) for _ in range(5)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faulty.calls == {"slow": 1}
    assert set(answers) <= {200, 409}


def test_a_call_whose_process_died_is_in_doubt(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"))
    agent = make_agent()
    send(agent)
    RepeatableCall.objects.update(answer=None, status=None, began_at=timezone.now().replace(year=2020))

    answer = send(agent)

    assert answer.status_code == 409
    assert "not known" in answer.json()["detail"]


@pytest.mark.django_db
def test_keys_are_forgotten_after_a_day() -> None:
    repeating.begin(Key("k", None, None), request=b"x", now=at(0))

    assert repeating.forget(now=at(23 * 3600)) == 0
    assert repeating.forget(now=at(25 * 3600)) == 1
