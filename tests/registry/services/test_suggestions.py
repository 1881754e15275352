"""The nearest names of an error."""

import pytest

from registry.services.suggestions import MOST, names_like
from tests.factories import EVERYTHING, NOBODY, make_principal, make_registration

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("send_emial", ["send_email"]),
        ("email_send", ["send_email"]),
        ("Send_Email", ["send_email"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_names_that_begin_or_sound_alike_are_near(name, expected):
    make_registration(name="send_email")
    make_registration(name="convert_currency")

    assert names_like(name, EVERYTHING) == expected


def test_a_name_is_told_once_and_a_few_at_most():
    for number in range(10):
        make_registration(name=f"send_email{number}")
        make_registration(name=f"send_email{number}", version="2.0.0")

    found = names_like("send_email", EVERYTHING)

    assert len(found) == len(set(found)) == MOST


@pytest.mark.parametrize("principal", [make_principal(), NOBODY])
def test_invisible_names_are_never_told(principal):
    make_registration(scopes=["secret"])

    assert names_like("send_email", principal) == []
