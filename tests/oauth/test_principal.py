"""Who asks, as far as visibility is concerned."""

import pytest

from oauth.principal import Principal, Reach, anonymous, everything


def _principal(
    scopes: str = "", roles: str = "", *, application_id: int | None = 1, user_id: int | None = None
) -> Principal:
    return Principal(application_id, user_id, frozenset(scopes.split()), frozenset(roles.split()))


@pytest.mark.parametrize(
    ("one", "other", "see_the_same"),
    [
        (_principal("a b"), _principal("b a"), True),
        (_principal("a"), _principal("a", application_id=2), True),
        (_principal("a"), _principal("a b"), False),
        (_principal("a"), _principal("", "a"), False),
        (_principal("a b"), _principal("a", "b"), False),
        (everything(), anonymous(sees=Reach.EVERYTHING, scopes=["x"]), True),
        (everything(), anonymous(sees=Reach.NOTHING), False),
        (anonymous(sees=Reach.NOTHING), _principal(), False),
    ],
)
def test_equal_visibility_keys_mean_equal_views(one, other, see_the_same):
    assert (one.visibility_key == other.visibility_key) == see_the_same


@pytest.mark.parametrize(
    ("ids", "is_anonymous"),
    [
        ({"application_id": None, "user_id": None}, True),
        ({"application_id": 1}, False),
        ({"application_id": None, "user_id": 1}, False),
    ],
)
def test_without_application_and_user_a_principal_is_anonymous(ids, is_anonymous):
    assert _principal(**ids).is_anonymous == is_anonymous


def test_a_scope_is_held_or_not():
    principal = _principal("mail:use sms:use")

    assert (principal.has("mail:use"), principal.has("mail")) == (True, False)
