"""Measure the search of this registry, as callers see it, with requests that somebody wrote for it."""

from collections.abc import Callable, Mapping, Sequence

from registry.models.registration import ToolRegistrationQuerySet
from registry.search import finding
from registry.search.evaluation.corpus import Ranked
from registry.search.evaluation.datasets import Request
from registry.search.finding import Space
from toolroster.errors import ToolNotFound

_DEPTH = 100

Spellings = Mapping[str, str]
"""Every way to write a tool (`name`, `provider/name`, a tool id), and the one that rankings use."""


def spellings_of(visible: ToolRegistrationQuerySet) -> Spellings:
    """Return the spellings of all tools; a bare name that several providers offer is none."""
    found: dict[str, str] = {}
    names: dict[str, set[str]] = {}
    for tool_id in visible.values_list("tool_id", flat=True).iterator():
        provider, name, _ = tool_id.split(":", 2)
        found[tool_id] = found[f"{provider}/{name}"] = f"{provider}/{name}"
        names.setdefault(name, set()).add(f"{provider}/{name}")
    return found | {name: next(iter(tools)) for name, tools in names.items() if len(tools) == 1}


def in_one_spelling(requests: Sequence[Request], spellings: Spellings) -> list[Request]:
    """Return the requests with the tools that they mean as rankings write them.

    Raises:
        ToolNotFound: a request means a tool that is not here.
    """
    unknown = sorted({key for request in requests for key in request.gains} - spellings.keys())
    if unknown:
        raise ToolNotFound(f"There is no tool {unknown[0]} here, which a request means.")
    return [
        Request(request.text, {spellings[key]: gain for key, gain in request.gains.items()}, request.language)
        for request in requests
    ]


def rank(
    requests: Sequence[Request],
    *,
    visible: ToolRegistrationQuerySet,
    spaces: Sequence[Space],
    say: Callable[[int, int], None],
) -> list[Ranked]:
    """Return what search answers to each request."""
    ranked = []
    for number, request in enumerate(requests, 1):
        found = finding.find(request.text, visible=visible, spaces=spaces, top_k=_DEPTH)
        ids = ["/".join(one.registration.tool_id.split(":", 2)[:2]) for one in found.results]
        ranked.append(Ranked(ids, [one.hit.score for one in found.results]))
        say(number, len(requests))
    return ranked
