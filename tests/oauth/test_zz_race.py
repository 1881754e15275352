import pytest
from functools import partial
from tests.oauth.client import *
from tests.racing import at_once
from oauth2_provider.models import AccessToken, RefreshToken
@pytest.mark.django_db(transaction=True)
def test_race():
    application = make_peoples_client("mail:use")
    for i in range(6):
        first = redeem(application, code_for(application)).json()
        found = at_once(*[partial(refresh, application, first["refresh_token"])] * 3)
        print([(a.status_code, a.content[:150]) for a in found])
    for i in range(6):
        code = code_for(application)
        AccessToken.objects.all().delete()
        found = at_once(*[partial(redeem, application, code)] * 3)
        print("code", [(a.status_code, a.content[:60]) for a in found], AccessToken.objects.count())
    assert 0
