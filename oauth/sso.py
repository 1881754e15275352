"""People's single sign-on: the company's OpenID provider says who somebody is, and in which groups.

Optional: there is none unless OIDC_ISSUER is set. django-allauth speaks the protocol (code flow with PKCE,
issuer, audience and nonce checked); a person is their `sub` at that issuer, never an address that could be
somebody else's here. Local accounts go on beside it, for the day when the provider is down.
"""

from typing import Any, NoReturn

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import now as the_time  # noqa: TID251 - an interface reads the clock
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from oauth import audit
from oauth.models import User
from toolroster import __version__

COMPANY = "company"
"""The one provider; its callback is /sso/company/callback."""


class CompanyAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """How people of the company become people here: at once, and with the groups that they have there."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Let in whom the company's provider lets in; what they may do is another question."""
        return True

    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[Any]:
        """Return the provider of the settings alone: nobody adds one in the database."""
        return [app for app in super().list_apps(request, provider, client_id) if app.pk is None]

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse who was closed out here; else bring the groups of a known person up to date."""
        sociallogin.email_addresses = []  # an address links nobody to an account that has it already
        if sociallogin.is_existing:
            if not sociallogin.user.is_active:
                _refuse(request, "Your account here was closed.", status=403)
            follow(sociallogin.user, _claims(sociallogin))

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Add a person who comes for the first time."""
        person: User = super().save_user(request, sociallogin, form)
        by = f"issuer:{settings.OIDC_ISSUER}"
        audit.record(
            audit.Kind.PERSON_ADDED, person.username, by=by, now=the_time(), sub=sociallogin.account.uid
        )
        follow(person, _claims(sociallogin))
        return person

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, *args: Any, **kwargs: Any
    ) -> None:
        """Say on a page of ours what went wrong."""
        is_cancelled = getattr(error, "value", error) == "cancelled"
        _refuse(request, "You did not log in there." if is_cancelled else _NOT_VALID, status=401)


_NOT_VALID = (
    "The answer of the single sign-on was not valid. Start again; if that does not help, tell who runs it."
)
_DOWN = (
    "The single sign-on does not answer. Try again in a moment, or log in with a password of this registry."
)


def follow(person: User, claims: dict[str, Any]) -> None:
    """Give a person the groups of this registry that the claim names, and staff rights by OIDC_STAFF_GROUP.

    Without the claim nothing changes: then people are put into groups here. Nobody becomes superuser.
    """
    named = claims.get(settings.OIDC_GROUPS_CLAIM)
    if not isinstance(named, list):
        return
    groups = {name for name in named if isinstance(name, str)}
    before = (person.is_staff, set(person.groups.values_list("name", flat=True)))
    if settings.OIDC_STAFF_GROUP:
        person.is_staff = settings.OIDC_STAFF_GROUP in groups
        person.save(update_fields=["is_staff"])
    person.groups.set(Group.objects.filter(name__in=groups))
    after = (person.is_staff, set(person.groups.values_list("name", flat=True)))
    if before != after:
        facts = {"is_staff": person.is_staff, "groups": sorted(after[1])}
        by = f"issuer:{settings.OIDC_ISSUER}"
        audit.record(audit.Kind.PERSON_CHANGED, person.username, by=by, now=the_time(), **facts)


def _claims(sociallogin: SocialLogin) -> dict[str, Any]:
    """Return what the provider says of a person: the ID token's claims, completed by userinfo."""
    said: dict[str, Any] = sociallogin.account.extra_data
    return {**(said.get("id_token") or {}), **(said.get("userinfo") or {})}


@require_POST
@never_cache
def start(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider; by POST, so that no link logs anybody in."""
    return _guarded(views.login, request, provider_id)


@require_GET
@never_cache
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take the provider's answer and log in."""
    return _guarded(views.callback, request, provider_id)


def _guarded(view: Any, request: HttpRequest, provider_id: str) -> HttpResponse:
    """Turn a provider that is down, or that answers nonsense, into a page."""
    try:
        answer: HttpResponse = view(request, provider_id)
    except (RequestException, ImproperlyConfigured, ValueError, KeyError, TypeError):
        return _page(request, _DOWN, status=503)
    return answer


def _refuse(request: HttpRequest, text: str, *, status: int) -> NoReturn:
    raise ImmediateHttpResponse(_page(request, text, status=status))


def _page(request: HttpRequest, text: str, *, status: int) -> HttpResponse:
    context = {"text": text, "version": __version__}
    return render(request, "registration/sso_refused.html", context, status=status)
