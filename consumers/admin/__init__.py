"""The admin of consumers: calls, approvals, bindings, sessions; a module each subject."""

from consumers.admin import approval, binding, call, memory, migration, session

__all__ = ["approval", "binding", "call", "memory", "migration", "session"]
