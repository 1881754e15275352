import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest

from tests.toolroster.oauth.server import (
    IMPATIENT,
    AuthorizationServer,
    Clock,
    Crowd,
    Reply,
)
from toolroster.errors import PermissionMissing, Unauthenticated, Unavailable
from toolroster.oauth import ClientCredentials

THREADS = 32


def make_client(server: AuthorizationServer, clock: Clock | None = None, **options: Any) -> ClientCredentials:
    wire = replace(IMPATIENT, ticks=clock or Clock())
    return ClientCredentials(server.url + "/token", "mail-agent", "hush", **{"wire": wire, **options})


def get(client: ClientCredentials, *, is_async: bool) -> str:
    return asyncio.run(client.token_async()) if is_async else client.token()


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_a_token_is_asked_for_with_scopes_and_resource(server, is_async):
    client = make_client(server, scopes=["email:send", "calendar:read"], resource="http://tools.test")

    token = get(client, is_async=is_async)

    assert token == "token-1"
    assert server.asked[0].form == {
        "grant_type": "client_credentials",
        "scope": "email:send calendar:read",
        "resource": "http://tools.test",
    }
    assert server.asked[0].headers["authorization"] == "Basic bWFpbC1hZ2VudDpodXNo"


def test_without_scopes_and_resource_the_server_chooses(server):
    make_client(server, method="client_secret_post").token()

    assert server.asked[0].form == {
        "grant_type": "client_credentials",
        "client_id": "mail-agent",
        "client_secret": "hush",
    }


@both
def test_a_token_is_kept_until_shortly_before_its_end(server, is_async):
    clock = Clock()
    client = make_client(server, clock)
    get(client, is_async=is_async)

    clock.now += 3569
    kept = get(client, is_async=is_async)
    clock.now += 1
    renewed = get(client, is_async=is_async)

    assert (kept, renewed) == ("token-1", "token-2")


def test_threads_share_one_request(server):
    crowd = Crowd(server)
    client = make_client(server, wire=replace(IMPATIENT, ticks=crowd.ticks))

    assert crowd.answers(client.token) == {"token-1"}
    assert len(server.asked) == 1


def test_tasks_share_one_request(server):
    client = make_client(server)

    async def story() -> set[str]:
        return set(await asyncio.gather(*[client.token_async() for _ in range(THREADS)]))

    assert asyncio.run(story()) == {"token-1"}
    assert len(server.asked) == 1


@both
def test_who_comes_just_after_the_landing_asks_no_more(server, is_async):
    client = make_client(server)
    client.token()

    late = asyncio.run(client._fetch_async()) if is_async else client._fetch()

    assert late.value == "token-1"


def test_every_event_loop_can_use_the_same_client(server):
    client = make_client(server)

    tokens = []
    for _ in range(2):
        tokens.append(asyncio.run(client.token_async()))
        client.invalidate()

    assert tokens == ["token-1", "token-2"]


def test_an_invalid_token_is_forgotten(server):
    client = make_client(server)
    client.invalidate()
    old = client.token()

    client.invalidate(old)

    assert client.token() == "token-2"


def test_a_late_complaint_about_an_old_token_leaves_the_new_one(server):
    client = make_client(server)
    old = client.token()
    client.invalidate(old)
    new = client.token()

    client.invalidate(old)

    assert client.token() == new


@both
def test_a_valid_token_outlasts_a_failed_refresh(server, is_async):
    clock = Clock()
    client = make_client(server, clock)
    get(client, is_async=is_async)
    server.next(Reply(status=500), Reply(b"<html>"))

    tokens = []
    for seconds in (3580, 4, 1, 5):  # in the leeway, within the rest, asked again and garbage, then well
        clock.now += seconds
        tokens.append(get(client, is_async=is_async))

    assert tokens == ["token-1", "token-1", "token-1", "token-4"]


@both
def test_a_token_is_not_used_beyond_its_end(server, is_async):
    clock = Clock()
    client = make_client(server, clock)
    get(client, is_async=is_async)
    server.next(Reply(status=500))
    clock.now += 3600

    with pytest.raises(Unavailable):
        get(client, is_async=is_async)


@pytest.mark.parametrize(
    ("reply", "raised"),
    [
        (Reply({"error": "invalid_client"}, status=401), Unauthenticated),
        (Reply({"error": "invalid_scope"}, status=400), PermissionMissing),
        (Reply(status=503), Unavailable),
    ],
)
@both
def test_a_refusal_is_raised_and_not_remembered(server, reply, raised, is_async):
    client = make_client(server)
    server.next(reply)

    with pytest.raises(raised):
        get(client, is_async=is_async)

    assert get(client, is_async=is_async) == "token-2"


def test_neither_repr_nor_logs_nor_errors_show_secrets(server, caplog):
    caplog.set_level(logging.DEBUG)
    client = make_client(server)
    client.token()
    client.invalidate()
    server.next(Reply(status=500))
    with pytest.raises(Unavailable) as caught:
        client.token()

    shown = " ".join([repr(client), caplog.text, repr(caught.value), repr(client._held)])

    assert "mail-agent" in shown
    assert not any(secret in shown for secret in ("hush", "bWFpbC1hZ2VudDpodXNo", "token-1"))
