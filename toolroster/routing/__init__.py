"""The router (seeds/004): agents never call a tool directly; it resolves, falls back, guards and calls."""
