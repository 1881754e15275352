"""What tests of the library share: a small authorization server."""

from collections.abc import Iterator

import pytest

from tests.toolroster.oauth.server import AuthorizationServer


@pytest.fixture
def server() -> Iterator[AuthorizationServer]:
    with AuthorizationServer().running() as running:
        yield running
