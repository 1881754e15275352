import base64

import httpx

from toolroster.oauth.client_secret import ClientSecret

URL = httpx.URL("http://as.test/token")


def test_the_header_holds_id_and_secret_encoded_as_forms_are():
    """The text is that of RFC 6749, appendix B."""
    call = ClientSecret("a:b", " %&+£€").post(URL, {"x": "1"})

    assert base64.b64decode(call.headers["Authorization"].removeprefix("Basic ")) == (
        b"a%3Ab:+%25%26%2B%C2%A3%E2%82%AC"
    )
    assert call.form == {"x": "1"}


def test_the_form_holds_id_and_secret_if_so_chosen():
    call = ClientSecret("id", "hush", "client_secret_post").post(URL, {"x": "1"})

    assert call.form == {"x": "1", "client_id": "id", "client_secret": "hush"}
    assert call.headers == {}


def test_the_secret_is_not_shown():
    assert "hush" not in repr(ClientSecret("id", "hush"))
