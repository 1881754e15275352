"""`/authorize`: a person lets a client act for them."""

from typing import Any, cast
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.forms import AllowForm
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.views import AuthorizationView

from oauth import resources
from oauth.models import Application, User
from oauth.models.application import LOOPBACK
from oauth.scopes import open_to
from toolroster import __version__


class ConsentForm(AllowForm):  # type: ignore[misc]  # DOT ships no types
    """What the person agrees to; an application without grants asks for no scope at all."""

    scope = forms.CharField(required=False, widget=forms.HiddenInput())

    def clean(self) -> dict[str, Any]:
        """Refuse a client or an address that the page did not show; DOT checks neither in a refusal."""
        sent: dict[str, Any] = super().clean() or self.cleaned_data
        application = Application.objects.filter(client_id=sent.get("client_id", "")).first()
        if application is None or not application.redirect_uri_allowed(sent.get("redirect_uri", "")):
            raise ValidationError("The client is not registered with this address.")
        return sent


@method_decorator(never_cache, name="dispatch")
class ConsentView(AuthorizationView):  # type: ignore[misc]  # DOT ships no types
    """django-oauth-toolkit's page, which always asks, with the issuer in refusals as well."""

    form_class = ConsentForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse what the database cannot look up."""
        if any("\0" in text for sent in (request.GET, request.POST) for text in sent.values()):
            raise SuspiciousOperation("A parameter holds the NUL character.")
        answer: HttpResponse = super().dispatch(request, *args, **kwargs)
        return answer

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Ask the person, even where the client sends DOT's `approval_prompt=auto`."""
        asked = request.GET.copy()
        asked["approval_prompt"] = "force"
        request.GET = asked  # type: ignore[assignment]  # DOT reads nothing but this
        answer: HttpResponse = super().get(request, *args, **kwargs)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add each scope with its description, and where the answer goes."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        target = urlsplit(context["redirect_uri"])
        given = set(open_to(context["scopes"], _person(self.request)))
        asked = zip(context["scopes"], context["scopes_descriptions"], strict=True)
        return context | {
            "asked": [(name, description) for name, description in asked if name in given],
            "withheld": [name for name in context["scopes"] if name not in given],
            "target_host": target.netloc.rpartition("@")[2],
            "is_loopback": target.hostname in LOOPBACK,
        }

    def create_authorization_response(
        self,
        request: HttpRequest,
        scopes: str,
        credentials: dict[str, Any],
        allow: bool,  # noqa: FBT001 - DOT's signature
    ) -> Any:
        """Give the client no scope that the person could not use."""
        given = " ".join(open_to(scopes.split(), _person(request)))
        return super().create_authorization_response(request, given, credentials, allow)

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Tell that the form is not the one that the page showed."""
        description = "This is not the form that the page showed. Go back to the application and start again."
        refused = {"error": "invalid_request", "description": description}
        return self.render_to_response({"error": refused}, status=400)

    def render_to_response(self, context: dict[str, Any], **response_kwargs: Any) -> HttpResponse:
        """Render the page, or an error, within our frame."""
        framed = {"version": __version__, **context}
        answer: HttpResponse = super().render_to_response(framed, **response_kwargs)
        return answer

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Lead back to the client; errors name the issuer too (RFC 9207 §2), DOT adds it to codes only."""
        named = _add_iss_to_redirect(redirect_to, resources.ours())
        answer: HttpResponse = super().redirect(named, application)
        return answer


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)  # the page is for people who are logged in
