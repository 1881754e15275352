"""Clients that govern the catalogue in the name of a person: only while that person may."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.utils import timezone

from oauth import tokens
from tests.oauth.client import (
    asking,
    code_for,
    logged_in,
    make_machine,
    make_peoples_client,
    redeem,
    token_of,
)

pytestmark = pytest.mark.django_db


def _govern(name: str = "ann") -> None:
    permission = Permission.objects.get(codename="govern", content_type__app_label="oauth")
    get_user_model().objects.get(username=name).user_permissions.add(permission)


def _scope_of(application) -> str:
    return redeem(application, code_for(application, scope="mail:use tools:admin")).json()["scope"]


def test_a_client_governs_in_the_name_of_who_governs_alone():
    application = make_peoples_client("mail:use", "tools:admin")
    page = logged_in().get("/authorize", asking(application, scope="mail:use tools:admin"))

    assert "which you may not use yourself" in page.content.decode()
    assert _scope_of(application) == "mail:use"
    _govern()
    assert set(_scope_of(application).split()) == {"mail:use", "tools:admin"}


def test_who_governs_no_more_has_clients_that_do_not_either():
    application = make_peoples_client("tools:admin")
    code_for(application)
    _govern()
    token = redeem(application, code_for(application, scope="tools:admin")).json()["access_token"]
    before = tokens.check(token, now=timezone.now()).scopes

    get_user_model().objects.get(username="ann").user_permissions.clear()

    assert before == ("tools:admin",)
    assert tokens.check(token, now=timezone.now() + timedelta(seconds=5)).scopes == ()


def test_a_machines_own_scopes_ask_no_person():
    application = make_machine("tools:admin")

    token = token_of(application)

    assert tokens.check(token, now=timezone.now()).scopes == ("tools:admin",)
