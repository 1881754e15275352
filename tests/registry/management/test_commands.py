"""The commands of people who run the platform."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from oauth import scopes
from registry.models import EmbeddingSpace, LeaseWatch, ToolEmbedding, ToolInstance, ToolRegistration
from tests.factories import make_application, make_registration
from tests.registry.embedding import WORDS

pytestmark = pytest.mark.django_db


def run(name: str, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(name, *arguments, stdout=out, stderr=err)
    return out.getvalue().strip(), err.getvalue().strip()


def silence(providers: int) -> None:
    """Let as many providers fall silent at once, after a sweep that saw them alive."""
    now = timezone.now()
    for number in range(providers):
        make_registration(provider=f"team-{number}", instance="host-1")
    ToolInstance.objects.update(last_beat_at=now - timedelta(minutes=10))
    LeaseWatch.objects.create(swept_at=now - timedelta(minutes=10))


def test_mark_stale_tools_says_what_it_marked() -> None:
    silence(1)

    assert run("mark_stale_tools") == ("0 suspect, 1 unavailable.", "")
    assert ToolRegistration.objects.get().health == "UNAVAILABLE"


def test_mark_stale_tools_holds_back_unless_it_is_forced() -> None:
    silence(5)

    _, held = run("mark_stale_tools")
    forced, _ = run("mark_stale_tools", "--force")

    assert held == "Held back: most leases would expire at once. --force overrules this."
    assert forced == "0 suspect, 5 unavailable."


def test_reembed_builds_what_is_missing_and_swaps_it_in(backend: Any, settings: Any) -> None:
    settings.EMBEDDING_BACKEND = WORDS
    for number in range(20):
        make_registration(name=f"tool_{number}")

    said, _ = run("reembed")

    assert said.splitlines()[:2] == ["16 of 20", "20 of 20"]
    assert EmbeddingSpace.objects.get().is_current
    assert ToolEmbedding.objects.count() == 20


def test_reembed_leaves_alone_what_is_up_to_date_unless_all_is_asked_for(backend: Any, settings: Any) -> None:
    settings.EMBEDDING_BACKEND = WORDS
    make_registration()
    run("reembed")

    assert run("reembed")[0].splitlines()[:-1] == []
    assert run("reembed", "--all")[0].splitlines()[:-1] == ["1 of 1"]


def test_reembed_without_a_model_says_so(settings: Any) -> None:
    settings.EMBEDDING_BACKEND = "none"

    with pytest.raises(CommandError, match="there is nothing to embed"):
        run("reembed")


def test_grant_scope_grants_and_says_what_is_held() -> None:
    application = make_application("safecracker")

    said, _ = run("grant_scope", "safecracker", "database:read", "calculator:use")

    assert said == "safecracker holds calculator:use database:read"
    assert scopes.held_by(application) == ["calculator:use", "database:read"]


def test_grant_scope_withdraws() -> None:
    make_application("safecracker")
    run("grant_scope", "safecracker", "database:read", "calculator:use")

    said, _ = run("grant_scope", "--withdraw", "safecracker", "database:read", "calculator:use")

    assert said == "safecracker holds no scope"


@pytest.mark.parametrize(
    ("name", "scope", "reason"),
    [("nobody", "database:read", "no client called nobody"), ("safecracker", "two words", "is no scope")],
)
def test_grant_scope_refuses(name: str, scope: str, reason: str) -> None:
    make_application("safecracker")

    with pytest.raises(CommandError, match=reason):
        run("grant_scope", name, scope)
