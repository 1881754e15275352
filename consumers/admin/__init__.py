"""The admin of consumers: who is bound to what, and migrations; a module each subject."""

from consumers.admin import binding, migration

__all__ = ["binding", "migration"]
