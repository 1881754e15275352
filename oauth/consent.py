"""`/authorize`: a person lets a client act for them."""

from typing import Any

from django import forms
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from oauth2_provider.forms import AllowForm
from oauth2_provider.oauth2_backends import _add_iss_to_redirect
from oauth2_provider.views import AuthorizationView

from oauth import resources


class ConsentForm(AllowForm):  # type: ignore[misc]  # DOT ships no types
    """What the person agrees to; an application without grants asks for no scope at all."""

    scope = forms.CharField(required=False, widget=forms.HiddenInput())


class ConsentView(AuthorizationView):  # type: ignore[misc]  # DOT ships no types
    """django-oauth-toolkit's page, with the issuer in refusals as well."""

    form_class = ConsentForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse what the database cannot look up."""
        if any("\0" in text for sent in (request.GET, request.POST) for text in sent.values()):
            raise SuspiciousOperation("A parameter holds the NUL character.")
        answer: HttpResponse = super().dispatch(request, *args, **kwargs)
        return answer

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Lead back to the client; errors name the issuer too (RFC 9207 §2), DOT adds it to codes only."""
        named = _add_iss_to_redirect(redirect_to, resources.ours())
        answer: HttpResponse = super().redirect(named, application)
        return answer
