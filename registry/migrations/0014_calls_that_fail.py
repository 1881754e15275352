import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0013_events_of_recipients'),
    ]

    operations = [
        migrations.AddField(
            model_name="provider",
            name="audiences",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=2000),
                blank=True,
                default=list,
                help_text="Audiences that its tools may name for their tokens beside the address that is called.",
                size=None,
            ),
        ),
        migrations.AddField(
            model_name='provider',
            name='may_be_private',
            field=models.BooleanField(default=False, help_text="Whether calls may go to private addresses for this provider: for operators to decide.", verbose_name='may be in private networks'),
        ),
        migrations.AddField(
            model_name="toolregistration",
            name="failing_instances",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='toolregistration',
            name='failing_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='toolevent',
            name='kind',
            field=models.CharField(choices=[('tool:version:registered', 'Registered'), ('tool:version:updated', 'Updated'), ('tool:version:approved', 'Approved'), ('tool:version:rejected', 'Rejected'), ('tool:version:deprecated', 'Deprecated'), ('tool:version:restored', 'Restored'), ('tool:version:yanked', 'Yanked'), ('tool:version:retired', 'Retired'), ('tool:health:suspect', 'Suspect'), ('tool:health:unavailable', 'Unavailable'), ('tool:health:recovered', 'Recovered'), ('tool:call:decided', 'Approval Decided'), ('tool:binding:moved', 'Moved'), ('tool:binding:left_behind', 'Left Behind'), ('tool:channel:pinned', 'Channel Pinned'), ('tool:channel:freed', 'Channel Freed'), ('tool:name:default', 'Name Default'), ('registry:sweep:held', 'Held'), ('registry:sweep:released', 'Released')], max_length=40),
        ),
        migrations.AddIndex(
            model_name='toolregistration',
            index=models.Index(condition=models.Q(('failing_until__isnull', False)), fields=['failing_until'], name='registration_failing'),
        ),
    ]
