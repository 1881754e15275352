import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('consumers', '0002_calls'),
        migrations.swappable_dependency(settings.OAUTH2_PROVIDER_APPLICATION_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AgentSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_id', models.CharField(db_collation='C', max_length=200, unique=True)),
                ('topic', models.TextField(blank=True)),
                ('model', models.CharField(max_length=300)),
                ('members', models.JSONField()),
                ('turn_order', models.JSONField()),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('failure', models.TextField(blank=True)),
                ('summary', models.TextField(blank=True)),
                ('statistics', models.JSONField(default=dict)),
                ('turns', models.PositiveIntegerField(default=0)),
                ('call_count', models.PositiveIntegerField(default=0, verbose_name='calls')),
                ('total_tokens', models.PositiveBigIntegerField(default=0, verbose_name='tokens')),
                ('application', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='agent_sessions', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
            ],
            options={
                'verbose_name': 'session',
            },
        ),
        migrations.CreateModel(
            name='MemorySummary',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_id', models.BigIntegerField(blank=True, null=True)),
                ('session_id', models.CharField(db_collation='C', max_length=200)),
                ('agent_id', models.CharField(db_collation='C', max_length=255)),
                ('last_id', models.BigIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('summary', models.TextField()),
                ('made_at', models.DateTimeField()),
                ('application', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
            ],
            options={
                'verbose_name': 'summary of memories',
                'verbose_name_plural': 'summaries of memories',
            },
        ),
        migrations.CreateModel(
            name='SessionCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('turn_id', models.PositiveIntegerField()),
                ('agent', models.CharField(max_length=255)),
                ('tool', models.CharField(blank=True, max_length=200)),
                ('tool_id', models.CharField(blank=True, db_collation='C', max_length=400)),
                ('arguments', models.JSONField()),
                ('params_hash', models.CharField(max_length=64)),
                ('told', models.TextField(blank=True)),
                ('error_code', models.CharField(blank=True, max_length=80)),
                ('duration_ms', models.FloatField()),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='consumers.agentsession')),
            ],
            options={
                'verbose_name': 'call of a session',
                'verbose_name_plural': 'calls of sessions',
            },
        ),
        migrations.CreateModel(
            name='SessionMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('turn_id', models.PositiveIntegerField()),
                ('agent', models.CharField(max_length=255)),
                ('message', models.TextField(blank=True)),
                ('prompt_tokens', models.PositiveIntegerField()),
                ('completion_tokens', models.PositiveIntegerField()),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='consumers.agentsession')),
            ],
            options={
                'verbose_name': 'message',
            },
        ),
        migrations.CreateModel(
            name='AgentMemory',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user_id', models.BigIntegerField(blank=True, null=True)),
                ('session_id', models.CharField(db_collation='C', max_length=200)),
                ('agent_id', models.CharField(db_collation='C', max_length=255)),
                ('turn_id', models.PositiveIntegerField()),
                ('message', models.TextField(blank=True)),
                ('stored_at', models.DateTimeField()),
                ('application', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='agent_memories', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
            ],
            options={
                'verbose_name': 'memory',
                'verbose_name_plural': 'memories',
                'constraints': [models.UniqueConstraint(fields=('session_id', 'agent_id', 'turn_id', 'application', 'user_id'), name='memory_once', nulls_distinct=False)],
            },
        ),
        migrations.AddIndex(
            model_name='agentsession',
            index=models.Index(fields=['application', '-id'], name='session_of_application'),
        ),
        migrations.AddConstraint(
            model_name='memorysummary',
            constraint=models.UniqueConstraint(fields=('application', 'user_id', 'session_id', 'agent_id'), name='summary_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='sessionmessage',
            constraint=models.UniqueConstraint(fields=('session', 'turn_id', 'agent'), name='message_once'),
        ),
    ]
