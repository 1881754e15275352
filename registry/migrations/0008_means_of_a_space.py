"""What the vectors of a space are centred with, and how often they were made anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0007_texts_only")]

    operations = [
        migrations.AddField("embeddingspace", "made_means", models.BinaryField(null=True)),
        migrations.AddField("embeddingspace", "revision", models.PositiveIntegerField(default=0)),
    ]
