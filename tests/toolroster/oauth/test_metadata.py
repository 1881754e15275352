import asyncio
from typing import Any

import httpx
import pytest

from tests.toolroster.oauth.server import IMPATIENT
from toolroster.errors import DocumentInvalid, Unavailable
from toolroster.oauth import ServerMetadata, Wire, discover, discover_async

GOOD = {
    "issuer": "https://tools.test",
    "token_endpoint": "https://tools.test/token",
    "introspection_endpoint": "https://tools.test/introspect",
}


def answering(document: Any, *, status: int = 200) -> Wire:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=document))
    return Wire(pauses_seconds=(), transport=transport)


def test_the_endpoints_are_found_from_the_address():
    assert discover("https://tools.test", wire=answering(GOOD)) == ServerMetadata(**GOOD)


def test_a_real_server_is_found_with_and_without_asyncio(server):
    expected = ServerMetadata(server.url, server.url + "/token", None)

    assert discover(server.url, wire=IMPATIENT) == expected
    assert asyncio.run(discover_async(server.url, wire=IMPATIENT)) == expected


@pytest.mark.parametrize(
    ("base_url", "asked"),
    [
        ("https://tools.test/", "https://tools.test/.well-known/oauth-authorization-server"),
        ("https://tools.test:8/o", "https://tools.test:8/.well-known/oauth-authorization-server/o"),
        ("https://tools.test/o/", "https://tools.test/.well-known/oauth-authorization-server/o"),
    ],
)
def test_the_well_known_part_stands_between_host_and_path(base_url, asked):
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(200, json={**GOOD, "issuer": base_url.rstrip("/")})

    discover(base_url, wire=Wire(transport=httpx.MockTransport(answer)))

    assert seen == [asked]


@pytest.mark.parametrize(
    ("changed", "pointer", "code"),
    [
        ({"issuer": "https://evil.test"}, "/issuer", "issuer_mismatch"),
        ({"issuer": "https://tools.test/"}, "/issuer", "issuer_mismatch"),
        ({"issuer": None}, "/issuer", "issuer_mismatch"),
        ({"issuer": ["https://tools.test"]}, "/issuer", "issuer_mismatch"),
        ({"token_endpoint": None}, "/token_endpoint", "url_invalid"),
        ({"token_endpoint": "/token"}, "/token_endpoint", "url_invalid"),
        ({"token_endpoint": "http://tools.test/token"}, "/token_endpoint", "url_invalid"),
        ({"introspection_endpoint": 7}, "/introspection_endpoint", "url_invalid"),
    ],
)
def test_metadata_of_others_or_with_unsafe_endpoints_is_refused(changed, pointer, code):
    with pytest.raises(DocumentInvalid) as caught:
        discover("https://tools.test", wire=answering({**GOOD, **changed}))

    assert [(fault.pointer, fault.code) for fault in caught.value.errors] == [(pointer, code)]


def test_a_server_without_metadata_is_unavailable():
    with pytest.raises(Unavailable, match=r"no metadata for https://tools\.test \(status 404\)"):
        discover("https://tools.test", wire=answering({}, status=404))
