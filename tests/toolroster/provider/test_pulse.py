"""When to register and beat: every answer of a registry, and what follows from it."""

import json
import logging
from typing import Any

import httpx
import pytest

from toolroster.errors import Unavailable
from toolroster.messages import Answer
from toolroster.provider.pulse import PAUSES_SECONDS, REFUSED_AGAIN_SECONDS, Message, Pulse

ADD, SEND = "math:add:1.0.0", "mail:send:1.0.0"


def answer(content: Any, status: int = 200, media_type: str = "application/json") -> Answer:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Answer(status, httpx.Headers({"content-type": media_type}), body, "registry")


def registered(*tool_ids: str) -> Answer:
    return answer({"results": [{"tool_id": one, "outcome": "created"} for one in tool_ids]})


def beaten(outcome: str = "renewed", *tool_ids: str, seconds: float = 30, status: int = 200) -> Answer:
    results = [{"tool_id": one, "outcome": outcome} for one in tool_ids or (ADD,)]
    return answer({"results": results, "next_beat_seconds": seconds}, status)


def refused(*tool_ids: str) -> Answer:
    problem = {"detail": "Another contract.", "errors": [{"pointer": "/input_schema", "detail": "differs"}]}
    return answer(
        {"results": [{"tool_id": one, "outcome": "refused", "problem": problem} for one in tool_ids]}
    )


@pytest.fixture
def pulse() -> Pulse:
    return Pulse(lambda: [{"name": "add"}], instance="host-1", spread=lambda: 0.5)


def exchange(pulse: Pulse, said: Answer) -> tuple[str, float]:
    """Send the next message and take the answer; return its path and how long to wait."""
    message = pulse.next_message()
    return message.path, pulse.answered(message, said)


def test_it_registers_then_beats_at_once_and_then_as_it_is_told(pulse):
    first, second = exchange(pulse, registered(ADD)), exchange(pulse, beaten(seconds=20))

    assert [first, second] == [
        ("/api/tools/register", 0),
        ("/api/tools/heartbeat", pytest.approx(20 * 0.925)),
    ]
    assert pulse.next_message() == Message(
        "/api/tools/heartbeat", {"tool_ids": [ADD], "provider_instance": "host-1"}
    )


def test_a_registration_names_the_instance_and_asks_for_the_documents_each_time():
    documents: list[dict[str, Any]] = [{"name": "add"}]
    pulse = Pulse(lambda: documents, instance="host-1", instance_endpoint="http://h:1")
    first = pulse.next_message().content
    documents.append({"name": "send"})

    assert first == {
        "provider_instance": "host-1",
        "instance_endpoint": "http://h:1",
        "tools": [{"name": "add"}],
    }
    assert len(pulse.next_message().content["tools"]) == 2


@pytest.mark.parametrize("status", [200, 404])
def test_a_registry_that_forgot_is_told_again(pulse, status):
    exchange(pulse, registered(ADD))

    path, wait = exchange(pulse, beaten("unknown", status=status))

    assert (path, wait) == ("/api/tools/heartbeat", 0.5)
    assert pulse.next_message().path == "/api/tools/register"


def test_failures_wait_longer_and_longer_and_are_told_once(pulse, caplog):
    caplog.set_level(logging.INFO, "toolroster.provider")

    waits = [pulse.failed(Unavailable("The registry at x does not answer.")) for _ in range(9)]
    exchange(pulse, registered(ADD))

    assert waits == [*PAUSES_SECONDS, *[PAUSES_SECONDS[-1]] * 3]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO", "INFO"]
    assert "trying on: The registry at x does not answer." in caplog.text
    assert "answers again" in caplog.text


def test_one_failure_alone_is_not_worth_a_line(pulse, caplog):
    exchange(pulse, registered(ADD))
    caplog.clear()
    pulse.failed(Unavailable("gone"))
    exchange(pulse, beaten())

    assert caplog.records == []


def test_a_registry_that_says_when_to_come_back_is_obeyed(pulse):
    assert pulse.failed(Unavailable("busy", retry_after_seconds=60)) == 60
    assert pulse.failed(Unavailable("busy", retry_after_seconds=86_400)) == 300


@pytest.mark.parametrize(
    "said",
    [
        answer(b"<html>", media_type="text/html"),
        answer(b"{"),
        answer([]),
        answer({"results": "none"}),
        answer({"results": [1]}),
        answer({"detail": "No."}, 403, "application/problem+json"),
        answer({"detail": "No."}, 422, "application/problem+json"),
        answer(b"", 404, "text/plain"),
        answer({"results": []}, 500),
    ],
)
def test_what_makes_no_sense_is_a_failure(pulse, said):
    path, wait = exchange(pulse, said)

    assert (path, wait) == ("/api/tools/register", PAUSES_SECONDS[0])
    assert pulse.next_message().path == "/api/tools/register"


def test_a_refusal_says_why_once_and_is_tried_again_later(pulse, caplog):
    exchange(pulse, refused(ADD))
    for _ in range(int(REFUSED_AGAIN_SECONDS / 30) - 1):
        assert exchange(pulse, beaten("conflict"))[0] == "/api/tools/heartbeat"
    exchange(pulse, beaten("conflict"))

    assert pulse.next_message().path == "/api/tools/register"
    exchange(pulse, refused(ADD))
    lines = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert lines == [
        f"{ADD}: refused: Another contract.; /input_schema: differs",
        f"{ADD}: conflict: Another contract.; /input_schema: differs",
    ]


def test_a_refused_tool_that_is_unknown_does_not_make_it_register_again_and_again(pulse):
    exchange(pulse, refused(ADD))

    assert exchange(pulse, beaten("unknown", status=404))[1] > 20
    assert pulse.next_message().path == "/api/tools/heartbeat"


def test_a_document_without_an_id_is_tried_again_later(pulse):
    said = answer({"results": [{"tool_id": None, "outcome": "refused", "problem": {"detail": "Bad."}}]})

    assert exchange(pulse, said) == ("/api/tools/register", REFUSED_AGAIN_SECONDS)
    assert pulse.goodbye() is None


def test_the_leases_that_were_taken_are_given_back(pulse):
    assert pulse.goodbye() is None
    exchange(pulse, registered(ADD, SEND))

    goodbye = pulse.goodbye()

    assert goodbye == Message(
        "/api/tools/deregister", {"tool_ids": [ADD, SEND], "provider_instance": "host-1"}
    )


@pytest.mark.parametrize("seconds", [0, -1, "soon", None, 1e9])
def test_a_beat_that_is_due_at_no_sensible_time_is_due_after_thirty_seconds(pulse, seconds):
    exchange(pulse, registered(ADD))

    assert exchange(pulse, beaten(seconds=seconds))[1] == pytest.approx(30 * 0.925)
