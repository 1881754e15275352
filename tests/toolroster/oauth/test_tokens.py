import asyncio
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
from toolroster.errors import InsufficientScope, TokenInvalid, Unavailable
from toolroster.oauth import CheckedToken, TokenChecker

AUDIENCE = "http://tool.test"


def make_checker(server: AuthorizationServer, clock: Clock | None = None, **options: Any) -> TokenChecker:
    """Return a checker whose two clocks are one: `clock` is the time of day and the monotonic one."""
    clock = clock or Clock()
    given = {"audience": AUDIENCE, "wire": replace(IMPATIENT, ticks=clock), "clock": clock, **options}
    return TokenChecker(server.url + "/introspect", "tool", "hush", **given)


def active(**members: Any) -> dict[str, Any]:
    return {"active": True, "sub": "agent", "scope": "email:send", "aud": AUDIENCE, **members}


def check(checker: TokenChecker, token: str, scopes: tuple[str, ...] = (), *, is_async: bool) -> CheckedToken:
    return asyncio.run(checker.check_async(token, scopes)) if is_async else checker.check(token, scopes)


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_the_server_is_asked_by_post_as_a_client(server, is_async):
    server.tokens["good"] = active()

    token = check(make_checker(server), "good", is_async=is_async)

    assert token.subject == "agent"
    assert server.asked[0].form == {"token": "good", "token_type_hint": "access_token"}
    assert server.asked[0].headers["authorization"] == "Basic dG9vbDpodXNo"


def test_the_secret_can_go_into_the_form(server):
    server.tokens["good"] = active()

    make_checker(server, method="client_secret_post").check("good")

    assert server.asked[0].form["client_secret"] == "hush"


@both
@pytest.mark.parametrize("members", [{"active": False}, {"exp": 1000}, {"aud": "http://other.test"}])
def test_a_token_that_does_not_count_is_invalid(server, members, is_async):
    server.tokens["bad"] = active(**members)

    with pytest.raises(TokenInvalid) as caught:
        check(make_checker(server), "bad", is_async=is_async)

    assert (caught.value.code, caught.value.status) == ("invalid_token", 401)


def test_a_token_of_another_issuer_is_invalid(server):
    server.tokens["foreign"] = active(iss="http://evil.test")

    with pytest.raises(TokenInvalid, match="another issuer"):
        make_checker(server, issuer="http://tools.test").check("foreign")


@pytest.mark.parametrize("token", ["a" * 4097, "a b", "", "ä"])
@both
def test_what_cannot_be_a_token_is_refused_without_asking(server, token, is_async):
    with pytest.raises(TokenInvalid, match="malformed"):
        check(make_checker(server), token, is_async=is_async)

    assert server.asked == []


def test_the_registry_s_own_audience_is_accepted(server):
    server.tokens["good"] = active(aud=[server.url + "/"])

    assert make_checker(server).check("good").audience == (server.url + "/",)


def test_the_registry_s_audience_can_be_named(server):
    server.tokens["good"] = active(aud="https://tools.test")
    server.tokens["bad"] = active(aud=server.url)
    checker = make_checker(server, registry_audience="https://tools.test/")

    assert checker.check("good").subject == "agent"
    with pytest.raises(TokenInvalid, match="another audience"):
        checker.check("bad")


def test_a_strict_service_accepts_its_own_audience_only(server):
    server.tokens["own"] = active()
    server.tokens["registry"] = active(aud=server.url)
    checker = make_checker(server, accepts_registry_audience=False)

    assert checker.check("own").subject == "agent"
    with pytest.raises(TokenInvalid, match="another audience"):
        checker.check("registry")


@both
def test_any_one_of_the_scopes_is_enough(server, is_async):
    server.tokens["good"] = active()

    token = check(make_checker(server), "good", ("email:read", "email:send"), is_async=is_async)

    assert token.scopes == {"email:send"}


@both
def test_without_any_of_the_scopes_the_error_names_them(server, is_async):
    server.tokens["good"] = active()

    with pytest.raises(InsufficientScope, match="lacks the scope a or b") as caught:
        check(make_checker(server), "good", ("a", "b"), is_async=is_async)

    assert caught.value.scopes == ("a", "b")
    assert (caught.value.code, caught.value.status) == ("insufficient_scope", 403)


@both
def test_an_answer_counts_for_some_seconds(server, is_async):
    clock = Clock()
    checker = make_checker(server, clock)
    server.tokens["good"] = active()
    check(checker, "good", is_async=is_async)
    server.tokens.clear()  # revoked

    clock.now += 4.9
    check(checker, "good", is_async=is_async)
    clock.now += 0.1

    with pytest.raises(TokenInvalid):
        check(checker, "good", is_async=is_async)


def test_an_answer_ages_from_when_it_was_asked_for(server):
    clock = Clock()
    server.tokens["good"] = active()
    checker = make_checker(server, clock)
    answer = checker.wire.send(checker._secret.post(checker._url, {"token": "good"}))
    clock.now += 3

    checker._learn("key", answer, clock.now - 3)
    clock.now += 2

    assert checker._recall("key") is None


def test_no_answer_counts_beyond_the_token_s_end(server):
    clock = Clock()
    checker = make_checker(server, clock, cache_seconds=3600)
    server.tokens["good"] = active(exp=clock.now + 10)

    checker.check("good")
    clock.now += 10

    with pytest.raises(TokenInvalid, match="has expired"):
        checker.check("good")


def test_setting_the_time_of_day_back_gives_no_longer_life(server):
    ticks, day = Clock(), Clock()
    checker = make_checker(server, day, wire=replace(IMPATIENT, ticks=ticks))
    server.tokens["good"] = active()
    checker.check("good")
    server.tokens.clear()

    ticks.now += 5
    day.now -= 3600

    with pytest.raises(TokenInvalid):
        checker.check("good")


@both
def test_a_refusal_counts_shortly(server, is_async):
    clock = Clock()
    checker = make_checker(server, clock)
    for seconds in (0, 0.9):
        clock.now += seconds
        with pytest.raises(TokenInvalid):
            check(checker, "late", is_async=is_async)
    server.tokens["late"] = active()

    clock.now += 0.1

    assert check(checker, "late", is_async=is_async).subject == "agent"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(active(), cut=True),
        Reply(b"<html>"),
        Reply(active(), headers={"Content-Type": "text/html"}),
        Reply({"error": "invalid_client"}, status=401),
        Reply(status=302, headers={"Location": "/elsewhere"}),
    ],
)
@both
def test_a_check_that_fails_lets_nobody_in(server, reply, is_async):
    server.tokens["good"] = active()
    server.next(reply)

    with pytest.raises(Unavailable):
        check(make_checker(server), "good", is_async=is_async)


def test_an_old_answer_does_not_stand_in_for_a_server_that_is_down(server):
    clock = Clock()
    checker = make_checker(server, clock)
    server.tokens["good"] = active()
    checker.check("good")
    server.next(Reply(status=500))
    clock.now += 5

    with pytest.raises(Unavailable):
        checker.check("good")


def test_a_failure_is_not_remembered(server):
    checker = make_checker(server)
    server.tokens["good"] = active()
    server.next(Reply(status=500))
    with pytest.raises(Unavailable):
        checker.check("good")

    assert checker.check("good").subject == "agent"


def test_threads_share_one_check_of_a_token(server):
    server.tokens["good"] = active()
    crowd = Crowd(server)
    checker = make_checker(server, wire=replace(IMPATIENT, ticks=crowd.ticks))

    assert len(crowd.answers(lambda: checker.check("good"))) == 1
    assert len(server.asked) == 1


def test_tasks_share_one_check_of_each_token(server):
    server.tokens.update(one=active(), two=active())
    checker = make_checker(server)

    async def story() -> None:
        await asyncio.gather(*[checker.check_async(token) for token in ("one", "two") * 8])

    asyncio.run(story())

    assert sorted(asked.form["token"] for asked in server.asked) == ["one", "two"]


@both
def test_who_comes_just_after_the_landing_asks_no_more(server, is_async):
    server.tokens["good"] = active()
    checker = make_checker(server)
    checker.check("good")
    (key,) = checker._accepted._entries

    late = asyncio.run(checker._ask_async(key, "good")) if is_async else checker._ask(key, "good")

    assert isinstance(late, CheckedToken)
    assert len(server.asked) == 1


def test_the_memory_is_bounded_and_bad_tokens_do_not_push_out_good_ones(server):
    server.tokens["good"] = active()
    checker = make_checker(server, most_cached=2)
    checker.check("good")
    for number in range(4):
        with pytest.raises(TokenInvalid):
            checker.check(f"bad-{number}")

    checker.check("good")

    assert (len(checker._accepted), len(checker._refused)) == (1, 2)
    assert [asked.form["token"] for asked in server.asked].count("good") == 1


def test_neither_the_secret_nor_tokens_are_shown_or_kept(server):
    server.tokens["precious"] = active()
    checker = make_checker(server)
    checker.check("precious")

    shown = repr(checker) + repr(checker._accepted._entries)

    assert "hush" not in shown
    assert "precious" not in shown
