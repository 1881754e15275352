"""Who guesses secrets is slowed down, by client."""

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache

from oauth import attempts
from oauth.attempts import Claim, Claimed
from oauth.models import AccessEvent
from tests.factories import NOW, make_token
from tests.oauth.client import basic, credentials, make_machine, post, post_json

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forget_failures():
    cache.clear()


def _by_basic(application, number: int):
    headers = basic(application.client_id, f"guess-{number}")
    return post("/token", {"grant_type": "client_credentials"}, headers=headers)


def _in_the_body(application, number: int):
    return post("/token", credentials(application, client_secret=f"guess-{number}"))


def _by_json(application, number: int):
    return post_json("/token", credentials(application, client_secret=f"guess-{number}"))


def _by_basic_behind_another_name(application, number: int):
    headers = basic(application.client_id, f"guess-{number}")
    return post("/token", {"grant_type": "client_credentials", "client_id": f"n-{number}"}, headers=headers)


def _in_the_body_behind_another_name(application, number: int):
    sent = credentials(application, client_secret=f"guess-{number}")
    return post("/token", sent, headers=basic(f"n-{number}"))


def _by_introspecting(application, number: int):
    return post("/introspect", {"token": "x"}, headers=basic(application.client_id, f"guess-{number}"))


def _by_revoking(application, number: int):
    return post("/revoke", {"token": "x"}, headers=basic(application.client_id, f"guess-{number}"))


WAYS = [
    _by_basic,
    _in_the_body,
    _by_json,
    _by_basic_behind_another_name,
    _in_the_body_behind_another_name,
    _by_introspecting,
    _by_revoking,
]


@pytest.mark.parametrize("guess", WAYS)
def test_ten_wrong_secrets_in_any_way_block_every_way_for_a_minute(guess):
    application = make_machine("introspection")
    for number in range(10):
        assert guess(application, number).status_code == 401

    answers = [post("/token", credentials(application)), *(way(application, 11) for way in WAYS)]

    assert {answer.status_code for answer in answers} == {429}
    assert {answer["Retry-After"] for answer in answers} == {"60"}
    assert answers[0].json()["error"] == "slow_down"


def test_nine_wrong_secrets_and_the_right_one_go_on():
    application = make_machine()
    for number in range(9):
        _by_basic(application, number)

    assert post("/token", credentials(application)).status_code == 200


def test_other_clients_go_on_and_tokens_count_on():
    application, other = make_machine(), make_machine(name="other")
    token = make_token(application=application)
    for number in range(10):
        _by_basic(application, number)

    seen = post_json("/api/tools/search", {"query": "x"}, headers={"authorization": f"Bearer {token}"})

    assert post("/token", credentials(other)).status_code == 200
    assert seen.status_code == 200


def test_what_a_client_may_not_ask_for_is_no_failed_attempt():
    application = make_machine()
    for _ in range(12):
        post("/token", credentials(application, scope="tools:admin"))

    assert post("/token", credentials(application)).status_code == 200


def test_strangers_without_a_name_block_nobody():
    for _ in range(12):
        answer = post("/token", {"grant_type": "client_credentials"})

    assert answer.status_code == 401


def test_a_failure_is_logged_with_the_client_and_without_the_secret(caplog):
    application = make_machine()

    _by_basic(application, 1)

    failure = next(record for record in caplog.records if record.name == "oauth.attempts")
    assert vars(failure)["client"] == application.client_id
    assert "guess-1" not in caplog.text
    assert basic(application.client_id, "guess-1")["authorization"] not in caplog.text


@pytest.mark.usefixtures("_without_valkey")
def test_without_valkey_nobody_is_slowed_down_and_the_log_says_so(caplog):
    application = make_machine()
    for number in range(11):
        assert _by_basic(application, number).status_code == 401

    assert post("/token", credentials(application)).status_code == 200
    assert "failed attempts are not counted: Valkey is down" in caplog.messages
    assert "a failed attempt was not counted" in caplog.messages


def test_a_client_id_of_any_length_is_one_key():
    claimed = Claimed(Claim.CLIENT, "x" * 100_000)
    for _ in range(10):
        attempts.note_failure(claimed, now=NOW)

    assert len(claimed.key) < 100
    assert attempts.is_blocked(claimed)
    assert not AccessEvent.objects.exists()


def test_guessing_is_in_the_audit_and_no_more_than_the_window_takes(client):
    application = make_machine()
    for number in range(20):
        _by_basic(application, number)

    rows = list(AccessEvent.objects.filter(subject=application.client_id, actor="").order_by("pk"))
    assert [row.kind for row in rows] == ["client:attempt:failed"] * 10 + ["client:attempt:blocked"]
    assert "guess" not in str([row.data for row in rows])


def test_who_does_not_exist_is_not_in_the_audit():
    post("/token", {"grant_type": "client_credentials", "client_id": "nobody", "client_secret": "x"})

    assert not AccessEvent.objects.exists()


def test_a_persons_wrong_passwords_are_in_the_audit(client):
    get_user_model().objects.create_user("ann", password="right")

    for _ in range(12):
        client.post("/login", {"username": "ann", "password": "wrong"})

    rows = AccessEvent.objects.filter(subject="ann").order_by("pk").values_list("kind", flat=True)
    assert list(rows) == ["person:attempt:failed"] * 10 + ["person:attempt:blocked"]
