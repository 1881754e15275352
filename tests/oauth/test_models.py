"""OAuth applications."""

import pytest
from django.db import Error, IntegrityError, transaction

from oauth import audit
from oauth.models import AccessEvent
from tests.factories import NOW, make_application


@pytest.mark.django_db
def test_a_name_is_one_applications():
    make_application("mailer")

    with pytest.raises(IntegrityError, match="application_name"), transaction.atomic():
        make_application("mailer")


@pytest.mark.django_db
def test_applications_without_a_name_are_many():
    assert make_application("").pk != make_application("").pk


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change", [lambda rows: rows.update(subject="x"), lambda rows: rows.delete()], ids=["update", "delete"]
)
def test_the_audit_of_access_is_append_only(change):
    audit.record(audit.Kind.CLIENT_CREATED, "weather", by="test", now=NOW)

    with pytest.raises(Error, match="access events are append-only"), transaction.atomic():
        change(AccessEvent.objects.filter(subject="weather"))

    assert AccessEvent.objects.get().subject == "weather"


@pytest.mark.parametrize(
    ("address", "is_allowed"),
    [
        ("https://app.example/callback", True),
        ("http://127.0.0.1/callback", True),
        ("http://127.0.0.1:4711/callback", True),
        ("http://localhost:4711/callback", True),
        ("http://app.example/callback", False),
        ("http://localhost.app.example/callback", False),
        ("https://other.example/callback", False),
    ],
)
@pytest.mark.django_db
def test_codes_go_by_http_to_the_persons_own_machine_alone(address, is_allowed):
    registered = [
        "https://app.example/callback",
        "http://app.example/callback",
        "http://127.0.0.1/callback",
        "http://localhost/callback",
        "http://localhost.app.example/callback",
    ]
    application = make_application(redirect_uris=" ".join(registered))

    assert application.redirect_uri_allowed(address) is is_allowed
