"""Settings: `base` for all, then `dev`, `test` or `production`."""
