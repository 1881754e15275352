"""`manage.py check_compatibility`: what went through, and what changed between two versions."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from registry.models import ToolRegistration
from registry.services.compatibility import Rules
from tests.factories import make_document, register

pytestmark = pytest.mark.django_db

TO = {"name": "to", "type": "string", "required": True}
CC = {"name": "cc", "type": "string"}


def run(*arguments: str) -> tuple[str, str]:
    """Return what was printed, and the error that ended it."""
    out, failure = StringIO(), ""
    try:
        call_command("check_compatibility", *arguments, stdout=out)
    except CommandError as error:
        failure = str(error)
    return out.getvalue(), failure


def _publish(version: str, *parameters: dict, **changes: str) -> None:
    document = make_document(version=version, parameters=list(parameters), **changes)
    [outcome] = register(document, compatibility=Rules("off"))
    assert outcome.outcome == "created"


def test_versions_that_carry_their_changes_are_fine() -> None:
    _publish("1.0.0", TO)
    _publish("1.1.0", TO, CC)
    _publish("2.0.0", CC)
    _publish("1.0.0", TO, name="send_sms")

    assert run() == ("2 comparisons: every version carries its changes.\n", "")


def test_a_version_that_is_too_low_is_told() -> None:
    _publish("1.0.0", TO, CC)
    _publish("1.0.1", TO)
    _publish("1.0.0", TO, name="send_sms")
    _publish("1.0.1", name="send_sms")

    out, failure = run()
    of_one, _ = run("--name", "send_sms")

    assert "mail-team:send_email:1.0.1: breaking since 1.0.0, needs 2.0.0" in out
    assert "  breaking: cc: It is gone." in out
    assert failure == "2 of 2 comparisons need a higher version."
    assert "send_email" not in of_one


def test_what_is_retired_binds_nobody() -> None:
    _publish("1.0.0", TO, CC)
    _publish("1.0.1", TO)
    ToolRegistration.objects.filter(version="1.0.0").update(lifecycle="RETIRED")

    assert run()[0].startswith("0 comparisons")


def test_two_versions_are_compared() -> None:
    _publish("1.0.0", TO, CC)
    _publish("2.0.0", TO)

    out, failure = run("send_email@^1", "send_email")
    as_json, _ = run("--json", "send_email@^1", "send_email")

    assert (failure, "send_email: breaking since 1.0.0, needs 2.0.0" in out) == ("", True)
    assert json.loads(as_json)["breaking_changes"][0]["path"] == "cc"


@pytest.mark.parametrize(
    ("words", "said"), [(["send_email"], "Name two versions"), (["send_email", "nothing"], "no tool")]
)
def test_wrong_versions_are_told(words: list[str], said: str) -> None:
    _publish("1.0.0")

    assert said in run(*words)[1]
