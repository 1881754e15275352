"""The hot paths: list, discovery, resolve, beat. One implementation for Django views and native handlers.

Each operation takes what was sent and returns bytes; what goes wrong is raised, and `problems.reply_to` is
how it is told. Lists are kept (`services.kept`); `available_now` answers from memory, without waiting.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, cast

import orjson
from django.conf import settings
from django.http import QueryDict
from django.utils import timezone
from rest_framework.renderers import BaseRenderer

from oauth import authentication, permissions
from oauth.principal import Principal
from registry import conf
from registry.api import search_answer, shapes
from registry.api.call import Call, call_of
from registry.api.filters import filters_of
from registry.api.parsing import body_as, query_text_as
from registry.api.rendering import CamelJSONRenderer
from registry.api.resolving import resolved
from registry.api.seed_shape import SERVICE, seed_tools
from registry.api.wire import VARY, Reply, Sent, json_body, kept_reply, rendered, renderer_for
from registry.models import ToolRegistration, ToolUse
from registry.search.shown import Shown
from registry.services import catalogue, generations, heartbeat, kept, rendering
from registry.services.catalogue import Filters, Page
from registry.services.kept import Kept, Made
from toolroster import __version__

_PAGE = 100
_LONGEST_PAGE = 1000
_UNSETTLED_SECONDS = 2
"""How long a list is kept while the registry suspects itself and every lease is held."""
BEAT_SCOPES = ("tools:register",)


@dataclass(frozen=True, slots=True)
class Question:
    """What a kept list depends on beside time and caller.

    `digest` is the hash of its query and spelling, `names` are the generations that end it.
    """

    digest: str
    categories: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str, categories: Iterable[str] = ()) -> Self:
        """Return the question of a text."""
        known = tuple(categories)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        return cls(digest, known, tuple(generations.names_of(known)))

    def key(self, seen: tuple[int, ...], principal: Principal) -> str:
        """Return the key of CONTRACTS: `tr:list:{gen}:{filters}:{visibility_key}`."""
        return f"tr:list:{'-'.join(map(str, seen))}:{self.digest}:{principal.visibility_key}"


def available(sent: Sent) -> Reply:
    """`GET /api/tools/available`: a page of what can be used now."""
    renderer = renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    query = query_text_as(shapes.ListQuery, sent.query)
    question = _list_question(sent, query)
    found = kept_answer(question, principal, lambda call: _page(query, sent, call))
    return kept_reply(found, sent, media_type=str(renderer.media_type))


def available_now(sent: Sent) -> Reply | None:
    """Return the list if this process keeps it, and remembers the caller's token; None: ask `available`."""
    question = _questions.get((sent.query, sent.accept))
    principal = authentication.remembered_principal(sent.authorization)
    seen = question and generations.shared.known(question.names)
    if principal is None or not question or not seen:
        return None
    found = kept.answers.get(question.key(seen, principal), now=timezone.now().timestamp())
    if found is None:
        return None
    return kept_reply(found, sent, media_type=str(renderer_for(sent.accept).media_type))


def discover(sent: Sent) -> Reply:
    """`GET /` for agents: seeds/000's discovery."""
    renderer = renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    found = kept_answer(_DISCOVERY, principal, _discovery)
    return _headed(found, principal, sent, str(renderer.media_type))


def kept_answer(
    question: Question, principal: Principal, make: Callable[[Call], Made], *, is_shared: bool = True
) -> Kept:
    """Return an answer as it is kept; where generations cannot be had, as it is now."""
    call = call_of(principal)
    seen = generations.shared.of(question.categories)  # before the query
    if seen is None or not settings.LISTS_ARE_KEPT:
        return kept.keep(make(call))
    key, now = question.key(seen, principal), call.now.timestamp()
    return kept.answers.fetch(key, lambda: make(call), now=now, is_shared=is_shared)


# --- the list

_questions: OrderedDict[tuple[str, str], Question] = OrderedDict()
"""Queries that were valid, as they were sent, with what they ask."""
_MOST_QUESTIONS = 4096


def _list_question(sent: Sent, query: shapes.ListQuery) -> Question:
    is_java = isinstance(renderer_for(sent.accept), CamelJSONRenderer)
    # As it was sent: the link to the next page repeats it.
    question = Question.of(f"{'java' if is_java else 'ours'}?{sent.query}", query.category)
    _questions[sent.query, sent.accept] = question
    if len(_questions) > _MOST_QUESTIONS:
        _questions.popitem(last=False)
    return question


def _page(query: shapes.ListQuery, sent: Sent, call: Call) -> Made:
    renderer = renderer_for(sent.accept)
    found = catalogue.available(filters_of(query), principal=call.principal, cutoff=call.seen.cutoff)
    is_java = isinstance(renderer, CamelJSONRenderer)  # it knows no pages
    limit = query.limit or (_LONGEST_PAGE if is_java else _PAGE)
    page = catalogue.page(found, limit=limit, cursor=query.cursor, is_mixed=query.include_deprecated)
    return Made(_page_text(page, call, renderer), expiry_of(page.registrations, call), _link(sent, page.next))


def _page_text(page: Page, call: Call, renderer: BaseRenderer) -> bytes:
    if isinstance(renderer, CamelJSONRenderer):
        rows = [call.render(row) for row in page.registrations]
        rendered_page: bytes = renderer.render({"results": rows, "next": page.next})
        return rendered_page
    texts = (rendering.registration_text(row, seen=call.seen) for row in page.registrations)
    return b'{"results":[' + b",".join(texts) + b'],"next":' + orjson.dumps(page.next) + b"}"


def _link(sent: Sent, cursor: str | None) -> tuple[tuple[str, str], ...]:
    """Return the link to the next page (RFC 8288): a bare array has no place for it."""
    if cursor is None:
        return ()
    query = QueryDict(sent.query, mutable=True)
    query["cursor"] = cursor
    return (("Link", f'<{sent.path}?{query.urlencode()}>; rel="next"'),)


def expiry_of(rows: Iterable[ToolRegistration], call: Call) -> float:
    """Return until when a list counts: the earliest end of a lease in it, in 300 s at the latest.

    Where a lease has ended that still counted at the last look at the leases, look again in a second.
    """
    now: float = call.now.timestamp()
    if call.seen.is_held or call.seen.is_grace:
        return now + _UNSETTLED_SECONDS
    lease = conf.lease_policy().lease_seconds
    beats = (getattr(row, "last_beat_at", None) for row in rows)
    ends = [beat.timestamp() + lease for beat in beats if beat is not None and beat > call.seen.cutoff]
    return float(min([now + kept.LONGEST_SECONDS, *(end if end > now else now + 1 for end in ends)]))


# --- search

_LOOKED_AT_SECONDS = FOUND_SECONDS = 60.0


def search(sent: Sent) -> Reply:
    """`POST /api/tools/search`: what fits a request, kept in this process for whoever asks the same."""
    renderer = renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    asked = body_as(shapes.SearchRequest, json_body(sent))
    question = Question.of(
        f"found?{renderer.media_type}?{asked.model_dump_json()}", filters_of(asked).categories
    )

    def make(call: Call) -> Made:
        result = search_answer.find(asked, call, shown(filters_of(asked), call))
        found_until = call.now.timestamp() + FOUND_SECONDS
        expires_at = min(expiry_of((one.registration for one in result.results), call), found_until)
        body = cast("bytes", renderer.render(search_answer.answer(asked, result, call)))
        return Made(body, expires_at, is_compressed=False)

    body = kept_answer(question, principal, make, is_shared=False).body
    return Reply(200, body, {"Content-Type": str(renderer.media_type), "Vary": VARY})


def shown(filters: Filters, call: Call) -> Shown | None:
    """Return what a search with these filters looks at, as kept; None where nothing is kept.

    It only narrows: what a search returns is asked of the rule again.
    """
    if not settings.LISTS_ARE_KEPT:
        return None
    question = Question.of(f"shown?{filters}", filters.categories)

    def make(call: Call) -> Made:
        visible = catalogue.available(filters, principal=call.principal, cutoff=call.seen.cutoff)
        looked_at = Shown.of_tools(visible, holds_most=not filters.are_narrow)
        return Made(looked_at.to_bytes(), call.now.timestamp() + _LOOKED_AT_SECONDS, is_compressed=False)

    return _shown_from(kept_answer(question, call.principal, make).body)


_shown_from = lru_cache(maxsize=64)(Shown.from_bytes)
"""Bytes that are kept remember their hash, and what is made of them its form in SQL."""


# --- discovery

_DISCOVERY = Question.of("seeds/000")


def _discovery(call: Call) -> Made:
    tools, rows = seed_tools(call)
    body = orjson.dumps(list(tools.values()))
    return Made(body, expiry_of(rows, call), (("count", str(len(tools))),))


def _headed(found: Kept, principal: Principal, sent: Sent, media_type: str) -> Reply:
    """Put who asks before the tools that they share with others."""
    head: dict[str, Any] = {
        "service": SERVICE,
        "version": __version__,
        "protocol": "MCP",
        "authenticated": not principal.is_anonymous,
    }
    if principal.application_id is not None:
        head |= {"client_id": principal.client_id, "scopes": sorted(principal.scopes)}
    count = dict(found.headers)["count"].encode()
    body = orjson.dumps(head)[:-1] + b',"tools":' + found.body + b',"total_available":' + count + b"}"
    etag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    whole = Kept(body, b"", etag, found.expires_at)
    return kept_reply(whole, sent, media_type=media_type)


# --- what is not kept


def resolve(sent: Sent) -> Reply:
    """`GET /api/tools/resolve`: the one registration that is meant."""
    renderer = renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    query = query_text_as(shapes.ResolveQuery, sent.query)
    call = call_of(principal)
    row = resolved(query, asking=call.asking(include_prerelease=query.include_prerelease))
    call.note(ToolUse.Kind.RESOLVE, row)
    return rendered(call.render(row), renderer, headers=rendering.farewell_headers(row))


def beat(sent: Sent) -> Reply:
    """`POST /api/tools/heartbeat`: renew leases."""
    renderer = renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    permissions.require(principal, BEAT_SCOPES)
    asked = body_as(shapes.Heartbeat, json_body(sent))
    results = heartbeat.record(
        tool_ids=asked.tool_ids,
        provider_instance=asked.provider_instance,
        principal=principal,
        now=timezone.now(),
    )
    answer = {
        "results": [{"tool_id": result.tool_id, "outcome": result.outcome} for result in results],
        "next_beat_seconds": conf.lease_policy().heartbeat_seconds,
    }
    all_unknown = all(result.outcome == "unknown" for result in results)
    return rendered(answer, renderer, status=404 if all_unknown else 200)
