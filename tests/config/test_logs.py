"""Logs are structured, carry the request's id, and show no values of local variables."""

import json
import logging

import pytest
import structlog

from config import logs


@pytest.fixture
def written(capsys):
    before = logging.root.handlers[:], logging.root.level

    def read() -> list[str]:
        return capsys.readouterr().err.strip().splitlines()

    yield read
    logging.root.handlers[:], logging.root.level = before[0], before[1]


def test_json_lines_hold_the_fields_of_the_event_and_the_request(written):
    logs.configure(logs.logging_settings(level="INFO", style="json"))

    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        logging.getLogger("registry.x").warning("tools are stale", extra={"count": 3})

    line = json.loads(written()[0])
    assert line | {"timestamp": ""} == {
        "event": "tools are stale",
        "level": "warning",
        "logger": "registry.x",
        "count": 3,
        "request_id": "r-1",
        "timestamp": "",
    }


@pytest.mark.parametrize("style", ["json", "console"])
def test_a_traceback_shows_no_local_values(written, style):
    logs.configure(logs.logging_settings(level="INFO", style=style))

    def fail(password: str) -> None:
        raise ValueError("broken")

    try:
        fail("hunter2")
    except ValueError:
        logging.getLogger("registry.x").exception("it failed")

    text = "\n".join(written())
    assert "ValueError: broken" in text
    assert "hunter2'" not in text.replace('fail("hunter2")', "")


def test_an_answer_such_as_503_is_not_logged_again(written):
    logs.configure(logs.logging_settings(level="INFO", style="json"))

    logging.getLogger("django.request").error("Service Unavailable: /health")

    assert written() == []
