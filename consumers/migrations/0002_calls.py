import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


TABLE = """
CREATE TABLE consumers_toolcall (
    call_id uuid NOT NULL,
    called_at timestamptz NOT NULL,
    application_id bigint,
    user_id bigint,
    agent varchar(255) NOT NULL,
    session_id varchar(200) NOT NULL,
    ref varchar(1400) NOT NULL,
    tool_id_asked varchar(400) COLLATE "C" NOT NULL,
    tool_id varchar(400) COLLATE "C" NOT NULL,
    instance varchar(2000) NOT NULL,
    outcome varchar(12) NOT NULL,
    error_code varchar(80) NOT NULL,
    why varchar(1000) NOT NULL,
    attempts smallint NOT NULL,
    duration_ms double precision NOT NULL,
    request_bytes bigint NOT NULL,
    response_bytes bigint NOT NULL,
    params_hash varchar(64) NOT NULL,
    params jsonb,
    PRIMARY KEY (call_id, called_at)
) PARTITION BY RANGE (called_at);
CREATE TABLE consumers_toolcall_default PARTITION OF consumers_toolcall DEFAULT;
CREATE INDEX call_time ON consumers_toolcall (called_at DESC);
CREATE INDEX call_of_tool ON consumers_toolcall (tool_id, called_at DESC);
CREATE INDEX call_of_agent ON consumers_toolcall (application_id, called_at DESC);
CREATE INDEX call_of_session ON consumers_toolcall (session_id, called_at) WHERE session_id <> '';
CREATE FUNCTION toolroster_calls_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('toolroster.retention', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'calls are append-only';
END $$;
CREATE TRIGGER call_append_only BEFORE UPDATE OR DELETE ON consumers_toolcall
    FOR EACH ROW EXECUTE FUNCTION toolroster_calls_append_only();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('consumers', '0001_bindings_and_migrations'),
        ('registry', '0014_calls_that_fail'),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            # A partitioned table, which Django cannot describe: its primary key has the partition's column in it.
            database_operations=[migrations.RunSQL(TABLE, "DROP TABLE consumers_toolcall; DROP FUNCTION toolroster_calls_append_only")],
            state_operations=[
                migrations.CreateModel(
                    name='ToolCall',
                    fields=[
                        ('call_id', models.UUIDField(primary_key=True, serialize=False)),
                        ('called_at', models.DateTimeField()),
                        ('application_id', models.BigIntegerField(null=True)),
                        ('user_id', models.BigIntegerField(null=True)),
                        ('agent', models.CharField(blank=True, max_length=255)),
                        ('session_id', models.CharField(blank=True, max_length=200)),
                        ('ref', models.CharField(max_length=1400)),
                        ('tool_id_asked', models.CharField(blank=True, db_collation='C', max_length=400)),
                        ('tool_id', models.CharField(blank=True, db_collation='C', max_length=400)),
                        ('instance', models.CharField(blank=True, max_length=2000)),
                        ('outcome', models.CharField(choices=[('OK', 'Ok'), ('REFUSED', 'Refused'), ('PENDING', 'Pending'), ('UNAVAILABLE', 'Unavailable'), ('REJECTED', 'Rejected'), ('FAILED', 'Failed'), ('TIMED_OUT', 'Timed Out'), ('CANCELLED', 'Cancelled'), ('REPORTED', 'Reported')], max_length=12)),
                        ('error_code', models.CharField(blank=True, max_length=80)),
                        ('why', models.CharField(blank=True, max_length=1000)),
                        ('attempts', models.PositiveSmallIntegerField()),
                        ('duration_ms', models.FloatField()),
                        ('request_bytes', models.PositiveBigIntegerField()),
                        ('response_bytes', models.PositiveBigIntegerField()),
                        ('params_hash', models.CharField(blank=True, max_length=64)),
                        ('params', models.JSONField(null=True)),
                    ],
                    options={
                        'verbose_name': 'call',
                        'indexes': [models.Index(fields=['-called_at'], name='call_time'), models.Index(fields=['tool_id', '-called_at'], name='call_of_tool'), models.Index(fields=['application_id', '-called_at'], name='call_of_agent'), models.Index(condition=models.Q(('session_id', ''), _negated=True), fields=['session_id', 'called_at'], name='call_of_session')],
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name='ToolCallUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hour', models.DateTimeField()),
                ('tool_id', models.CharField(db_collation='C', max_length=400)),
                ('provider', models.CharField(db_collation='C', max_length=63)),
                ('name', models.CharField(db_collation='C', max_length=64)),
                ('version', models.CharField(db_collation='C', max_length=256)),
                ('application_id', models.BigIntegerField(null=True)),
                ('agent', models.CharField(blank=True, max_length=255)),
                ('outcome', models.CharField(choices=[('OK', 'Ok'), ('REFUSED', 'Refused'), ('PENDING', 'Pending'), ('UNAVAILABLE', 'Unavailable'), ('REJECTED', 'Rejected'), ('FAILED', 'Failed'), ('TIMED_OUT', 'Timed Out'), ('CANCELLED', 'Cancelled'), ('REPORTED', 'Reported')], max_length=12)),
                ('calls', models.PositiveBigIntegerField()),
                ('duration_ms', models.FloatField()),
                ('longest_ms', models.FloatField()),
                ('request_bytes', models.PositiveBigIntegerField()),
                ('response_bytes', models.PositiveBigIntegerField()),
            ],
            options={
                'verbose_name': 'usage',
                'verbose_name_plural': 'usage',
                'indexes': [models.Index(fields=['provider', 'name', 'hour'], name='usage_of_tool')],
                'constraints': [models.UniqueConstraint(fields=('hour', 'tool_id', 'application_id', 'agent', 'outcome'), name='usage_once', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='Approval',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('user_id', models.BigIntegerField(blank=True, null=True)),
                ('params', models.JSONField()),
                ('params_hash', models.CharField(max_length=64)),
                ('session_id', models.CharField(blank=True, max_length=200)),
                ('state', models.CharField(choices=[('PENDING', 'Pending'), ('APPROVED', 'Approved'), ('REJECTED', 'Rejected'), ('USED', 'Used'), ('EXPIRED', 'Expired')], default='PENDING', max_length=8)),
                ('asked_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.CharField(blank=True, max_length=300)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('used_by_call', models.UUIDField(blank=True, null=True)),
                ('application', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='approvals', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='approvals', to='registry.toolregistration')),
            ],
            options={
                'verbose_name': 'approval',
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['PENDING', 'APPROVED'])), fields=('application', 'user_id', 'registration', 'params_hash'), name='approval_once', nulls_distinct=False)],
                'indexes': [models.Index(fields=['state', '-asked_at'], name='approval_state')],
            },
        ),
        migrations.CreateModel(
            name='RepeatableCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_id', models.BigIntegerField(null=True)),
                ('key', models.CharField(db_collation='C', max_length=255)),
                ('request_hash', models.CharField(max_length=64)),
                ('began_at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('answer', models.BinaryField(null=True)),
                ('application', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
            ],
            options={
                'verbose_name': 'repeatable call',
                'indexes': [models.Index(fields=['began_at'], name='repeatable_age')],
                'constraints': [models.UniqueConstraint(fields=('application', 'user_id', 'key'), name='repeatable_once', nulls_distinct=False)],
            },
        ),
    ]
