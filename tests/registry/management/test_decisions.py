"""`manage.py deprecate_tool` and `retire_tool`."""

import pytest
from django.core.management import CommandError

from registry.models import ToolEvent, ToolRegistration
from tests.factories import make_registration
from tests.registry.management.test_commands import run

pytestmark = pytest.mark.django_db
TOOL_ID = "mail-team:send_email:1.0.0"


def test_a_version_is_deprecated_and_restored() -> None:
    make_registration()
    make_registration(name="send_mail")
    words = ("--reason", "Slow.", "--sunset-at", "2090-01-01", "--replaced-by", "send_mail@^1")

    deprecated = run("deprecate_tool", "send_email", *words)

    row = ToolRegistration.objects.get(tool_id=TOOL_ID)
    assert deprecated == (f"{TOOL_ID} is deprecated.", "")
    assert (row.deprecation_reason, row.replaced_by, row.sunset_at.isoformat()) == (
        "Slow.",
        "send_mail@^1",
        "2090-01-01T00:00:00+00:00",
    )
    assert ToolEvent.objects.latest("pk").actor == "command:deprecate_tool"
    assert run("deprecate_tool", TOOL_ID, "--undo") == (f"{TOOL_ID} is active.", "")


def test_a_version_is_yanked_and_retired() -> None:
    make_registration()

    assert run("deprecate_tool", TOOL_ID, "--yank") == (f"{TOOL_ID} is yanked.", "")
    assert run("retire_tool", TOOL_ID, "--reason", "Unsafe.") == (f"{TOOL_ID} is retired.", "")
    assert ToolRegistration.objects.get().lifecycle == "RETIRED"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["deprecate_tool", "nothing"], "There is no tool"),
        (["deprecate_tool", TOOL_ID, "--replaced-by", "nothing"], "There is no tool"),
        (["deprecate_tool", TOOL_ID, "--sunset-at", "2001-01-01"], "in the past"),
        (["deprecate_tool", TOOL_ID, "--sunset-at", "soon"], "ISO 8601"),
        (["deprecate_tool", TOOL_ID, "--sunset-at", "9999-12-31T23:59:59-23:59"], "ISO 8601"),
        (["deprecate_tool", TOOL_ID, "--undo"], "not DEPRECATED"),
        (["deprecate_tool", TOOL_ID, "--undo", "--yank"], "not allowed with"),
        (["retire_tool", "send_email"], "There is no tool"),
    ],
)
def test_what_cannot_be_is_told(words: list[str], said: str) -> None:
    make_registration()

    with pytest.raises(CommandError) as caught:
        run(*words)

    assert said in str(caught.value)
    assert ToolRegistration.objects.get().lifecycle == "ACTIVE"
