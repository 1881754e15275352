"""The tables of access; a module each."""

from oauth.models.application import Application, User
from oauth.models.audit import AccessEvent
from oauth.models.scope import Scope, ScopeGrant

__all__ = ["AccessEvent", "Application", "Scope", "ScopeGrant", "User"]
