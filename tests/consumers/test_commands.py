"""`manage.py migrate_tool_version` and `list_consumers`."""

import json

import pytest
from django.core.management import CommandError

from consumers.models import VersionMigration
from registry.models import ToolRegistration, ToolUse
from tests.consumers.agents import Caller, caller, team_with_agents
from tests.factories import NOW
from tests.registry.management.test_commands import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Caller:
    return team_with_agents()


def test_who_moves_and_who_does_not_is_told(team, capfd) -> None:
    planned, _ = run("migrate_tool_version", "send_email", "1.0.0", "1.1.0", "--dry-run")
    assert "1 would be moved to 1.1.0, 1 would be left." in planned
    assert not VersionMigration.objects.exists()

    done, _ = run("migrate_tool_version", "mail-team/send_email", "1.0.0", "1.1.0")

    migration = VersionMigration.objects.get()
    assert done.splitlines() == [
        "agent (mail-team/send_email@^1): moved",
        "pinned (mail-team/send_email@1.0.0): its range does not allow the version",
        "1 moved to 1.1.0, 1 left.",
        "mail-team:send_email:1.0.0 is deprecated.",
        f"Take it back with --rollback {migration.pk}.",
    ]
    assert migration.actor == "command:migrate_tool_version"
    assert "agents" in capfd.readouterr().err  # the progress bar

    back, _ = run("migrate_tool_version", "--rollback", str(migration.pk))
    assert back.splitlines() == ["agent (mail-team/send_email@^1): moved back", "1 moved back."]
    assert run("migrate_tool_version", "--rollback", str(migration.pk))[0] == "0 moved back."


def test_a_second_run_changes_nothing(team) -> None:
    run("migrate_tool_version", "send_email", "1.0.0", "1.1.0")

    done, _ = run("migrate_tool_version", "send_email", "1.0.0", "1.1.0")

    assert done.splitlines()[-1] == "0 moved to 1.1.0, 1 left."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name the tool"),
        (["send_email", "1.0.0"], "Name the tool"),
        (["nothing", "1.0.0", "1.1.0"], "There is no tool"),
        (["send_email", "1.0.0", "9.9.9"], "no version 9.9.9"),
        (["send_email", "1.0.0", "2.0.0"], "cc: It is gone."),
        (["send_email", "1.0.0", "1.1.0", "--percent", "0"], "1 to 100"),
        (["--rollback", "7"], "no migration 7"),
    ],
)
def test_what_cannot_be_is_told(team, words, said) -> None:
    with pytest.raises(CommandError) as caught:
        run("migrate_tool_version", *words)

    assert said in str(caught.value)
    assert set(ToolRegistration.objects.values_list("lifecycle", flat=True)) == {"ACTIVE"}


def test_consumers_are_listed(team) -> None:
    row = ToolRegistration.objects.get(version="1.1.0")
    user = caller("user").application
    ToolUse.objects.create(
        registration=row, application=user, kind="RESOLVE", count=3, first_at=NOW, last_at=NOW
    )

    assert run("list_consumers", "send_email")[0].splitlines() == [
        "agent: mail-team/send_email@^1 → mail-team:send_email:1.0.0; no use yet",
        "pinned: mail-team/send_email@1.0.0 → mail-team:send_email:1.0.0; no use yet",
        "user: not declared; resolve 1.1.0 3 times",
    ]
    assert [one["name"] for one in json.loads(run("list_consumers", "send_email", "--json")[0])] == [
        "agent",
        "pinned",
        "user",
    ]


def test_a_tool_without_consumers(team) -> None:
    team.publish("1.0.0", name="lonely")

    assert run("list_consumers", "lonely")[0] == "Nobody who sends a token."
