"""Agents, their bindings, calls and sessions: consumers of the registry."""
