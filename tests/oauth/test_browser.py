"""A person lets a desktop client act for them, in a real browser, and the client gets its token."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from oauth.models import User
from tests.oauth.client import VERIFIER, asking, make_peoples_client
from tests.registry.web.test_browser import CHROMIUM, browser_page

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs a browser: {CHROMIUM} is absent"),
]


@contextmanager
def desktop_client(answers: list[str]) -> Iterator[str]:
    """Listen on a port of the moment, as a desktop client; what comes back is added to `answers`."""

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if urlsplit(self.path).path == "/callback":
                answers.append(urlsplit(self.path).query)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!DOCTYPE html><title>Done</title>You can close this page.")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Callback) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/callback"
        server.shutdown()
        serving.join()


def test_person_logs_in_and_consents_and_the_client_gets_a_token(platform: str) -> None:
    User.objects.create_user("ann", password="long and secret")
    application = make_peoples_client("mail:use", name="Letter writer")
    complaints: list[str] = []
    answers: list[str] = []

    with desktop_client(answers) as callback, browser_page(complaints, script=False) as page:
        asked = asking(application, redirect_uri=callback, scope="mail:use")
        page.goto(f"{platform}/authorize?{urlencode(asked)}")
        page.get_by_label("Username").fill("ann")
        page.get_by_label("Password").fill("long and secret")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Allow Letter writer to act for you?")
        page.get_by_role("button", name="Allow").click()
        expect(page.get_by_text("You can close this page.")).to_be_visible()

    (answer,) = answers
    back = {name: value for name, (value,) in parse_qs(answer).items()}
    assert set(back) == {"code", "state", "iss"}
    assert (back["state"], back["iss"]) == ("a-state", platform)
    assert httpx.get(f"{platform}/.well-known/oauth-authorization-server").json()["issuer"] == back["iss"]
    token = _redeemed(platform, application.client_id, back["code"], callback)
    headers = {"authorization": f"Bearer {token['access_token']}"}
    assert httpx.get(f"{platform}/", headers=headers).json()["scopes"] == ["mail:use"]
    assert complaints == []


def _redeemed(base: str, client_id: str, code: str, callback: str) -> dict[str, Any]:
    fields = {"grant_type": "authorization_code", "client_id": client_id, "code": code}
    answer = httpx.post(f"{base}/token", data=fields | {"redirect_uri": callback, "code_verifier": VERIFIER})
    assert answer.status_code == 200, answer.text
    token: dict[str, Any] = answer.json()
    return token
