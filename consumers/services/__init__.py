"""Decisions about consumers: bindings, who would break, migrations, inboxes."""
