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
