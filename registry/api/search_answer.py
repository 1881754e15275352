"""What a search answers: tools, how they were ranked, and why."""

from typing import Any

import orjson

from registry import conf
from registry.api import shapes
from registry.api.call import Call
from registry.api.filters import filters_of
from registry.search import finding, tokens
from registry.search.finding import Found, Result
from registry.search.shown import Shown
from registry.services import catalogue, spaces

_BYTES_PER_TOKEN = 4
"""A rough rule for JSON in the vocabularies of today's models; the budget is a bound, not a bill."""


def find(asked: shapes.SearchRequest, call: Call, shown: Shown | None) -> Found:
    """Return what the caller may see of what fits best."""
    visible = catalogue.available(filters_of(asked), principal=call.principal, cutoff=call.seen.cutoff)
    in_use = spaces.all_in_use(conf.wanted_embeddings())
    return finding.find(asked.query, visible=visible, spaces=in_use, top_k=asked.top_k, shown=shown)


def answer(asked: shapes.SearchRequest, found: Found, call: Call) -> dict[str, Any]:
    """Return the JSON object of an answer."""
    results = [
        {
            "tool": call.render(one.registration),
            "similarity": None if one.hit.similarity is None else round(one.hit.similarity, 4),
            "score": round(one.hit.score, 4),
            "why": why(asked.query, one),
            "near_duplicates": list(one.near_duplicates),
        }
        for one in found.results
    ]
    if asked.max_tokens is not None:
        results = _within(results, asked.max_tokens)
    return {"results": results, "nothing_fits": found.nothing_fits}


def why(query: str, result: Result) -> str:
    """Say what counted: similarity, words, and the example request of the tool that shares the most words."""
    examples = result.registration.document["examples"]
    wanted = tokens.query_terms(query).keys()
    shared = [len(wanted & tokens.query_terms(example).keys()) for example in examples]
    if not any(shared):
        return result.hit.why
    example = examples[shared.index(max(shared))]
    return f'{result.hit.why}; like the example "{example}"'


def _within(results: list[dict[str, Any]], max_tokens: int) -> list[dict[str, Any]]:
    """Return the best results that fit into the budget together, the best one in any case."""
    kept: list[dict[str, Any]] = []
    used = 0
    for result in results:
        used += len(orjson.dumps(result)) // _BYTES_PER_TOKEN
        if kept and used > max_tokens:
            break
        kept.append(result)
    return kept
