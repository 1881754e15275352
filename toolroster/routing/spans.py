"""Spans of calls, where OpenTelemetry is installed; its API does nothing until somebody sets it up."""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _telemetry() -> tuple[Any, Any] | None:
    try:  # optional: who wants spans has it
        return importlib.import_module("opentelemetry.trace"), importlib.import_module(
            "opentelemetry.propagate"
        )
    except ImportError:
        return None


@contextmanager
def span(name: str, about: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run a block in a span; give the headers that carry it on (W3C trace context)."""
    headers: dict[str, str] = {}
    telemetry = _telemetry()
    if telemetry is None or not _is_set_up(telemetry[0]):
        yield headers
        return
    trace, propagate = telemetry
    with trace.get_tracer("toolroster").start_as_current_span(name, attributes=dict(about)):
        propagate.inject(headers)
        yield headers


def _is_set_up(trace: Any) -> bool:
    """Tell whether anybody takes spans: what is made for nobody costs as well."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
