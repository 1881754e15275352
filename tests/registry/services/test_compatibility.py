"""Publishing: a version number carries what the version changes, or it is not published."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import RefusedPublication, ToolEvent, ToolRegistration
from registry.services.compatibility import Rules
from tests.factories import at, beat, make_document, make_owner, make_registration, outcomes, register
from toolroster.compat import CompatPolicy
from toolroster.errors import VersionTooLow

pytestmark = pytest.mark.django_db

TO = {"name": "to", "type": "string", "required": True}
CC = {"name": "cc", "type": "string"}


def _document(version, *parameters, **changes):
    return make_document(version=version, parameters=list(parameters), **changes)


def _publish(version, *parameters, rules=Rules(), **changes):  # noqa: B008 - frozen
    [outcome] = register(_document(version, *parameters, **changes), compatibility=rules)
    return outcome


@pytest.fixture(autouse=True)
def _first():
    make_registration(parameters=[TO, CC])


@pytest.mark.parametrize("version", ["1.0.1", "1.1.0", "1.9.9", "1.1.0-rc.1"])
def test_a_break_is_refused_below_a_major_version(version):
    outcome = _publish(version, TO)

    assert isinstance(outcome.problem, VersionTooLow)
    problem = outcome.problem.problem()
    assert (problem["status"], problem["code"], problem["use_version"]) == (409, "version_too_low", "2.0.0")
    assert [(fault["pointer"], fault["code"]) for fault in problem["errors"]] == [
        ("/version", "too_low"),
        ("/parameters", "param_removed"),
    ]
    assert problem["compatibility"]["breaking_changes"][0]["witness"]
    assert ToolRegistration.objects.count() == 1


@pytest.mark.parametrize("version", ["2.0.0", "2.0.0-rc.1", "3.1.4"])
def test_a_break_is_published_under_a_major_version(version):
    outcome = _publish(version, TO)

    assert (outcome.outcome, outcome.compatibility.as_json()["classification"]) == ("created", "breaking")
    assert outcome.compatibility.compared_with == "1.0.0"


def test_what_is_new_to_callers_needs_a_minor_version():
    bcc = {"name": "bcc", "type": "string"}

    refused, published = _publish("1.0.1", TO, CC, bcc), _publish("1.1.0", TO, CC, bcc)

    assert refused.problem.problem()["use_version"] == "1.1.0"
    assert (published.outcome, published.compatibility.is_sufficient) == ("created", True)


def test_a_warning_is_published_and_reported():
    outcome = _publish("1.0.1", TO, rules=Rules("warn"))

    said = outcome.compatibility.as_json()
    assert (outcome.outcome, said["version_is_sufficient"], said["suggested_version"]) == (
        "created",
        False,
        "2.0.0",
    )


def test_nothing_is_compared_where_the_rules_are_off():
    outcome = _publish("1.0.1", TO, rules=Rules("off"))

    assert (outcome.outcome, outcome.compatibility) == ("created", None)


def test_the_switches_are_those_of_the_rules():
    subject = {"name": "subject", "type": "string", "required": True, "default": "None"}
    switched = Rules(switches=CompatPolicy(inject_defaults=True))

    assert _publish("1.1.0", TO, CC, subject).outcome == "refused"
    assert _publish("1.1.0", TO, CC, subject, rules=switched).outcome == "created"


def test_an_override_is_published_and_its_reason_kept():
    _publish("1.0.1", TO, rules=Rules(override="The parameter never worked."))

    event = ToolEvent.objects.latest("pk")
    assert event.data == {
        "compatibility_override": {"reason": "The parameter never worked.", "needed_version": "2.0.0"}
    }


def test_an_override_that_nothing_needs_is_not_told():
    _publish("2.0.0", TO, rules=Rules(override="To be sure."))

    assert ToolEvent.objects.latest("pk").data == {}


def test_a_fix_of_an_older_line_is_held_against_that_line():
    _publish("2.0.0", TO)

    assert _publish("1.0.1", TO, CC).compatibility.compared_with == "1.0.0"
    assert _publish("1.0.2", TO).problem.problem()["use_version"] == "3.0.0"


@pytest.mark.parametrize("state", [{"lifecycle": "RETIRED"}, {"review": "REJECTED"}])
def test_what_was_never_promised_or_is_gone_binds_nobody(state):
    ToolRegistration.objects.update(**state)

    assert _publish("1.0.1", TO).compatibility is None


@pytest.mark.parametrize("state", [{"lifecycle": "RETIRED"}, {"review": "REJECTED"}])
def test_the_version_to_use_is_free(state):
    _publish("2.0.0", TO)
    ToolRegistration.objects.filter(version="2.0.0").update(**state)

    problem = _publish("1.0.1", TO).problem.problem()

    assert problem["use_version"] == "3.0.0"
    assert _publish(problem["use_version"], TO).outcome == "created"


def test_prereleases_promise_nothing():
    _publish("2.0.0-rc.1", TO)

    assert _publish("2.0.0-rc.2").compatibility.compared_with == "1.0.0"


def test_versions_of_one_batch_are_held_against_each_other_from_the_lowest():
    found = register(_document("2.1.0", TO), _document("1.1.0", TO, CC), _document("2.0.0"))

    assert outcomes(found) == ["refused", "created", "created"]
    assert found[0].problem.problem()["compatibility"]["compared_with"] == "2.0.0"
    assert found[2].compatibility.compared_with == "1.1.0"


def test_a_refused_version_of_a_batch_binds_nobody():
    found = register(_document("1.1.0", TO), _document("1.1.1", TO, CC))

    assert [outcome.compatibility and outcome.compatibility.compared_with for outcome in found] == [
        None,
        "1.0.0",
    ]


def test_a_batch_reads_what_it_is_held_against_at_once():
    names = [f"tool_{number}" for number in range(40)]
    register(*(make_document(name=name) for name in names))

    with CaptureQueriesContext(connection) as few:
        register(*(make_document(name=name, version="1.0.1") for name in names[:2]))
    with CaptureQueriesContext(connection) as many:
        register(*(make_document(name=name, version="1.0.1") for name in names[2:]))

    assert len(many) == len(few)


def test_the_beats_of_who_was_refused_a_new_version_are_in_conflict():
    register(_document("1.0.1", TO), provider_instance="host-1")

    of_the_refused = beat("mail-team:send_email:1.0.1", instance="host-1")
    of_another = beat("mail-team:send_email:1.0.1", instance="host-2")

    assert (outcomes(of_the_refused), outcomes(of_another)) == (["conflict"], ["unknown"])
    assert RefusedPublication.objects.get().problem["code"] == "version_too_low"


def test_a_refusal_is_forgotten_when_the_version_is_published():
    register(_document("1.0.1", TO), provider_instance="host-1")
    register(_document("1.0.1", TO, CC), provider_instance="host-1")

    assert outcomes(beat("mail-team:send_email:1.0.1", instance="host-1")) == ["renewed"]
    assert not RefusedPublication.objects.exists()


def test_refusals_of_a_batch_are_kept_at_once():
    names = [f"tool_{number}" for number in range(40)]
    register(*(make_document(name=name, parameters=[TO, CC]) for name in names))
    low = [make_document(name=name, version="1.0.1", parameters=[TO]) for name in names]

    with CaptureQueriesContext(connection) as few:
        register(*low[:2], provider_instance="host-1")
    with CaptureQueriesContext(connection) as many:
        register(*low[2:], provider_instance="host-1")

    assert len(many) == len(few)
    assert RefusedPublication.objects.count() == 40


def test_refusals_are_not_kept_for_ever():
    register(_document("1.0.1", TO), provider_instance="host-1")
    register(_document("1.0.2", TO), provider_instance="host-1", seconds=8 * 86_400)

    assert [row.tool_id for row in RefusedPublication.objects.all()] == ["mail-team:send_email:1.0.2"]
    assert RefusedPublication.objects.get().refused_at == at(8 * 86_400)


def test_nothing_is_kept_of_who_may_not_write_in_a_namespace():
    make_owner("mail-team", "owner")
    stranger = make_owner("other-team", "stranger")

    register(_document("1.0.1", TO), provider_instance="host-1", principal=stranger)

    assert not RefusedPublication.objects.exists()
