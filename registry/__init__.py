"""Tools, versions, heartbeats, discovery and events."""
