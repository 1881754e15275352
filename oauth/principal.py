"""Who asks, as far as visibility and permission are concerned."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache


class Reach(Enum):
    """How far a principal sees before its scopes and roles are looked at."""

    EVERYTHING = auto()
    """Scopes and roles do not limit what is seen: discovery without a token, seeds/000."""
    BY_SCOPE = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Principal:
    """An application or a person with its effective scopes (token ∩ present grants) and roles.

    None for both ids is the anonymous principal.
    """

    application_id: int | None
    user_id: int | None
    scopes: frozenset[str]
    roles: frozenset[str]
    reach: Reach = Reach.BY_SCOPE
    client_id: str = ""

    @property
    def is_anonymous(self) -> bool:
        """Whether no token was sent."""
        return self.application_id is None and self.user_id is None

    @property
    def visibility_key(self) -> str:
        """A text that is equal for principals who see the same: for cache keys."""
        return _visibility_key(self.reach, self.scopes, self.roles)

    def has(self, scope: str) -> bool:
        """Tell whether the principal holds a scope."""
        return scope in self.scopes


@lru_cache(maxsize=4096)
def _visibility_key(reach: Reach, scopes: frozenset[str], roles: frozenset[str]) -> str:
    if reach is not Reach.BY_SCOPE:
        return reach.name.lower()
    seen = "\n".join([*sorted(scopes), "", *sorted(roles)])
    return hashlib.sha256(seen.encode()).hexdigest()[:32]


def anonymous(*, sees: Reach, scopes: Iterable[str] = ()) -> Principal:
    """Return the principal of a request without a token."""
    return Principal(None, None, frozenset(scopes), frozenset(), sees)


def everything() -> Principal:
    """Return a principal that sees all: for the platform's own work, never for a request."""
    return anonymous(sees=Reach.EVERYTHING)
