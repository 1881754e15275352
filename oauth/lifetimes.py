"""How long access tokens live: an hour for machines, minutes for people's clients."""

from typing import Any

MACHINES_SECONDS = 3600
PEOPLE_SECONDS = 600


def access_token_seconds(request: Any) -> int:
    """Return the lifetime for a token request of oauthlib."""
    return MACHINES_SECONDS if request.grant_type == "client_credentials" else PEOPLE_SECONDS
