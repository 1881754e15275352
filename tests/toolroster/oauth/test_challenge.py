import pytest

from toolroster.errors import (
    AuthorizationMalformed,
    InsufficientScope,
    PermissionMissing,
    TokenInvalid,
    ToolrosterError,
    Unauthenticated,
    Unavailable,
)
from toolroster.oauth import bearer_challenge, bearer_token, challenge_of
from toolroster.oauth.challenge import is_bearer_token


@pytest.mark.parametrize("header", ["Bearer abc", "bearer abc", "BEARER   abc", " Bearer abc\t"])
def test_the_token_is_read_whatever_the_scheme_s_case(header):
    assert bearer_token([header]) == "abc"


@pytest.mark.parametrize(
    ("headers", "raised", "said"),
    [
        ([], Unauthenticated, "needs a bearer token"),
        ([""], Unauthenticated, "holds no bearer token"),
        (["Basic abc"], Unauthenticated, "holds no bearer token"),
        (["Bearer\xa0abc"], Unauthenticated, "holds no bearer token"),
        (["Bearer a", "Bearer a"], AuthorizationMalformed, "more than one"),
        (["Basic a", "Bearer a"], AuthorizationMalformed, "more than one"),
        (["Bearer"], AuthorizationMalformed, "exactly one token"),
        (["Bearer "], AuthorizationMalformed, "exactly one token"),
        (["Bearer a b"], AuthorizationMalformed, "exactly one token"),
        (["Bearer a, Bearer b"], AuthorizationMalformed, "exactly one token"),
    ],
)
def test_anything_but_one_header_with_one_token_is_refused(headers, raised, said):
    with pytest.raises(raised, match=said) as caught:
        bearer_token(headers)

    assert type(caught.value) is raised


@pytest.mark.parametrize("token", ["a", "aZ09-._~+/==", "a" * 4096])
def test_every_b64token_is_a_token(token):
    assert is_bearer_token(token)


@pytest.mark.parametrize("token", ["", "=", "a=b", "a,b", "a\n", "ä", "a b", "a\0", "a" * 4097, "\u0661"])
def test_nothing_else_is_a_token(token):
    assert not is_bearer_token(token)


def test_a_challenge_names_all_that_helps():
    challenge = bearer_challenge(
        error="insufficient_scope",
        description="More is needed.",
        scopes=["email:send", "calendar:read"],
        resource_metadata="https://tools.test/.well-known/oauth-protected-resource",
    )

    assert challenge == (
        'Bearer realm="tools", error="insufficient_scope", error_description="More is needed.", '
        'scope="email:send calendar:read", '
        'resource_metadata="https://tools.test/.well-known/oauth-protected-resource"'
    )


def test_a_challenge_has_at_least_a_realm():
    assert bearer_challenge() == 'Bearer realm="tools"'


def test_a_realm_is_quoted():
    assert bearer_challenge(realm='a "b" \\ c\r\nä') == 'Bearer realm="a \\"b\\" \\\\ c???"'


def test_values_cannot_break_out_of_their_quotes():
    challenge = bearer_challenge(
        error='x"',
        description='"\r\nSet-Cookie: a\\ü',
        scopes=['a"', "b c", "", "d"],
        resource_metadata='http://"',
    )

    assert challenge == (
        'Bearer realm="tools", error="x?", error_description="???Set-Cookie: a??", scope="d", '
        'resource_metadata="http://?"'
    )


@pytest.mark.parametrize(
    ("error", "challenge"),
    [
        (Unauthenticated("No."), 'Bearer realm="tools", scope="a"'),
        (
            TokenInvalid("No."),
            'Bearer realm="tools", error="invalid_token", error_description="No.", scope="a"',
        ),
        (
            AuthorizationMalformed("No."),
            'Bearer realm="tools", error="invalid_request", error_description="No.", scope="a"',
        ),
        (
            InsufficientScope("No.", scopes=["b"]),
            'Bearer realm="tools", error="insufficient_scope", error_description="No.", scope="b"',
        ),
        (PermissionMissing("No."), None),
        (Unavailable("No."), None),
    ],
)
def test_each_error_has_its_challenge(error: ToolrosterError, challenge):
    assert challenge_of(error, scopes=["a"]) == challenge
