"""How our authorization server departs from django-oauth-toolkit's defaults: resources and people."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.utils.timezone import now as the_time  # noqa: TID251 - what DOT calls takes no time
from oauth2_provider.models import get_grant_model, get_refresh_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidGrantError

from oauth import codes, resources


class PlatformValidator(OAuth2Validator):  # type: ignore[misc]  # DOT ships no types
    """Binds every code and token to this platform (RFC 8707), and refreshes none of people who left."""

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Bind the code, so that a foreign resource is refused before anybody logs in there."""
        _bind(request)
        super().save_authorization_code(client_id, code, request, *args, **kwargs)

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Refuse a code that was used; who used it loses what it gave (RFC 6749 §4.1.2)."""
        is_valid = bool(super().validate_code(client_id, code, client, request, *args, **kwargs))
        if not is_valid:
            codes.end_what_it_gave(code, now=the_time())
        return is_valid

    def confirm_redirect_uri(self, client_id: str, code: str, *args: Any, **kwargs: Any) -> bool:
        """Refuse a code that another request used up since it was validated."""
        with _code_still_there():
            return bool(super().confirm_redirect_uri(client_id, code, *args, **kwargs))

    def get_code_challenge(self, code: str, request: Any) -> str | None:
        """Return the challenge of a code; refuse one that was used up meanwhile."""
        with _code_still_there():
            challenge: str | None = super().get_code_challenge(code, request)
        return challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str | None:
        """Return the method of a code's challenge; refuse one that was used up meanwhile."""
        with _code_still_there():
            method: str | None = super().get_code_challenge_method(code, request)
        return method

    def _check_and_set_request_resource(self, request: Any) -> None:
        _bind(request)
        super()._check_and_set_request_resource(request)

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Refuse the tokens of a person whose account was closed."""
        is_valid = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return bool(is_valid and request.user.is_active)

    def save_bearer_token(self, token: dict[str, Any], request: Any, *args: Any, **kwargs: Any) -> None:
        """Let one of several uses of a refresh token at once win.

        To the others DOT would give the winner's tokens again, which it cannot know where they are hashed.

        Raises:
            InvalidGrantError: another use was first.
        """
        with transaction.atomic():
            spent = getattr(request, "refresh_token_instance", None)
            unspent = get_refresh_token_model().objects.filter(pk=spent and spent.pk, revoked=None)
            if spent is not None and not unspent.select_for_update().exists():
                raise InvalidGrantError(request=request)
            super().save_bearer_token(token, request, *args, **kwargs)
        if request.grant_type == "authorization_code":
            codes.note_use(request.code, token["refresh_token"])


@contextmanager
def _code_still_there() -> Iterator[None]:
    """Turn what DOT raises for a code that is gone by now into RFC 6749's invalid_grant."""
    try:
        yield
    except get_grant_model().DoesNotExist as error:
        raise InvalidGrantError from error


def _bind(request: Any) -> None:
    """Set the resource of a request of oauthlib to ours, in its one spelling.

    Some clients send none, some the origin with a slash (RFC 8707 §2 allows a default).

    Raises:
        CustomOAuth2Error: it names a foreign one.
    """
    foreign = [resource for resource in _named(request) if not resources.is_ours(resource)]
    if foreign:
        raise CustomOAuth2Error(
            error="invalid_target",
            description=f"There is no such resource here; it is {resources.ours()}.",
            request=request,
        )
    request.resource = [resources.ours()]


def _named(request: Any) -> list[str]:
    """Return the resources that a request names; oauthlib itself keeps only the last of several."""
    repeated = [value for name, value in request.decoded_body or [] if name == "resource"]
    named = repeated or getattr(request, "resource", None) or []
    return [resource for resource in ([named] if isinstance(named, str) else named) if resource.strip()]
