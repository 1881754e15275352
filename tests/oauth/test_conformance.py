"""The Model Context Protocol's own conformance suite, against our authorization server."""

import os
import re
import selectors
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from oauth.models import User
from tests.oauth.client import make_peoples_client
from tests.oauth.person import Person
from tests.stack import free_port

SUITE = Path(__file__).resolve().parents[1] / "conformance/node_modules/.bin"
_PATIENCE_SECONDS = 60

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not SUITE.exists(), reason="needs `npm ci --prefix tests/conformance`"),
]


def read_until(process: "subprocess.Popen[bytes]", pattern: str) -> str:
    """Return what the suite prints up to a pattern, or up to its end."""
    assert process.stdout is not None
    said, deadline = "", time.monotonic() + _PATIENCE_SECONDS
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while not re.search(pattern, said) and time.monotonic() < deadline:
            if ready.select(timeout=1):
                part = os.read(process.stdout.fileno(), 65_536)  # no buffer in between, which would hide it
                if not part:
                    break
                said += part.decode()
    return said


def test_both_scenarios_for_authorization_servers_pass(platform: str) -> None:
    User.objects.create_user("ann", password="long and secret")
    port = free_port()
    callback = f"http://127.0.0.1:{port}/callback"
    application = make_peoples_client("tools:invoke", redirect_uris=callback)
    command = [
        *(str(SUITE / "node"), str(SUITE / "conformance"), "authorization"),
        *("--url", platform, "--resource", f"{platform}/mcp"),
        *("--client-id", application.client_id, "--port", str(port)),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        said = read_until(process, "Callback server started")
        url = re.search(r"https?://\S+/authorize\?\S+", said)
        assert url, said
        with Person("ann", "long and secret") as ann:
            httpx.get(ann.agree(url[0]), timeout=15)
        said += read_until(process, "Total: .*")
    assert "Total: 2 passed, 0 failed" in said
    assert process.returncode == 0, said
