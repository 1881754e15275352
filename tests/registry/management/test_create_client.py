"""`manage.py create_client`: a client with its secret, shown once."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from oauth import scopes
from oauth.models import Application
from registry.models import ProviderOwner
from tests.oauth.client import post

pytestmark = pytest.mark.django_db


def _run(*arguments: str) -> dict[str, str]:
    out = StringIO()
    call_command("create_client", *arguments, stdout=out)
    return dict(line.split(maxsplit=1) for line in out.getvalue().splitlines()[:2])


def _get_token(shown: dict[str, str]):
    return post("/token", {"grant_type": "client_credentials", **shown})


def test_the_client_that_was_made_gets_a_token_with_what_is_shown():
    shown = _run("weather", "--kind", "agent", "--scope", "mail:use", "--scope", "sms:use")

    assert _get_token(shown).json()["scope"] == "mail:use sms:use tools:invoke"


def test_roles_and_namespaces_are_given_too():
    _run("mailer", "--kind", "provider", "--role", "clerk", "--provider", "Mail-Team", "--provider", "sms")

    application = Application.objects.get(name="mailer")
    assert (application.kind, application.roles) == ("provider", ["clerk"])
    assert scopes.held_by(application) == ["tools:register"]
    owned = ProviderOwner.objects.filter(application=application).values_list("provider__name", flat=True)
    assert sorted(owned) == ["mail-team", "sms"]


def test_the_secret_is_nowhere_but_in_the_output():
    shown = _run("weather", "--kind", "agent")

    assert shown["client_secret"] not in str(Application.objects.values_list())


def test_a_secret_is_rotated():
    first = _run("weather", "--kind", "agent")

    second = _run("weather", "--kind", "agent", "--rotate")

    assert first["client_id"] == second["client_id"]
    assert (_get_token(first).status_code, _get_token(second).status_code) == (401, 200)


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        (("weather", "--kind", "agent"), "a client called weather already"),
        (("other", "--kind", "agent", "--provider", "a b"), "no provider name"),
        (("other", "--kind", "agent", "--scope", "a b"), "is no scope"),
        (("other", "--kind", "agent", "--rotate"), "no client called other"),
        (("other", "--kind", "king"), "invalid choice"),
        (("other",), "required: --kind"),
    ],
)
def test_what_is_wrong_is_told_and_changes_nothing(arguments, detail):
    _run("weather", "--kind", "agent")

    with pytest.raises(CommandError, match=detail):
        _run(*arguments)

    assert Application.objects.count() == 1
