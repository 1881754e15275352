"""`/login` and `/logout`: people, whether they govern the catalogue or only let clients act for them."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils.timezone import now as the_time  # noqa: TID251 - an interface reads the clock

from oauth import attempts
from oauth.attempts import Claim, Claimed
from toolroster import __version__


class LoginForm(AuthenticationForm):
    """Name and password; who guesses is slowed down, by name, as clients are."""

    def clean(self) -> dict[str, Any]:
        """Check the password, unless the name failed too often."""
        name = self.cleaned_data.get("username")
        if not name:
            return super().clean()
        guessed = Claimed(Claim.PERSON, name)
        if attempts.is_blocked(guessed):
            raise ValidationError(
                "Too many failed attempts for this name. Try again in a minute.", code="slow_down"
            )
        try:
            return super().clean()
        except ValidationError:
            attempts.note_failure(guessed, now=the_time())
            raise


class LoginPage(LoginView):
    """Where a person says who they are; `next` leads to our own host only."""

    form_class = LoginForm
    next_page = "front"
    extra_context = {"version": __version__}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Offer the single sign-on where there is one."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"sso_name": settings.OIDC_NAME if settings.OIDC_ISSUER else ""}

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Show the page again; who is slowed down is told for how long."""
        answer = super().form_invalid(form)
        if form.has_error("__all__", "slow_down"):
            answer.status_code = 429
            answer["Retry-After"] = str(attempts.WINDOW_SECONDS)
        return answer


class LogoutPage(LogoutView):
    """Ends the session, by POST alone."""

    next_page = "front"
