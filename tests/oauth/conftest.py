"""Fixtures of the tests of access."""

import pytest


@pytest.fixture
def _without_valkey(settings):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    settings.CACHES = {"default": dead}
