"""What the vectors of a model without shipped means are centred with."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0007_texts_only")]

    operations = [migrations.AddField("embeddingspace", "made_means", models.BinaryField(null=True))]
