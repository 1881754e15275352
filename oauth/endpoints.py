"""The authorization server's endpoints where ours differ from django-oauth-toolkit's.

`POST /token` takes a form (RFC 6749) and JSON, which published clients of seeds/000 send. `POST /introspect`
answers RFC 7662 in full, with effective scopes, and only to clients that hold the scope `introspection`.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.decorators import method_decorator
from django.utils.timezone import now as the_time  # noqa: TID251 - an interface reads the clock
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from oauth2_provider.models import get_access_token_model
from oauth2_provider.oauth2_backends import get_oauthlib_core
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import RevokeTokenView, TokenView
from oauthlib.common import Request

from oauth import attempts, resources, scopes, tokens
from oauth.attempts import Claim, Claimed
from oauth.models import Application
from toolroster import strict_json
from toolroster.errors import Malformed, Unauthenticated

_LONGEST_BODY = 64 * 1024


@method_decorator([csrf_exempt, never_cache, sensitive_post_parameters()], name="dispatch")
class ClientEndpoint(View, ABC):
    """An endpoint where clients authenticate: by POST alone, and who guesses is slowed down."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest) -> HttpResponse:
        """Answer, unless a client that is claimed failed too often."""
        try:
            self.read(request)
            claimed = _claimed_clients(request)
        except Malformed as error:
            return _refusal("invalid_request", error.detail)
        if any(map(attempts.is_blocked, claimed)):
            return _refusal("slow_down", "Too many failed attempts; try again in a minute.", status=429)
        answer = self.answer(request)
        if answer.status_code == 401:
            for client in claimed:
                attempts.note_failure(client, now=the_time())
        return answer

    def read(self, request: HttpRequest) -> None:
        """Refuse what no OAuth parameter holds.

        Raises:
            Malformed: parameters in the URL (RFC 6749 §2.3.1), or the NUL character.
        """
        if request.GET:
            raise Malformed("Parameters belong into the body, not into the URL.")
        if any("\0" in text for name, values in request.POST.lists() for text in (name, *values)):
            raise Malformed("A parameter holds the NUL character.")

    @abstractmethod
    def answer(self, request: HttpRequest) -> HttpResponse:
        """Return the answer; 401 counts as a failed attempt of the claimed clients."""


class PlatformTokenView(ClientEndpoint, TokenView):  # type: ignore[misc]  # DOT ships no types
    """`POST /token`."""

    def read(self, request: HttpRequest) -> None:
        """Take JSON as a form, and a parameter without a value as left out (RFC 6749 §3.2)."""
        is_json = request.content_type == "application/json"
        sent = _form_of(request) if is_json else dict(request.POST.lists())
        _take_form(request, {name: [text for text in values if text] for name, values in sent.items()})
        super().read(request)

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Leave the grants that metadata names to django-oauth-toolkit, which knows others as well."""
        known = oauth2_settings.OAUTH2_GRANT_TYPES_SUPPORTED
        if request.POST.get("grant_type") not in known:
            return _refusal("unsupported_grant_type", f"grant_type is one of {', '.join(known)}.")
        answer: HttpResponse = TokenView.post(self, request)
        answer["Content-Type"] = "application/json"  # DOT leaves it out of some errors
        return answer


class PlatformRevokeView(ClientEndpoint, RevokeTokenView):  # type: ignore[misc]  # DOT ships no types
    """`POST /revoke` (RFC 7009)."""

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Leave it to django-oauth-toolkit."""
        answer: HttpResponse = RevokeTokenView.post(self, request)
        return answer


def _form_of(request: HttpRequest) -> dict[str, list[str]]:
    """Return the fields of a JSON token request; lists of scopes become RFC 6749's one string.

    Raises:
        Malformed: not a JSON object of strings, or scopes in both spellings.
    """
    sent = strict_json.loads(request.read(_LONGEST_BODY))
    if not isinstance(sent, dict):
        raise Malformed("A token request is a JSON object.")
    if {"scope", "scopes"} <= sent.keys():
        raise Malformed("Name the scopes once, as scope or as scopes.")
    named = {("scope" if name == "scopes" else name): value for name, value in sent.items()}
    return {name: [_text(name, value)] for name, value in named.items() if value is not None}


def _text(name: str, value: Any) -> str:
    if name == "scope" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    if not isinstance(value, str):
        raise Malformed(f"{name[:100]} is a string.")
    return value


def _take_form(request: HttpRequest, fields: Mapping[str, list[str]]) -> None:
    """Put fields in the place of the body: DOT reads the form only."""
    form = QueryDict(mutable=True)
    for name, values in fields.items():
        if values:
            form.setlist(name, values)
    request.META["CONTENT_TYPE"] = "application/x-www-form-urlencoded"
    request._post = form  # type: ignore[attr-defined]  # noqa: SLF001 - Django has no public way


def _claimed_clients(request: HttpRequest) -> set[Claimed]:
    """Return the clients that a request claims to come from: by Basic, in the body, or two at once.

    Raises:
        Malformed: the Basic header cannot be read.
    """
    claimed = {request.POST.get("client_id", "")}
    scheme, _, encoded = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            decoded = base64.b64decode(encoded).decode()
        except ValueError as error:  # not base64, not UTF-8, not even ASCII
            raise Malformed("The Authorization header holds no Basic credentials.") from error
        claimed.add(unquote_plus(decoded.partition(":")[0]))
    if any("\0" in client_id for client_id in claimed):
        raise Malformed("A client id holds the NUL character.")
    return {Claimed(Claim.CLIENT, client_id) for client_id in claimed - {""}}


def _refusal(error: str, description: str, *, status: int = 400) -> JsonResponse:
    """Return an error of RFC 6749 §5.2."""
    answer = JsonResponse({"error": error, "error_description": description}, status=status)
    if status == 429:
        answer["Retry-After"] = str(attempts.WINDOW_SECONDS)
    return answer


class IntrospectView(ClientEndpoint):
    """`POST /introspect` (RFC 7662); a GET would put tokens into logs."""

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Say what a token stands for, to a client that may ask."""
        client = _authenticated_client(request)
        if client is None:
            answer = _refusal("invalid_client", "Authenticate as a client.", status=401)
            answer["WWW-Authenticate"] = 'Basic realm="toolroster"'
            return answer
        if "introspection" not in scopes.held_by(client):
            return _refusal("insufficient_scope", "The client needs the scope introspection.", status=403)
        return JsonResponse(_introspected(request.POST.get("token", "")))


def _authenticated_client(request: HttpRequest) -> Application | None:
    core = get_oauthlib_core()
    sent = Request(*core._extract_params(request))  # noqa: SLF001 - DOT's own seam
    if not core.server.request_validator.authenticate_client(sent):
        return None
    client: Application = sent.client
    # A public client's secret, if it has one, is in everybody's hands.
    return client if client.client_type == Application.CLIENT_CONFIDENTIAL else None


def _introspected(token: str) -> dict[str, Any]:
    """Return the RFC 7662 answer: `{"active": false}` and nothing else for what does not count."""
    try:
        checked = tokens.check(token, now=the_time())
    except Unauthenticated:
        return {"active": False}
    row = (
        get_access_token_model()
        .objects.select_related("application", "user")
        .filter(token_checksum=tokens.key_of(token))
        .first()
    )
    if row is None:  # revoked since it was checked
        return {"active": False}
    return {
        "active": True,
        "scope": " ".join(checked.scopes),
        "client_id": row.application.client_id,
        "username": row.user.get_username() if row.user else None,
        "token_type": "Bearer",
        "exp": int(checked.expires_at),
        "iat": int(row.created.timestamp()),
        "sub": f"user:{row.user_id}" if row.user_id else row.application.client_id,
        "aud": list(checked.audience),
        "iss": resources.ours(),
        "roles": list(checked.roles),
    }
