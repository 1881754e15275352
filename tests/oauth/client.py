"""OAuth clients in tests: what they send to the authorization server."""

import base64
import hashlib
import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.contrib.auth import get_user_model
from django.test import Client

from oauth import scopes
from oauth.models import Application
from tests.factories import NOW

SECRET = "a-secret-of-many-characters"
CALLBACK = "http://127.0.0.1/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")

Answer = Any
"""A HttpResponse of Django's test client, which adds `json()`."""


def make_machine(*granted: str, name: str = "machine", **changes: Any) -> Application:
    """Return a confidential client with SECRET."""
    kind = {"client_type": "confidential", "authorization_grant_type": "client-credentials"}
    application: Application = Application.objects.create(
        name=name, **kind | {"client_secret": SECRET} | changes
    )
    scopes.grant(application, granted, by="test", now=NOW)
    return application


def make_peoples_client(*granted: str, name: str = "desktop", **changes: Any) -> Application:
    """Return a public client of people, with CALLBACK."""
    kind = {"client_type": "public", "authorization_grant_type": "authorization-code"}
    return make_machine(*granted, name=name, **kind | {"redirect_uris": CALLBACK} | changes)


def basic(client_id: str, secret: str = SECRET) -> dict[str, str]:
    """Return the header of a client that authenticates itself (RFC 7617)."""
    return {"authorization": f"Basic {base64.b64encode(f'{client_id}:{secret}'.encode()).decode()}"}


def post(path: str, fields: Any = None, **extra: Any) -> Answer:
    """Send a form."""
    return Client(raise_request_exception=False).post(path, {} if fields is None else fields, **extra)


def post_json(path: str, fields: Any, **extra: Any) -> Answer:
    """Send JSON, or bytes that claim to be."""
    return post(path, fields, content_type="application/json", **extra)


def credentials(application: Application, **fields: Any) -> dict[str, Any]:
    """Return the fields of a client_credentials request with the secret in the body."""
    known = {"client_id": application.client_id, "client_secret": SECRET, "grant_type": "client_credentials"}
    return known | fields


def token_of(application: Application, **fields: Any) -> str:
    """Return a new access token."""
    answer = post("/token", credentials(application, **fields))
    assert answer.status_code == 200, answer.content
    return answer.json()["access_token"]


def logged_in(name: str = "ann") -> Client:
    """Return the browser of a person."""
    user, _ = get_user_model().objects.get_or_create(username=name)
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    return browser


def asking(application: Application, **fields: Any) -> dict[str, Any]:
    """Return the query of an authorization request; None leaves a field out."""
    known = {
        "response_type": "code",
        "client_id": application.client_id,
        "redirect_uri": CALLBACK,
        "state": "a-state",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    return {name: value for name, value in (known | fields).items() if value is not None}


def consent(browser: Client, application: Application, **fields: Any) -> Answer:
    """Open the consent page and send its form, as one who agrees; an error on the way is the answer."""
    return answer_page(browser, application, {"allow": "Authorize"}, **fields)


def answer_page(
    browser: Client, application: Application, decision: dict[str, str], /, **fields: Any
) -> Answer:
    """Open the consent page and send its form with a decision; an error on the way is the answer."""
    page = browser.get("/authorize", asking(application, **fields))
    if page.status_code != 200:
        return page
    hidden = re.findall(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?', page.content.decode())
    sent = {name: unescape(value) for name, value in hidden if name != "csrfmiddlewaretoken"}
    return browser.post("/authorize", sent | decision)


def returned(answer: Answer) -> dict[str, str]:
    """Return what the client gets back at its redirect address."""
    assert answer.status_code == 302, (answer.status_code, answer.content[:2000])
    assert answer["Location"].startswith(CALLBACK), answer["Location"]
    return {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}


def code_for(application: Application, **fields: Any) -> str:
    """Return the code that a person's consent gives."""
    return returned(consent(logged_in(), application, **fields))["code"]


def redeem(application: Application, code: str, **fields: Any) -> Answer:
    """Trade a code for tokens; None leaves a field out."""
    known = {
        "grant_type": "authorization_code",
        "client_id": application.client_id,
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }
    return post("/token", {name: value for name, value in (known | fields).items() if value is not None})


def refresh(application: Application, refresh_token: str, **fields: Any) -> Answer:
    """Trade a refresh token for new tokens."""
    known = {"grant_type": "refresh_token", "client_id": application.client_id}
    return post("/token", known | {"refresh_token": refresh_token} | fields)
