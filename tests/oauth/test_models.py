"""OAuth applications."""

import pytest
from django.db import IntegrityError, transaction

from tests.factories import make_application


@pytest.mark.django_db
def test_a_name_is_one_applications():
    make_application("mailer")

    with pytest.raises(IntegrityError, match="application_name"), transaction.atomic():
        make_application("mailer")


@pytest.mark.django_db
def test_applications_without_a_name_are_many():
    assert make_application("").pk != make_application("").pk
