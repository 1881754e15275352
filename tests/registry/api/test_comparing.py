"""Compare over HTTP, and what providers see of verdicts."""

import pytest

from registry.models import ToolEvent
from tests.registry.api.client import (
    beat,
    document,
    is_problem,
    make_token,
    pointers,
    post_json,
    register,
)

pytestmark = pytest.mark.django_db

TO = {"name": "to", "type": "string", "required": True}
CC = {"name": "cc", "type": "string"}


def compare(**body):
    return post_json("/api/tools/compatibility", body)


def _version(version, *parameters, **fields):
    return document(version=version, parameters=list(parameters), **fields)


def test_two_documents_are_compared():
    answer = compare(old=_version("1.0.0", TO, CC), new=_version("1.1.0", TO)).json()

    assert (answer["is_compatible"], answer["classification"], answer["suggested_version"]) == (
        False,
        "breaking",
        "2.0.0",
    )
    assert (answer["compared_with"], answer["version_is_sufficient"]) == ("1.0.0", False)
    assert [change["kind"] for change in answer["breaking_changes"]] == ["param_removed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mail-team:send_email:1.0.0", "mail-team:send_email:2.0.0"),
        ("send_email@^1", "mail-team/send_email@latest"),
        ("Mail-Team:send_email:1.0.0", "send_email"),
    ],
)
def test_two_published_versions_are_compared(old, new):
    register(parameters=[TO, CC])
    register(parameters=[TO], version="2.0.0")

    answer = compare(old=old, new=new).json()

    assert (answer["classification"], answer["version_is_sufficient"]) == ("breaking", True)
    assert answer["suggested_version"] == "2.0.0"


def test_a_document_is_compared_with_the_release_before_it():
    register(parameters=[TO])
    register(parameters=[TO, CC], version="1.1.0")
    register(version="2.0.0")

    answer = compare(new=_version("1.1.1", TO)).json()

    assert (answer["compared_with"], answer["suggested_version"]) == ("1.1.0", "3.0.0")


def test_a_version_that_nothing_precedes_is_told():
    register(version="2.0.0")

    problem = is_problem(compare(new=_version("1.0.0")), 404, "no_matching_version")

    assert (pointers(problem), problem["nearest"]) == (["/new/version"], ["2.0.0"])


def test_a_tool_that_does_not_exist_is_told():
    is_problem(compare(new=_version("1.0.0")), 404, "tool_not_found")


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        ({}, 422, "/new"),
        ({"new": 3}, 422, "/new"),
        ({"new": None}, 422, "/new"),
        ({"new": {"name": "x"}, "old": []}, 422, "/old"),
        ({"new": {"name": "!"}}, 422, "/new/name"),
        ({"new": {"name": "x"}, "old": {"name": "x", "version": "one"}}, 422, "/old/version"),
        ({"new": "no such tool"}, 422, "/new"),
        ({"new": "nothing"}, 404, "/new"),
        ({"new": "nothing:at:all"}, 404, "/new"),
        ({"new": "send_email@^7"}, 404, "/new"),
        ({"new": {"name": "x"}, "policy": {"strict": True}}, 422, "/policy/strict"),
        ({"new": {"name": "x"}, "policy": {"strict_policy": "yes"}}, 422, "/policy/strict_policy"),
        ({"new": {"name": "x"}, "policy": []}, 422, "/policy"),
    ],
)
def test_bad_questions_are_told_where(body, status, where):
    register()

    assert where in pointers(is_problem(compare(**body), status))


def test_switches_decide(settings):
    subject = {"name": "subject", "type": "string", "required": True, "default": "None"}
    question = {"old": _version("1.0.0", TO), "new": _version("1.1.0", TO, subject)}

    assert compare(**question).json()["classification"] == "breaking"
    assert compare(**question, policy={"inject_defaults": True}).json()["classification"] == "warning"
    settings.COMPATIBILITY_SWITCHES = {"inject_defaults": True}
    answer = compare(**question).json()
    assert (answer["classification"], answer["policy"]["inject_defaults"]) == ("warning", True)
    assert compare(**question, policy={"inject_defaults": False}).json()["classification"] == "breaking"


@pytest.mark.parametrize("pattern", ["^[\\ud800-\\udfff]$", "^\\x00$"])
def test_a_break_that_cannot_be_shown_is_refused_like_any_other(pattern):
    """The batch is stored although the value that breaks could not be."""
    odd = {"name": "to", "type": "string", "pattern": pattern}
    register(parameters=[odd])
    documents = [_version("1.0.1", {**odd, "pattern": "^a$"}), document("send_sms")]

    answer = post_json("/api/tools/register", {"provider_instance": "mail-1", "tools": documents})

    assert [one["outcome"] for one in answer.json()["results"]] == ["refused", "created"]
    assert compare(old=_version("1.0.0", odd), new=documents[0]).json()["is_compatible"] is False


def test_the_answer_to_a_registration_holds_the_verdict():
    register(parameters=[TO])

    result = register(parameters=[TO, CC], version="1.1.0")

    assert result["compatibility"]["warnings"][0]["kind"] == "param_added_optional"


@pytest.mark.parametrize("enforcement", ["enforce", "warn"])
def test_the_policy_of_the_platform_decides_what_a_low_version_means(settings, enforcement):
    settings.COMPATIBILITY_POLICY = enforcement
    register(parameters=[TO])

    answer = post_json("/api/tools/register", _version("1.0.1", CC))

    if enforcement == "warn":
        assert answer.json()["results"][0]["compatibility"]["version_is_sufficient"] is False
        return
    problem = is_problem(answer, 409, "version_too_low")
    assert problem["use_version"] == "2.0.0"
    assert problem["compatibility"]["breaking_changes"]


def _override(scopes):
    _, token = make_token(scopes=scopes)
    body = {"tools": [_version("1.0.1", CC)], "compatibility_override": "Nobody uses it."}
    return post_json("/api/tools/register", body, headers={"authorization": f"Bearer {token}"})


def test_an_operator_overrides_a_verdict_with_a_reason():
    register(parameters=[TO])

    answer = _override("tools:register tools:admin")

    assert answer.json()["results"][0]["outcome"] == "created"
    event = ToolEvent.objects.latest("pk")
    assert event.data["compatibility_override"]["reason"] == "Nobody uses it."
    assert event.actor.startswith("client:")


def test_nobody_else_overrides_a_verdict():
    register(parameters=[TO])

    is_problem(_override("tools:register"), 403, "insufficient_scope")


def test_a_provider_that_was_refused_a_version_sees_it_on_its_beats():
    register(parameters=[TO])
    post_json("/api/tools/register", {"provider_instance": "mail-1", "tools": [_version("1.0.1", CC)]})

    answer = beat("mail-team:send_email:1.0.1")

    assert (answer.status_code, answer.json()["results"][0]["outcome"]) == (200, "conflict")
