"""A batch of a hundred documents: new ones, and such that are registered already."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from bench import data, documents, naive
from bench.measure import Variant
from registry.models import Provider
from registry.services import registration

UNIT = "document"

_BATCH = 100


def variants() -> list[Variant]:
    """Return the service, which checks, indexes and tells, beside an ORM call a document."""
    provider = Provider.objects.get(name="bench-0")
    known = _batch("known")
    register = partial(registration.register, by=data.registering())
    write = partial(naive.register, provider=provider, now=data.NOW)
    register(known)
    write(known)
    return [
        _of_new("update_or_create, new", write),
        _of_new("register, new", register, against="update_or_create, new"),
        _of_next_versions("register, next version, compared", register),
        Variant("update_or_create, unchanged", lambda: write(known), units=_BATCH),
        Variant(
            "register, unchanged",
            lambda: register(known),
            units=_BATCH,
            against="update_or_create, unchanged",
        ),
    ]


def _of_new(name: str, write: Callable[[list[dict[str, Any]]], object], against: str = "") -> Variant:
    """Return a variant that writes other documents at each call; making them is not measured."""
    waiting: list[list[dict[str, Any]]] = []
    numbers = count()
    word = "naive" if against == "" else "new"
    return Variant(
        name,
        lambda: write(waiting.pop()),
        units=_BATCH,
        against=against,
        prepare=lambda: waiting.append(_batch(f"{word}_{next(numbers)}")),
    )


def _of_next_versions(name: str, write: Callable[[list[dict[str, Any]]], object]) -> Variant:
    """Return a variant that publishes another fix of known tools at each call."""
    waiting: list[list[dict[str, Any]]] = []
    numbers = count(1)
    return Variant(
        name,
        lambda: write(waiting.pop()),
        units=_BATCH,
        prepare=lambda: waiting.append(_batch("known", f"1.0.{next(numbers)}")),
    )


def _batch(prefix: str, version: str = "1.0.0") -> list[dict[str, Any]]:
    names = [f"{prefix}_{number}" for number in range(_BATCH)]
    return [documents.make(provider="bench-0", name=name, version=version) for name in names]
