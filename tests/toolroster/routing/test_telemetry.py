"""Spans, where somebody takes them."""

from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry import trace

from tests.toolroster.routing.faulty import FaultyServer
from tests.toolroster.routing.parts import make_candidate, with_agent


class Taker(trace.TracerProvider):
    """Takes spans: their names and attributes, and how they ended."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, dict[str, Any]]] = []
        self.ended: list[str] = []

    def get_tracer(self, *_: Any, **__: Any) -> Any:
        return self

    @contextmanager
    def start_as_current_span(self, name: str, attributes: Any = None, **_: Any) -> Any:
        self.spans.append((name, dict(attributes)))
        context = trace.SpanContext(1, 2, is_remote=False, trace_flags=trace.TraceFlags(1))
        with trace.use_span(trace.NonRecordingSpan(context), record_exception=False):
            yield self

    def set_status(self, _code: Any, about: str) -> None:
        self.ended.append(about)


@pytest.fixture
def taker(monkeypatch: pytest.MonkeyPatch) -> Taker:
    taker = Taker()
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: taker)
    monkeypatch.setattr(trace, "get_tracer", lambda _name: taker)
    return taker


def test_a_call_and_its_request_are_spans_and_the_tool_gets_the_trace(
    faulty: FaultyServer, taker: Taker
) -> None:
    with_agent(lambda agent: agent.call("forecast"), make_candidate("forecast", faulty.url("ok")))

    assert [name for name, _ in taker.spans] == ["toolroster.invoke", "toolroster.call"]
    assert taker.spans[1][1]["tool.id"] == "weather-team:forecast:1.0.0"
    assert faulty.seen[0]["headers"]["traceparent"].startswith("00-")


def test_a_span_ends_with_the_code_of_its_error_and_no_text(faulty: FaultyServer, taker: Taker) -> None:
    with_agent(lambda agent: agent.error("forecast"), make_candidate("forecast", faulty.url("422")))

    assert taker.ended == ["tool_refused"]


def test_without_anybody_who_takes_them_there_are_none(faulty: FaultyServer) -> None:
    with_agent(lambda agent: agent.call("forecast"), make_candidate("forecast", faulty.url("ok")))

    assert "traceparent" not in faulty.seen[0]["headers"]
