"""Texts of search, once for all registrations that say the same: the new columns, empty."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0004_highest_of_each_tool")]

    operations = [
        migrations.CreateModel(
            name="SearchText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("words_hash", models.CharField(db_collation="C", max_length=64, unique=True)),
                ("length", models.PositiveIntegerField()),
            ],
            options={"verbose_name": "text"},
        ),
        migrations.AddField(
            "toolregistration",
            "search_text",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="registrations",
                to="registry.searchtext",
            ),
        ),
        migrations.AddField(
            "toolembedding",
            "text",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="embeddings",
                to="registry.searchtext",
            ),
        ),
        migrations.RunSQL("TRUNCATE registry_toolposting", migrations.RunSQL.noop),
        migrations.RemoveConstraint("toolposting", "posting_once"),
        migrations.RemoveField("toolposting", "registration"),
        migrations.AddField(
            "toolposting",
            "text",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="postings", to="registry.searchtext"
            ),
            preserve_default=False,
        ),
        migrations.AddField("toolposting", "length", models.PositiveIntegerField()),
        migrations.AddConstraint(
            "toolposting",
            models.UniqueConstraint(
                fields=("term", "text"), include=("frequency", "length"), name="posting_once"
            ),
        ),
    ]
