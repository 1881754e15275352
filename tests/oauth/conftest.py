"""Fixtures of the tests of access."""

from typing import Any

import pytest


@pytest.fixture
def _without_valkey(settings):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    settings.CACHES = {"default": dead}


@pytest.fixture
def platform(live_server: Any, settings: Any) -> str:
    """The address of a platform on a port of the moment, which is its own issuer and resource."""
    here = str(live_server.url)
    settings.PUBLIC_URL = here
    settings.OAUTH2_PROVIDER = settings.OAUTH2_PROVIDER | {
        "OIDC_ISS_ENDPOINT": here,
        "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": here,
        "OAUTH2_PROTECTED_RESOURCE_AUTHORIZATION_SERVERS": [here],
    }
    return here
