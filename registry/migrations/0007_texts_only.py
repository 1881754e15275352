"""Texts of search: registrations have one each, vectors belong to texts."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0006_move_texts")]

    operations = [
        migrations.RemoveField("toolregistration", "search_hash"),
        migrations.RemoveField("toolregistration", "lexical_length"),
        migrations.AlterField(
            "toolregistration",
            "search_text",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="registrations",
                to="registry.searchtext",
            ),
        ),
        migrations.RemoveConstraint("toolembedding", "embedding_once_per_space"),
        migrations.RemoveField("toolembedding", "registration"),
        migrations.AlterField(
            "toolembedding",
            "text",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="embeddings",
                to="registry.searchtext",
            ),
        ),
        migrations.AlterField(
            "toolembedding",
            "space",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="embeddings",
                to="registry.embeddingspace",
            ),
        ),
        migrations.AlterField(
            "toolembedding", "content_hash", models.CharField(db_collation="C", max_length=64)
        ),
        migrations.AddConstraint(
            "toolembedding",
            models.UniqueConstraint(fields=("text", "space"), name="embedding_once_per_space"),
        ),
        migrations.AddIndex(
            "toolembedding", models.Index(fields=["space", "content_hash"], name="embedding_by_content")
        ),
    ]
