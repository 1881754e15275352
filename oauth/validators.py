"""How our authorization server departs from django-oauth-toolkit's defaults: resources and people."""

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from oauth import resources


class PlatformValidator(OAuth2Validator):  # type: ignore[misc]  # DOT ships no types
    """Binds every code and token to this platform (RFC 8707), and refreshes none of people who left."""

    def save_authorization_code(
        self, client_id: str, code: dict[str, str], request: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Bind the code, so that a foreign resource is refused before anybody logs in there."""
        _bind(request)
        super().save_authorization_code(client_id, code, request, *args, **kwargs)

    def _check_and_set_request_resource(self, request: Any) -> None:
        _bind(request)
        super()._check_and_set_request_resource(request)

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Refuse the tokens of a person whose account was closed."""
        is_valid = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return bool(is_valid and request.user.is_active)


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
