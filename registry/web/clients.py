"""`/clients`: a person makes OAuth clients, gives them new secrets, ends their tokens."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.timezone import now as the_time  # noqa: TID251 - an interface reads the clock
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from oauth import audit
from oauth.models import Application, User
from registry.services import clients, self_service
from registry.services.clients import Kind, NewClient
from registry.web import pages
from toolroster.errors import ToolrosterError

_MOST_SUGGESTIONS = 200


class NewClientForm(forms.Form):
    """What a client is to be; lists are separated by spaces or commas."""

    name = forms.RegexField(
        regex=r"^[^\x00-\x1f\x7f]+$", max_length=100, help_text="People see it where the client is named."
    )
    kind = forms.ChoiceField(choices=Kind.choices)
    scopes = forms.CharField(
        required=False, max_length=10_000, help_text="Scopes of the tools that it is to use."
    )
    providers = forms.CharField(
        required=False,
        max_length=10_000,
        label="Namespaces",
        help_text="For providers: where it may register.",
    )

    def __init__(self, *args: Any, offer: self_service.Offer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = cast("forms.ChoiceField", self.fields["kind"])
        kinds.choices = [(kind.value, kind.label) for kind in offer.kinds]
        self.fields["scopes"].widget.attrs["list"] = "scopes-offered"

    def wanted(self, owner: User) -> NewClient:
        """Return what the form asks for."""
        sent = self.cleaned_data
        return NewClient(
            name=sent["name"],
            kind=Kind(sent["kind"]),
            scopes=_words(sent["scopes"]),
            providers=_words(sent["providers"]),
            owner=owner,
        )


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def _person(request: HttpRequest) -> User:
    return cast("User", request.user)  # login_required


def _my_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view a page of who is logged in, which no cache keeps: it shows a new secret, once."""
    return login_required(never_cache(view))


@_my_page
@require_http_methods(["GET", "HEAD", "POST"])
def clients_page(request: HttpRequest) -> HttpResponse:
    """List the person's clients; a POST makes one."""
    person = _person(request)
    form = NewClientForm(request.POST or None, offer=self_service.offer_to(person))
    if not form.is_valid():
        return _show(request, form=form, status=422 if form.is_bound else 200)
    try:
        application, secret = self_service.create(form.wanted(person), person=person, now=the_time())
    except ToolrosterError as error:
        _explain(form, error)
        return _show(request, form=form, status=error.status)
    return _show(request, made=application, secret=secret, status=201)


@_my_page
@require_POST
def rotate_secret(request: HttpRequest, client_id: str) -> HttpResponse:
    """Give a client another secret, and show it."""
    application = _mine(request, client_id)
    secret = clients.rotate(application, by=audit.person(request.user), now=the_time())
    return _show(request, made=application, secret=secret)


@_my_page
@require_POST
def end_tokens(request: HttpRequest, client_id: str) -> HttpResponse:
    """Revoke all tokens of a client."""
    application = _mine(request, client_id)
    ended = clients.end_tokens(application, by=audit.person(request.user), now=the_time())
    return _show(
        request, said=f"{application} has no tokens any more; {ended} ended, within five seconds everywhere."
    )


def _mine(request: HttpRequest, client_id: str) -> Application:
    """Return a client of the person's own; of others they learn nothing."""
    if "\0" in client_id:
        raise Http404
    application: Application | None = (
        self_service.owned_by(_person(request)).filter(client_id=client_id).first()
    )
    if application is None:
        raise Http404
    return application


def _explain(form: NewClientForm, error: ToolrosterError) -> None:
    """Put an error of the service beside the fields that it points at."""
    for fault in error.errors:
        name = fault.pointer.strip("/")
        form.add_error({"provider": "providers"}.get(name, name), fault.detail)
    if not error.errors:
        form.add_error("name" if error.status == 409 else None, error.detail)


def _show(
    request: HttpRequest, *, form: NewClientForm | None = None, status: int = 200, **shown: Any
) -> HttpResponse:
    person = _person(request)
    offer = self_service.offer_to(person)
    context = {
        "clients": list(self_service.owned_by(person)),
        "form": form or NewClientForm(offer=offer),
        "may_create": bool(offer.kinds),
        "offered_scopes": self_service.suggested_scopes(offer, most=_MOST_SUGGESTIONS),
        **shown,
    }
    return pages.render(request, "registry/clients.html", context, status=status)
