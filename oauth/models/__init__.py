"""The tables of access; a module each."""

from oauth.models.application import Application, User
from oauth.models.scope import Scope, ScopeGrant

__all__ = ["Application", "Scope", "ScopeGrant", "User"]
