"""The platform's own scopes, with what they allow."""

from django.db import migrations
from django.utils import timezone

PLATFORM = {
    "tools:register": "Register, beat and deregister in namespaces that the application owns",
    "tools:invoke": "Call tools through the platform's router",
    "tools:admin": "Govern: approve, deprecate, retire, change what only operators may",
    "introspection": "Ask whether a token is valid, as tool services do",
}


def add(apps, schema_editor):
    scope = apps.get_model("oauth", "Scope")
    for name, description in PLATFORM.items():
        facts = {"description": description, "is_platform": True, "created_at": timezone.now()}
        scope.objects.update_or_create(name=name, defaults=facts)


class Migration(migrations.Migration):
    dependencies = [("oauth", "0001_initial")]

    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
