"""Spans of calls, where OpenTelemetry is installed; its API does nothing until somebody sets it up."""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _telemetry() -> tuple[Any, Any] | None:
    try:  # optional: who wants spans has it
        trace, propagate = (
            importlib.import_module(f"opentelemetry.{name}") for name in ("trace", "propagate")
        )
    except ImportError:
        return None
    return trace.get_tracer("toolroster"), propagate


@contextmanager
def span(name: str, about: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run a block in a span; give the headers that carry it on (W3C trace context)."""
    headers: dict[str, str] = {}
    telemetry = _telemetry()
    if telemetry is None:
        yield headers
        return
    tracer, propagate = telemetry
    with tracer.start_as_current_span(name, attributes=dict(about)):
        propagate.inject(headers)
        yield headers
