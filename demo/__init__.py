"""Small real tool services for `make run`: the tools of both seeds, served and beating."""
