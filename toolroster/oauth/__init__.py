"""OAuth for agents and tool services: get tokens, send them, and check those of callers.

`metadata` finds a registry's endpoints, `client` gets tokens, `tokens` checks them, `challenge` reads and
writes their headers, `middleware` protects an application.
"""

from toolroster.oauth.challenge import bearer_challenge, bearer_token, challenge_of
from toolroster.oauth.client import ClientCredentials
from toolroster.oauth.introspection import CheckedToken
from toolroster.oauth.metadata import ServerMetadata, discover, discover_async
from toolroster.oauth.middleware import BearerMiddleware, WSGIBearerMiddleware
from toolroster.oauth.tokens import TokenChecker
from toolroster.wire import Wire

__all__ = [
    "BearerMiddleware",
    "CheckedToken",
    "ClientCredentials",
    "ServerMetadata",
    "TokenChecker",
    "WSGIBearerMiddleware",
    "Wire",
    "bearer_challenge",
    "bearer_token",
    "challenge_of",
    "discover",
    "discover_async",
]
