"""What may not be seen does not exist: every read endpoint, for every kind of caller.

The endpoints come from the URL table, so that a new one cannot be forgotten: it needs an entry in ROUTES.
Each tool of the catalogue is a word that stands in its name, provider, description, tags, and nowhere else.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from oauth.models import Application
from registry.models import ToolInstance, ToolRegistration
from registry.services import lifecycle
from tests.factories import make_application, make_registration, make_token, register

UNKNOWN = "zircon"
"""A word like the others that no tool has: what is hidden must be answered as this is."""

OPEN = frozenset({"amber", "agate"})
CATALOGUE: dict[str, dict[str, Any]] = {
    "amber": {},
    "agate": {"liveness": "heartbeat"},  # dead
    "quartz": {"scopes": ["vault:use", "spare:use"]},
    "topaz": {"policy": {"allowed_roles": ["surgeon", "nurse"]}},
    "garnet": {"scopes": ["mixed:use"], "policy": {"allowed_roles": ["mixed-role"]}},
    "opal": {"scopes": ["opal:use"], "liveness": "heartbeat"},  # dead
    "jasper": {},  # pending
    "beryl": {},  # rejected
    "onyx": {},  # retired
    "pearl": {},  # version 2.0.0 of amber, which needs a scope
    "coral": {},  # words of amber that wait for a decision
}
DEAD = frozenset({"agate", "opal"})
NEVER = frozenset({"jasper", "beryl", "onyx", "coral"})


@dataclass(frozen=True)
class Caller:
    """Who asks: with a token of these scopes and roles, or without one. `sees` are the words that it may."""

    sees: frozenset[str]
    scopes: str | None = ""
    roles: tuple[str, ...] = ()
    discovery: str = "all"


EVERY_OPEN_OR_LIMITED = frozenset(CATALOGUE) - NEVER
CALLERS = {
    "anonymous all": Caller(EVERY_OPEN_OR_LIMITED, scopes=None),
    "anonymous none": Caller(frozenset(), scopes=None, discovery="none"),
    "no scopes": Caller(OPEN, "tools:invoke"),
    "other scopes": Caller(OPEN, "other:use tools:admin tools:invoke vault VAULT:USE vault:use:more"),
    "matching scope": Caller(OPEN | {"quartz", "opal"}, "tools:invoke spare:use opal:use", discovery="none"),
    "matching role, and scope without role": Caller(OPEN | {"topaz"}, "tools:invoke mixed:use", ("surgeon",)),
    "wrong role, and role without scope": Caller(OPEN, "tools:invoke", ("other-role", "mixed-role")),
    "scope and role": Caller(OPEN | {"garnet"}, "tools:invoke mixed:use", ("mixed-role",)),
    "scope of a version": Caller(OPEN | {"pearl"}, "tools:invoke pearl:use"),
}


@dataclass(frozen=True)
class Ask:
    """A call; `{word}` in it is each word in turn.

    `shows` says which words the answer must hold for those who may see them: none, those that are alive, or
    all. With a word in the call, `finds` is the status for those who may see it and `hides` for all others.
    """

    path: str
    body: dict[str, Any] | None = None
    is_page: bool = False
    shows: str = "none"
    finds: int = 200
    hides: int = 200


NINE = {"provider": "{word}-team", "version": "9.0.0", "description": "Something else."}
DETAILS: dict[str, Any] = {"shows": "all", "hides": 404}
ROUTES: dict[str, list[Ask]] = {
    "": [
        Ask("/", shows="http"),
        Ask("/", is_page=True, shows="alive"),
        Ask("/?q={word}", is_page=True),
        Ask("/?q=send", is_page=True),
        Ask("/?provider={word}-team", is_page=True),
        Ask("/?after=a:", is_page=True, shows="alive"),
        Ask("/?include_deprecated=true", is_page=True, shows="alive"),
    ],
    "catalogue": [Ask("/catalogue", is_page=True, finds=302, hides=302)],
    "catalogue/": [Ask("/catalogue/", is_page=True, finds=302, hides=302)],
    "catalogue/<str:tool_id>": [Ask("/catalogue/{word}-team:{word}:1.0.0", is_page=True, **DETAILS)],
    "catalogue/<path:rest>": [Ask("/catalogue/{word}/{word}", is_page=True, finds=404, hides=404)],
    "clients": [Ask("/clients", is_page=True, finds=302, hides=302)],
    "docs": [Ask("/docs", is_page=True)],
    "openapi.json": [Ask("/openapi.json")],
    "health": [Ask("/health", finds=503, hides=503)],  # no worker runs beside this test
    "health/live": [Ask("/health/live")],
    ".well-known/oauth-authorization-server": [Ask("/.well-known/oauth-authorization-server")],
    ".well-known/oauth-authorization-server/mcp": [Ask("/.well-known/oauth-authorization-server/mcp")],
    ".well-known/oauth-protected-resource": [Ask("/.well-known/oauth-protected-resource")],
    ".well-known/oauth-protected-resource/mcp": [Ask("/.well-known/oauth-protected-resource/mcp")],
    "authorize": [Ask("/authorize?client_id={word}&scope={word}:use", is_page=True, finds=302, hides=302)],
    "login": [Ask("/login?next=/api/tools/{word}", is_page=True)],
    "api/tools/available": [
        Ask("/api/tools/available", shows="alive"),
        Ask("/api/tools/available?include_deprecated=true&limit=1000", shows="alive"),
        Ask("/api/tools/available?limit=1"),
        Ask("/api/tools/available?category={word}"),
        Ask("/api/tools/available?tag={word}"),
        Ask("/api/tools/available?provider={word}-team"),
    ],
    "api/tools/search": [
        Ask("/api/tools/search", {"query": "send something", "top_k": 100}, shows="alive"),
        Ask("/api/tools/search", {"query": "send {word}"}),
        Ask("/api/tools/search", {"query": "{word}"}),
        Ask("/api/tools/search", {"query": "send", "provider": "{word}-team"}),
        Ask("/api/tools/search", {"query": "send", "category": "{word}", "max_tokens": 100}),
    ],
    "api/tools/describe": [
        Ask("/api/tools/describe?format=openai", shows="alive"),
        Ask("/api/tools/describe?format=seed_004&language=de&include_deprecated=true", shows="alive"),
        Ask("/api/tools/describe?format=mcp&query=send+{word}"),
        Ask("/api/tools/describe?format=anthropic&category={word}&provider={word}-team"),
    ],
    "api/tools/resolve": [
        Ask("/api/tools/resolve?ref={word}", shows="alive", hides=404),
        Ask("/api/tools/resolve?ref={word}-team/{word}@^1", shows="alive", hides=404),
        Ask("/api/tools/resolve?name={word}&provider={word}-team&version=1.0.0", shows="alive", hides=404),
        Ask("/api/tools/resolve?ref={word}@^9", finds=404, hides=404),
        Ask("/api/tools/resolve?ref={word}x", finds=404, hides=404),
        Ask("/api/tools/resolve?ref=x{word}-team/{word}", finds=404, hides=404),
    ],
    "api/tools/<str:tool_id>": [
        Ask("/api/tools/{word}-team:{word}:1.0.0", **DETAILS),
        Ask("/api/tools/{word}-team:{word}x:1.0.0", finds=404, hides=404),
        Ask("/api/tools/{word}-team:{word}:1.0.9", finds=404, hides=404),
    ],
    "api/tools/<str:provider>/<str:name>/versions": [
        Ask("/api/tools/{word}-team/{word}/versions", **DETAILS),
        Ask("/api/tools/{word}-team/{word}x/versions", finds=404, hides=404),
    ],
    "api/tools/compatibility": [
        Ask("/api/tools/compatibility", {"new": "{word}", "old": "{word}-team/{word}@1.0.0"}, hides=404),
        Ask("/api/tools/compatibility", {"new": {**NINE, "name": "{word}"}}, hides=404),
        Ask("/api/tools/compatibility", {"new": "{word}-team:{word}:1.0.9"}, finds=404, hides=404),
    ],
    "api/tools/invoke": [
        Ask("/api/tools/invoke", {"tool": "{word}", "dry_run": True}, hides=404),
        Ask("/api/tools/invoke", {"tool": "{word}-team/{word}@^1", "dry_run": True}, hides=404),
        Ask("/api/tools/invoke", {"tool": "{word}-team:{word}:1.0.0", "dry_run": True}, hides=404),
        Ask("/api/tools/invoke", {"tool": "{word}x"}, finds=404, hides=404),
    ],
    "call/<path:tool>": [Ask("/call/{word}x", {}, finds=404, hides=404)],
    "api/approvals": [Ask("/api/approvals")],
    "api/approvals/<str:approval>": [Ask("/api/approvals/{word}", finds=404, hides=404)],
    "api/stats/usage": [Ask("/api/stats/usage")],
    "api/stats/unused": [Ask("/api/stats/unused?days=1")],
    "api/events": [Ask("/api/events?limit=1000")],
    "api/agents/me/bindings": [],  # of the caller alone: tests/consumers
    "api/sessions": [Ask("/api/sessions")],
    "api/sessions/<str:session_id>": [Ask("/api/sessions/{word}", finds=404, hides=404)],
    "api/sessions/<str:session_id>/transcript": [],  # as the one before: tests/consumers/sessions
    "api/agents/me/events": [],
    "api/tools/<str:provider>/<str:name>/consumers": [],  # of owners and operators alone: tests/consumers
    "api/tools/<str:provider>/<str:name>/channels": [
        Ask("/api/tools/{word}-team/{word}/channels", hides=404),
        Ask("/api/tools/{word}-team/{word}x/channels", finds=404, hides=404),
    ],
    "api/stats": [Ask("/api/stats")],
    "tools/<str:name>": [
        Ask("/tools/{word}", shows="http", hides=404),
        Ask("/tools/{word}x", finds=404, hides=404),
        Ask("/tools/{word}-team__{word}", finds=404, hides=404),
    ],
    "stats": [Ask("/stats")],
}
WRITES = {
    "token",
    "revoke",
    "introspect",
    "logout",
    "clients/<str:client_id>/secret",
    "clients/<str:client_id>/tokens",
    "api/tools/register",
    "api/tools/heartbeat",
    "api/tools/deregister",
    "api/agents/me/events/ack",
    "api/agents/me/usage",
    "api/approvals/<uuid:approval>/approve",
    "api/approvals/<uuid:approval>/reject",
    "api/tools/<str:tool_id>/token",
    "api/memory/store_memory",
    "api/memory/get_compressed_memory",
    "api/tools/<str:provider>/<str:name>/channels/<str:channel>",
    "api/tools/<str:provider>/<str:name>/migrations",
    "api/tools/<str:provider>/<str:name>/migrations/<int:migration>/rollback",
    "api/tools/<str:tool_id>/deprecate",
    "api/tools/<str:tool_id>/yank",
    "api/tools/<str:tool_id>/restore",
    "api/tools/<str:tool_id>/retire",
    "tools/register",
}
"""They answer no GET; of who is not logged in, none at all. `tests/oauth/test_attacks.py` tries to write."""


def _routes(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def test_every_address_is_walked_or_known_to_read_nothing():
    found = {route for route in _routes(get_resolver().url_patterns) if not route.startswith("admin/")}

    assert found == ROUTES.keys() | WRITES


@pytest.mark.django_db
@pytest.mark.parametrize("route", sorted(WRITES))
def test_what_only_writes_answers_no_get(route):
    answer = Client().get(f"/{route}")

    # 404: a GET of /tools/register asks for a tool of this name. 302: to the login.
    assert answer.status_code in {302, 404, 405}


def _document(word: str, **changes: Any) -> dict[str, Any]:
    known = {
        "provider": f"{word}-team",
        "name": word,
        "description": f"Send a {word}.",
        "parameters": [{"name": f"{word}_argument", "type": "string", "description": f"The {word}."}],
        "capabilities": {"categories": [word, "shared"], "tags": [word]},
        "endpoint": {"url": f"http://{word}.example/call"},
    }
    return known | changes


def _make_catalogue() -> None:
    for word in CATALOGUE.keys() - {"pearl", "coral"}:
        make_registration(
            seconds=0,
            instance="host-1" if word in DEAD else None,
            review_required=word == "jasper",
            **_document(word, **CATALOGUE[word]),
        )
    _register(_document("pearl", provider="amber-team", name="amber", version="2.0.0", scopes=["pearl:use"]))
    _register(_document("amber", description="Send a coral.", examples=["coral"]), review_required=True)
    rows = ToolRegistration.objects
    rows.filter(tool_id__startswith="beryl").update(review=ToolRegistration.Review.REJECTED)
    onyx = rows.get(tool_id__startswith="onyx")
    lifecycle.retire(onyx.pk, now=timezone.now())
    ToolInstance.objects.update(last_beat_at=timezone.now() - timedelta(days=1))


def _register(document: dict[str, Any], *, review_required: bool = False) -> None:
    [outcome] = register(document, review_required=review_required)
    assert outcome.problem is None


def _client(caller: Caller) -> Client:
    if caller.scopes is None:
        return Client()
    application: Application = make_application("caller", roles=list(caller.roles))
    return Client(headers={"authorization": f"Bearer {make_token(caller.scopes, application=application)}"})


_OF_THE_MOMENT = {"X-Request-Id", "Content-Length", "Expires"}
_CSRF_TOKEN = re.compile(r'(?<="csrfmiddlewaretoken" value=")\w+')


def _answer(client: Client, ask: Ask, word: str = "") -> tuple[int, str]:
    headers = {"accept": "text/html" if ask.is_page else "application/json"}
    path = ask.path.replace("{word}", word)
    if ask.body is None:
        answer = client.get(path, headers=headers)
    else:
        body = json.dumps(ask.body).replace("{word}", word)
        answer = client.post(path, body, content_type="application/json", headers=headers)
    named = "".join(f"{name}: {value}\n" for name, value in answer.items() if name not in _OF_THE_MOMENT)
    return answer.status_code, (named + _CSRF_TOKEN.sub("", answer.content.decode())).lower()


def _shown(ask: Ask, caller: Caller) -> frozenset[str]:
    """Return the words that an answer must hold, of those that the caller may see."""
    shown = {
        "none": frozenset[str](),
        "all": caller.sees,
        "alive": caller.sees - DEAD,
        "http": caller.sees - DEAD,
    }[ask.shows]
    # Its newer version stands for amber wherever one version is shown.
    return shown - ({"amber"} if "pearl" in caller.sees and ask.shows != "all" else set())


def _check_general(client: Client, ask: Ask, caller: Caller) -> None:
    status, text = _answer(client, ask)

    seen = {word for word in CATALOGUE if word in text}
    assert status == ask.finds, (ask, text)
    assert seen <= caller.sees | ({"amber"} if "pearl" in caller.sees else set()), ask
    assert _shown(ask, caller) <= seen, ask


def _check_each(client: Client, ask: Ask, caller: Caller) -> None:
    unknown = _answer(client, ask, UNKNOWN)
    assert unknown[0] == ask.hides, (ask, unknown)
    for word in CATALOGUE:
        status, text = _answer(client, ask, word)
        if word not in caller.sees:
            assert (status, text.replace(word, UNKNOWN)) == unknown, (ask, word)
            continue
        others = {other for other in CATALOGUE if other in text} - {word}
        assert others <= caller.sees, (ask, word)
        if word in _shown(ask, caller) and word != "pearl":
            assert (status, f"a {word}." in text) == (ask.finds, True), (ask, word, text)


def _before_the_catalogue(settings, name):
    """Return a caller and its client, once everything is registered that it may or may not see."""
    caller = CALLERS[name]
    settings.DISCOVERY_ANONYMOUS = caller.discovery
    _make_catalogue()
    return caller, _client(caller)


@pytest.mark.django_db
@pytest.mark.parametrize("name", CALLERS)
def test_nobody_finds_a_trace_of_what_they_may_not_see(settings, name):
    caller, client = _before_the_catalogue(settings, name)

    for ask in (ask for asks in ROUTES.values() for ask in asks):
        is_each = "{word}" in ask.path + json.dumps(ask.body)
        (_check_each if is_each else _check_general)(client, ask, caller)


@pytest.mark.django_db
@pytest.mark.parametrize("name", CALLERS)
def test_nobody_counts_what_they_may_not_see(settings, name):
    caller, client = _before_the_catalogue(settings, name)
    tools = len(caller.sees - {"pearl"})
    alive = len(caller.sees - {"pearl"} - DEAD)

    stats = client.get("/api/stats").json()
    seed = client.get("/stats").json()

    assert (stats["tools"], stats["registrations"], stats["providers"]) == (tools, len(caller.sees), tools)
    assert sum(stats["by_health"].values()) == sum(stats["by_lifecycle"].values()) == len(caller.sees)
    assert stats["by_category"].keys() - {"shared"} == caller.sees
    assert (seed["total_tools"], seed["providers"]) == (alive, tools)
    assert client.get("/").json()["total_available"] == alive
