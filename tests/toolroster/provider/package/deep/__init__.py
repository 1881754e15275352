"""A package below."""
