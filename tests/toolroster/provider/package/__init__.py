"""A package with tools in two modules."""
