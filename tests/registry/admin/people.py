"""People who look at the admin."""

from django.contrib.auth.models import Permission
from django.test import Client

from oauth.models import User


def staff(*permissions: str) -> Client:
    """Log in a staff member who has these permissions, and no other."""
    person = User.objects.create_user("clerk", is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(person)
    return client
