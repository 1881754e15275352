"""Toolroster: find, version and call the tools of LLM agents."""

__version__ = "0.1.0"
