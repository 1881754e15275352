"""The pages of the catalogue."""
