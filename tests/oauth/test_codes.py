"""An authorization code that comes twice, and what it takes with it."""

import pytest
from oauth2_provider.models import AccessToken

from oauth.models import AccessEvent
from tests.oauth.client import code_for, make_peoples_client, redeem, refresh

pytestmark = pytest.mark.django_db

REFUSED = (400, "invalid_grant")


def _error(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_a_code_that_comes_twice_takes_its_tokens_with_it():
    application = make_peoples_client("mail:use")
    code = code_for(application)
    first = redeem(application, code).json()
    second = refresh(application, first["refresh_token"]).json()

    redeem(application, code)

    assert not AccessToken.objects.exists()
    assert _error(refresh(application, second["refresh_token"])) == REFUSED
    replay = AccessEvent.objects.get(kind="client:code:replayed")
    assert (replay.subject, replay.actor) == (application.client_id, "")


def test_a_code_that_never_was_ends_no_tokens():
    application = make_peoples_client("mail:use")
    redeem(application, code_for(application))

    redeem(application, "never-given")

    assert AccessToken.objects.count() == 1
    assert not AccessEvent.objects.filter(kind="client:code:replayed").exists()


@pytest.mark.usefixtures("_without_valkey")
def test_without_valkey_a_code_is_good_once_as_well_and_ends_nothing():
    application = make_peoples_client("mail:use")
    code = code_for(application)
    redeem(application, code)

    assert _error(redeem(application, code)) == REFUSED
    assert AccessToken.objects.count() == 1
