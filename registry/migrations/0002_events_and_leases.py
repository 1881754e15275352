"""What Django cannot say: events are append-only, leases stay HOT updates."""

from django.db import migrations

# Triggers fire for everyone, the table's owner included. TRUNCATE, which tests use, is not caught.
APPEND_ONLY = """
CREATE FUNCTION registry_event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append-only';
END $$;
CREATE TRIGGER registry_toolevent_append_only BEFORE UPDATE OR DELETE ON registry_toolevent
FOR EACH ROW EXECUTE FUNCTION registry_event_is_append_only();
"""
WRITABLE = """
DROP TRIGGER registry_toolevent_append_only ON registry_toolevent;
DROP FUNCTION registry_event_is_append_only();
"""
# Half-filled pages: each beat finds room for the new row version beside the old one (PERFORMANCE §2).
HALF_FILLED = """
ALTER TABLE registry_toolinstance SET (
    fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0
);
"""
FULL = """
ALTER TABLE registry_toolinstance RESET (
    fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_cost_delay
);
"""


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_initial")]

    operations = [
        migrations.RunSQL(APPEND_ONLY, WRITABLE),
        migrations.RunSQL(HALF_FILLED, FULL),
    ]
