"""The admin of consumers: bindings, and migrations that are done and taken back there."""

import pytest
from django.test import Client
from django.urls import reverse

from consumers.admin.migration import MigrationForm
from consumers.models import VersionMigration
from registry.models import ToolRegistration
from tests.consumers.agents import Caller, team_with_agents

pytestmark = pytest.mark.django_db
ADD = reverse("admin:consumers_versionmigration_add")
LIST = reverse("admin:consumers_versionmigration_changelist")


@pytest.fixture
def team() -> Caller:
    return team_with_agents()


def _form(new: str, **more: str) -> dict[str, str]:
    ids = dict(ToolRegistration.objects.values_list("version", "pk"))
    return {"old": str(ids["1.0.0"]), "new": str(ids[new]), "percent": "100", **more}


@pytest.mark.parametrize("model", ["toolbinding", "inboxmark", "versionmigration"])
def test_every_list_opens(team, admin_client: Client, model: str) -> None:
    page = admin_client.get(reverse(f"admin:consumers_{model}_changelist"))

    assert page.status_code == 200
    assert ("mail-team:send_email:1.0.0" in page.content.decode()) == (model == "toolbinding")


def test_a_migration_is_done_and_taken_back(team, admin_client: Client) -> None:
    assert admin_client.get(ADD).status_code == 200

    done = admin_client.post(ADD, _form("1.1.0"), follow=True)

    migration = VersionMigration.objects.get()
    assert "1 of 2 agents moved." in done.content.decode()
    assert (migration.actor, migration.deprecated) == ("person:admin", True)
    page = admin_client.get(reverse("admin:consumers_versionmigration_change", args=[migration.pk]))
    assert "its range does not allow the version" in page.content.decode()

    back = admin_client.post(
        LIST, {"action": "roll_back", "_selected_action": [str(migration.pk)]}, follow=True
    )
    assert "1 agents moved back." in back.content.decode()
    assert ToolRegistration.objects.get(version="1.0.0").lifecycle == "ACTIVE"


def test_what_refuses_a_migration_is_told_beside_the_form(team, admin_client: Client) -> None:
    page = admin_client.post(ADD, _form("2.0.0")).content.decode()

    assert "nobody was moved" in page
    assert "cc: It is gone." in page
    assert not VersionMigration.objects.exists()


@pytest.mark.parametrize("percent", ["0", "101", "-1", "x"])
def test_a_share_is_a_percentage(team, admin_client: Client, percent: str) -> None:
    assert admin_client.post(ADD, _form("1.1.0", percent=percent)).context["errors"]
    assert not VersionMigration.objects.exists()


@pytest.mark.parametrize("state", [{"bound": "1.1.0"}, {"lifecycle": "RETIRED"}])
def test_who_is_slower_than_others_is_told(team, admin_client: Client, monkeypatch, state) -> None:
    """The plan held a moment ago; by the time that it is saved it does not any more."""
    monkeypatch.setattr(MigrationForm, "clean", lambda form: form.cleaned_data)
    form = _form("1.1.0")
    if "bound" in state:
        admin_client.post(ADD, form)
    else:
        ToolRegistration.objects.filter(version="1.1.0").update(**state)
    before = VersionMigration.objects.count()

    page = admin_client.post(ADD, form, follow=True)

    assert page.redirect_chain[-1][0] == LIST
    assert [str(one.level_tag) for one in page.context["messages"]][-1] == "error"
    assert VersionMigration.objects.count() == before


def test_a_migration_that_would_change_nothing_is_told(team, admin_client: Client) -> None:
    admin_client.post(ADD, _form("1.1.0"))

    assert "There is nobody to move" in admin_client.post(ADD, _form("1.1.0")).content.decode()
    assert VersionMigration.objects.count() == 1
