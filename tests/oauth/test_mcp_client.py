"""The official MCP Python client against our authorization server: it discovers, authorizes, steps up."""

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider, OAuthTokenError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from oauth.models import Application, User
from tests.factories import make_document, make_token
from tests.oauth.client import CALLBACK, SECRET, make_machine, make_peoples_client
from tests.oauth.person import Person

pytestmark = pytest.mark.django_db(transaction=True)


class Storage:
    """What the client keeps between requests: mcp.client.auth.TokenStorage."""

    def __init__(self, known: OAuthClientInformationFull | None = None) -> None:
        self.known = known
        self.tokens: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.known

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.known = client_info


@pytest.fixture
def base(platform: str, settings: Any) -> str:
    """A registry that nobody enters without a token."""
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = "none", ()
    return platform


def register(base: str, auth: OAuthClientProvider) -> httpx2.Response:
    """Register a tool, as an MCP client sends a request: without a token first."""
    return asyncio.run(_post(f"{base}/api/tools/register", make_document(), auth))


async def _post(url: str, body: Any, auth: OAuthClientProvider) -> httpx2.Response:
    async with httpx2.AsyncClient(auth=auth, timeout=15) as client:
        return await client.post(url, json=body)


def machine(
    base: str, application: Application, storage: Storage, **options: Any
) -> ClientCredentialsOAuthProvider:
    return ClientCredentialsOAuthProvider(
        server_url=f"{base}/mcp",
        storage=storage,
        client_id=application.client_id,
        client_secret=SECRET,
        issuer=base,
        **options,
    )


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_machine_finds_its_way_from_a_401_to_a_token(base: str, method: str) -> None:
    storage = Storage()
    auth = machine(base, make_machine("tools:register"), storage, token_endpoint_auth_method=method)

    answer = register(base, auth)

    assert (answer.status_code, answer.json()["results"][0]["outcome"]) == (200, "created")
    assert storage.tokens is not None
    assert (storage.tokens.scope, storage.tokens.expires_in) == ("tools:register", 3600)


def test_a_machine_without_the_scope_is_refused_after_all(base: str) -> None:
    with pytest.raises(OAuthTokenError, match="invalid_scope"):
        register(base, machine(base, make_machine("mail:use"), Storage()))


def desktop(application: Application, storage: Storage, base: str, scope: str) -> OAuthClientProvider:
    """Return the client of ann, who logs in with a password and agrees to everything."""
    answers: list[str] = []

    async def redirect(url: str) -> None:
        def agree() -> str:
            with Person("ann", "long and secret") as ann:
                return ann.agree(url)

        answers.append(await asyncio.to_thread(agree))

    async def callback() -> AuthorizationCodeResult:
        fields = {name: values[0] for name, values in parse_qs(urlsplit(answers.pop()).query).items()}
        return AuthorizationCodeResult(code=fields["code"], state=fields["state"], iss=fields["iss"])

    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [CALLBACK], "scope": scope, "token_endpoint_auth_method": "none"}
    )
    return OAuthClientProvider(f"{base}/mcp", metadata, storage, redirect, callback)


def known(application: Application) -> OAuthClientInformationFull:
    return OAuthClientInformationFull.model_validate(
        {
            "client_id": application.client_id,
            "redirect_uris": [CALLBACK],
            "token_endpoint_auth_method": "none",
        }
    )


def test_a_person_lets_an_mcp_client_register_for_them(base: str) -> None:
    User.objects.create_user("ann", password="long and secret")
    application = make_peoples_client("tools:register")
    storage = Storage(known(application))

    answer = register(base, desktop(application, storage, base, "tools:register"))

    assert answer.status_code == 200, answer.text
    assert storage.tokens is not None
    assert (storage.tokens.scope, storage.tokens.expires_in) == ("tools:register", 600)
    assert storage.tokens.refresh_token


def test_an_mcp_client_whose_token_reaches_too_little_steps_up(base: str) -> None:
    User.objects.create_user("ann", password="long and secret")
    application = make_peoples_client("mail:use", "tools:register")
    storage = Storage(known(application))
    storage.tokens = OAuthToken(
        access_token=make_token("mail:use", application=application), scope="mail:use", expires_in=600
    )

    answer = register(base, desktop(application, storage, base, "mail:use"))

    assert answer.status_code == 200, answer.text
    assert set((storage.tokens.scope or "").split()) == {"mail:use", "tools:register"}


def test_an_mcp_client_refreshes_its_token(base: str) -> None:
    User.objects.create_user("ann", password="long and secret")
    application = make_peoples_client("tools:register")
    storage = Storage(known(application))
    auth = desktop(application, storage, base, "tools:register")
    register(base, auth)
    assert storage.tokens is not None
    first = storage.tokens.access_token
    auth.context.token_expiry_time = 1.0  # as if ten minutes had passed

    answer = register(base, auth)

    assert answer.json()["results"][0]["outcome"] == "unchanged"
    assert storage.tokens.access_token != first
