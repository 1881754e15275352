"""Checks of access tokens, from the process, from Valkey and from the database."""

from contextlib import suppress
from datetime import datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from oauth2_provider.models import AccessToken

from oauth import tokens
from oauth.models import Application, ScopeGrant
from oauth.tokens import CheckedToken
from tests.factories import make_application, make_token
from toolroster.errors import TokenInvalid

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def _without_valkey(settings):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    settings.CACHES = {"default": dead}


def _queries(token: str, now: datetime) -> int:
    with CaptureQueriesContext(connection) as captured, suppress(TokenInvalid):
        tokens.check(token, now=now)
    return len(captured)


def _later(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)


def test_a_token_says_what_it_stands_for(now):
    application = make_application(roles=["clerk", "boss"])
    user = get_user_model().objects.create_user("ann")
    token = make_token("sms:use mail:use", application=application, user=user, audience=["https://a", "b"])

    checked = tokens.check(token, now=now)

    assert checked == CheckedToken(
        client_id=application.client_id,
        application_id=application.pk,
        user_id=user.pk,
        scopes=("mail:use", "sms:use"),
        roles=("boss", "clerk"),
        audience=("https://a", "b"),
        expires_at=AccessToken.objects.get().expires.timestamp(),
        checked_at=now.timestamp(),
    )


def test_valkey_gives_back_what_the_database_said(now):
    application = make_application(roles=["clerk"])
    token = make_token("mail:use", application=application)
    from_database = tokens.check(token, now=now)
    tokens.forget()

    assert tokens.check(token, now=now) == from_database


def test_one_query_looks_a_token_up_and_none_while_it_is_fresh(now):
    token = make_token("mail:use", application=make_application(roles=["clerk"]))

    counts = [_queries(token, now), _queries(token, _later(now, 4.9)), _queries(token, _later(now, 5))]

    assert counts == [1, 0, 1]  # the token, its application and person, and the grants, in one


def test_another_process_asks_valkey_instead_of_the_database(now):
    token = make_token("mail:use")
    tokens.check(token, now=now)
    tokens.forget()

    assert _queries(token, _later(now, 4.9)) == 0


def test_both_caches_together_are_fresh_no_longer_than_one(now):
    token = make_token("mail:use")
    tokens.check(token, now=now)
    tokens.forget()
    tokens.check(token, now=_later(now, 4.9))  # from Valkey into the process

    assert _queries(token, _later(now, 5)) == 1


def test_a_clock_that_runs_behind_takes_no_answer_from_the_future(now):
    token = make_token("mail:use")
    tokens.check(token, now=_later(now, 60))

    assert _queries(token, now) == 1


def _revoke(application: Application) -> None:
    AccessToken.objects.all().delete()


def _delete(application: Application) -> None:
    application.delete()


def _close_account(application: Application) -> None:
    get_user_model().objects.update(is_active=False)


@pytest.mark.parametrize("is_forgotten", [False, True], ids=["in the process", "in Valkey"])
@pytest.mark.parametrize("end", [_revoke, _delete, _close_account])
def test_what_ends_a_token_bites_within_five_seconds(now, end, is_forgotten):
    application = make_application()
    token = make_token("mail:use", application=application, user=get_user_model().objects.create_user("ann"))
    tokens.check(token, now=now)
    end(application)
    if is_forgotten:
        tokens.forget()

    with pytest.raises(TokenInvalid):
        tokens.check(token, now=_later(now, 5))


@pytest.mark.parametrize("is_forgotten", [False, True], ids=["in the process", "in Valkey"])
def test_a_withdrawn_grant_and_a_removed_role_bite_within_five_seconds(now, is_forgotten):
    application = make_application(roles=["clerk", "boss"])
    token = make_token("mail:use sms:use", application=application)
    tokens.check(token, now=now)
    ScopeGrant.objects.filter(scope__name="mail:use").delete()
    Application.objects.update(roles=["clerk"])
    if is_forgotten:
        tokens.forget()

    checked = tokens.check(token, now=_later(now, 5))

    assert (checked.scopes, checked.roles) == (("sms:use",), ("clerk",))


@pytest.mark.parametrize("is_forgotten", [False, True], ids=["in the process", "in Valkey"])
def test_a_token_ends_on_time_while_its_answer_is_fresh(now, is_forgotten):
    token = make_token("mail:use", seconds=2)
    tokens.check(token, now=now)
    if is_forgotten:
        tokens.forget()

    with pytest.raises(TokenInvalid, match="expired"):
        tokens.check(token, now=_later(now, 3))


def test_a_token_ends_at_its_very_end(now):
    token = make_token()
    end = AccessToken.objects.get().expires

    assert tokens.check(token, now=end - timedelta(microseconds=1)).checked_at
    with pytest.raises(TokenInvalid):
        tokens.check(token, now=end)


def test_what_is_invalid_is_looked_up_each_time(now):
    assert [_queries("unknown", now), _queries("unknown", now)] == [1, 1]


def test_a_token_without_an_application_is_no_token(now):
    token = make_token(user=get_user_model().objects.create_user("ann"))
    AccessToken.objects.update(application=None)

    with pytest.raises(TokenInvalid, match="application"):
        tokens.check(token, now=now)


@pytest.mark.usefixtures("_without_valkey")
def test_without_valkey_tokens_are_checked_and_the_log_says_so(now, caplog):
    token = make_token("mail:use")

    counts = [_queries(token, now), _queries(token, _later(now, 4)), _queries(token, _later(now, 5))]

    assert counts == [1, 0, 1]
    assert "tokens are checked without Valkey" in caplog.messages


@pytest.mark.parametrize(
    "text",
    ["", " ", "=", "a b", "a\n", "\n", "a\0", "ä", "٣", "a=b", "a'--", "a" * 4097, "a" + "=" * 4096, "a,b"],
)
def test_what_is_no_token_reaches_neither_valkey_nor_the_database(now, text):
    with pytest.raises(TokenInvalid, match="malformed"):
        tokens.check(text, now=now)

    assert _queries(text, now) == 0


@pytest.mark.parametrize("text", ["a" * 4096, "a" * 4095 + "=", "aZ09-._~+/=="])
def test_every_token_of_the_grammar_is_looked_up(now, text):
    assert _queries(text, now) == 1


def test_no_more_than_ten_thousand_answers_are_remembered(now):
    answer = tokens.check(make_token("mail:use"), now=now)
    tokens.forget()

    for number in range(tokens.MOST_REMEMBERED + 1):
        tokens.remembered.put(str(number), answer, until=answer.expires_at)

    assert len(tokens.remembered) == tokens.MOST_REMEMBERED
    assert tokens.remembered.get("0", now=now.timestamp()) is None
    assert tokens.remembered.get(str(tokens.MOST_REMEMBERED), now=now.timestamp()) == answer


def test_the_token_itself_is_in_no_cache(now):
    token = make_token("mail:use")
    tokens.check(token, now=now)

    assert cache.get(f"tr:token:{tokens.key_of(token)}") is not None
    assert token not in str(cache.get(f"tr:token:{tokens.key_of(token)}"))
    assert tokens.remembered.get(token, now=now.timestamp()) is None
