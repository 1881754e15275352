"""Spans and counters of calls, for OpenTelemetry where it is installed and somebody has set it up."""

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _module(name: str) -> Any:
    try:  # optional: who wants spans has it
        return importlib.import_module(f"opentelemetry.{name}")
    except ImportError:
        return None


@contextmanager
def span(name: str, about: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run a block in a span; give the headers that carry it on (W3C trace context).

    Errors are not recorded with their texts: they may repeat what a tool said.
    """
    headers: dict[str, str] = {}
    trace = _module("trace")
    if trace is None or isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield headers
        return
    tracer = trace.get_tracer("toolroster")
    with tracer.start_as_current_span(
        name, attributes=dict(about), record_exception=False, set_status_on_exception=False
    ) as current:
        _module("propagate").inject(headers)
        try:
            yield headers
        except BaseException as error:
            current.set_status(trace.StatusCode.ERROR, getattr(error, "code", type(error).__name__))
            raise


def count(name: str, number: int = 1, **about: str) -> None:
    """Add to a counter."""
    metrics = _module("metrics")
    if metrics is not None:
        _counter(name).add(number, about)


@cache
def _counter(name: str) -> Any:
    return _module("metrics").get_meter("toolroster").create_counter(name)
