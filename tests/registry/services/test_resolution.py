"""From a reference to one registration, or to the error that says why not."""

import pytest

from registry.models import Tool, ToolRegistration
from registry.services import resolution
from registry.services.inside import inside_of
from registry.services.resolution import Asking
from tests.factories import (
    EVERYTHING,
    beat,
    cutoff,
    deregister,
    make_principal,
    make_registration,
)
from tests.toolroster.semver.cases import mode, own_cases
from toolroster import semver
from toolroster.errors import (
    NoMatchingVersion,
    RangeInvalid,
    ReferenceAmbiguous,
    ToolNotFound,
    ToolrosterError,
    ToolUnavailable,
)
from toolroster.reference import parse_reference

pytestmark = pytest.mark.django_db


def _asking(principal=EVERYTHING, *, include_prerelease: bool = False, seconds: float = 0) -> Asking:
    return Asking(principal, cutoff(seconds), 30, include_prerelease)


def _resolve(ref: str, **asking) -> str:
    return resolution.resolve(parse_reference(ref), asking=_asking(**asking)).tool_id


def _error(ref: str, **asking) -> ToolrosterError:
    with pytest.raises(ToolrosterError) as caught:
        _resolve(ref, **asking)
    return caught.value


def _publish(*versions: str, **changes) -> None:
    for version in versions:
        make_registration(version=version, **changes)


@pytest.mark.parametrize(
    ("ref", "version"),
    [
        ("send_email", "1.10.0"),
        ("send_email@latest", "1.10.0"),
        ("send_email@*", "1.10.0"),
        ("mail-team/send_email@^1.2", "1.10.0"),
        ("Mail-Team/send_email@~1.2", "1.2.4"),
        ("send_email@<1.2.4", "1.2.3"),
        ("send_email@1.2.3", "1.2.3"),
        ("send_email@=1.2.3", "1.2.3"),
        ("send_email@ = 1.2.3 ", "1.2.3"),
        ("send_email@v1.2.3", "1.2.3"),
        ("send_email@1.2.3+build", "1.2.3"),
        ("send_email@2.0.0-rc.1", "2.0.0-rc.1"),
        ("send_email@^2.0.0-rc.0", "2.0.0-rc.1"),
        ("send_email@<1.2.4 || 2.0.0-rc.1", "2.0.0-rc.1"),
    ],
)
def test_the_highest_version_in_the_range_is_meant(ref, version):
    _publish("1.2.3", "1.2.4", "1.10.0", "2.0.0-rc.1")

    assert _resolve(ref) == f"mail-team:send_email:{version}"


def test_prereleases_are_found_by_opting_in():
    _publish("1.0.0", "1.1.0-rc.1")

    assert _resolve("send_email", include_prerelease=True) == "mail-team:send_email:1.1.0-rc.1"


def test_an_unknown_name_brings_the_nearest():
    make_registration()

    error = _error("send_emial")

    assert isinstance(error, ToolNotFound)
    assert (error.code, error.status, error.nearest) == ("tool_not_found", 404, ("send_email",))


def test_nearest_names_leak_nothing_that_is_invisible():
    make_registration(name="send_email", scopes=["secret"])
    make_registration(name="send_emails", policy={"allowed_roles": ["chief"]})
    pending = make_registration(name="send_emaily", review_required=True)
    assert pending.review == "PENDING"

    for ref in ("send_email", "send_emial", "mail-team/send_email@^1"):
        error = _error(ref, principal=make_principal(scopes=["mail"], roles=["clerk"]))
        assert (error.code, error.nearest) == ("tool_not_found", ())


def test_invisible_versions_are_not_among_the_nearest():
    make_registration(version="1.0.0")
    make_registration(version="2.0.0", scopes=["secret"])

    error = _error("send_email@^2", principal=make_principal())

    assert isinstance(error, NoMatchingVersion)
    assert (error.code, error.status, error.nearest) == ("no_matching_version", 404, ("1.0.0",))


def test_an_invisible_provider_neither_makes_a_name_ambiguous_nor_is_named():
    make_registration(provider="a")
    make_registration(provider="b", scopes=["secret"])

    assert _resolve("send_email", principal=make_principal()) == "a:send_email:1.0.0"


@pytest.mark.parametrize("text", ["not a range", "^x.y.z", "1.2.3.4", "01.2.3", ">"])
def test_what_is_no_range_is_an_error_of_its_own(text):
    make_registration()

    error = _error(f"send_email@{text}")

    assert isinstance(error, RangeInvalid)
    assert (error.code, error.status) == ("range_invalid", 422)
    assert "latest" in error.nearest


def test_a_dead_version_is_never_replaced_in_silence_by_none():
    make_registration(instance="host-1")
    deregister()

    error = _error("send_email@^1")

    assert isinstance(error, ToolUnavailable)
    assert (error.code, error.status, error.retryable) == ("tool_unavailable", 503, True)
    assert error.retry_after_seconds == 30


def test_a_dead_newest_version_gives_way_to_an_older_one_in_the_range():
    _publish("1.0.0", "1.1.0", instance="host-1")
    beat("mail-team:send_email:1.0.0", seconds=60)

    assert _resolve("send_email@^1", seconds=100) == "mail-team:send_email:1.0.0"


def test_a_dead_exact_version_is_unavailable_whatever_else_lives():
    _publish("1.0.0", "1.1.0")
    deregister("mail-team:send_email:1.1.0")

    assert _error("send_email@1.1.0").code == "tool_unavailable"


@pytest.mark.parametrize(
    ("ref", "answer"),
    [
        ("send_email@2.0.0", "mail-team:send_email:2.0.0"),
        ("send_email@=2.0.0", "mail-team:send_email:2.0.0"),
        ("send_email", "mail-team:send_email:1.0.0"),
        ("send_email@>=1", "mail-team:send_email:1.0.0"),
    ],
)
def test_a_deprecated_version_is_found_by_its_exact_version_alone(ref, answer):
    _publish("1.0.0", "2.0.0")
    ToolRegistration.objects.filter(version="2.0.0").update(lifecycle="DEPRECATED")

    assert _resolve(ref) == answer


def test_a_tool_with_deprecated_versions_alone_has_none_in_any_range():
    make_registration()
    ToolRegistration.objects.update(lifecycle="DEPRECATED")

    error = _error("send_email")

    assert (error.code, error.nearest) == ("no_matching_version", ())


def test_a_retired_version_is_gone():
    _publish("1.0.0", "2.0.0")
    ToolRegistration.objects.filter(version="2.0.0").update(lifecycle="RETIRED")

    assert _error("send_email@2.0.0").code == "no_matching_version"


def test_several_providers_without_a_default_are_ambiguous():
    for provider in ("c", "a", "b"):
        make_registration(provider=provider)

    error = _error("send_email")

    assert isinstance(error, ReferenceAmbiguous)
    assert (error.code, error.status) == ("reference_ambiguous", 409)
    assert error.nearest == ("a/send_email", "b/send_email", "c/send_email")


@pytest.mark.parametrize("default", ["p0", "p9"])
def test_the_default_answers_the_bare_name_however_many_offer_it(default):
    rows = {f"p{number}": make_registration(provider=f"p{number}") for number in range(10)}
    Tool.objects.filter(pk=rows[default].of_tool_id).update(is_default_for_name=True)

    assert _resolve("send_email") == f"{default}:send_email:1.0.0"
    assert _resolve("p3/send_email") == "p3:send_email:1.0.0"


def test_a_dead_default_is_not_replaced_in_silence():
    rows = [make_registration(provider=provider) for provider in ("a", "b")]
    Tool.objects.filter(pk=rows[0].of_tool_id).update(is_default_for_name=True)
    deregister("a:send_email:1.0.0")

    assert _error("send_email").code == "tool_unavailable"


def test_ranges_in_sql_are_npms():
    cases = own_cases("oracle-satisfies")[::4]
    for version in {semver.version_key(version): version for _, version, _, _ in cases}.values():
        _store(version)

    wrong = [case for case in cases if _in_sql(case[0], case[1], **mode(case[2])) != case[3]]

    assert (len(cases) > 200, wrong) == (True, [])


def _store(version: str) -> None:
    row = ToolRegistration.objects.first() or make_registration(version=version)
    row.pk = row.pk if row.version == version else None
    row.tool_id, row.version = f"mail-team:send_email:{version}", version
    row.version_key, row.core_key = semver.version_key(version), semver.version_core_key(version)
    row.is_prerelease = bool(semver.parse_version(version).prerelease)
    row.save()


def _in_sql(text: str, version: str, *, include_prerelease: bool) -> bool:
    condition = inside_of(text, include_prerelease=include_prerelease).condition()
    found = ToolRegistration.objects.filter(condition, version_key=semver.version_key(version))
    return found.exists()


@pytest.mark.parametrize("tool_id", ["mail-team:send_email:1.0.0", "Mail-Team:send_email:1.0.0"])
def test_a_registration_is_got_by_its_id_alive_or_not(tool_id):
    make_registration()
    deregister()

    assert resolution.get(tool_id, principal=EVERYTHING).tool_id == "mail-team:send_email:1.0.0"


@pytest.mark.parametrize(
    "tool_id", ["mail-team:send_emial:1.0.0", "send_emial", "mail-team:send_email:9.0.0"]
)
def test_an_unknown_id_brings_the_nearest_names(tool_id):
    make_registration()

    with pytest.raises(ToolNotFound) as caught:
        resolution.get(tool_id, principal=EVERYTHING)

    assert caught.value.nearest == ("send_email",)


def test_versions_are_listed_highest_first_alive_or_not():
    _publish("1.2.0", "1.10.0", "1.10.0-rc.1")
    deregister("mail-team:send_email:1.10.0")

    rows = resolution.versions("Mail-Team", "send_email", principal=EVERYTHING)

    assert [row.version for row in rows] == ["1.10.0", "1.10.0-rc.1", "1.2.0"]


def test_versions_that_are_invisible_are_not_found():
    make_registration(scopes=["secret"])

    with pytest.raises(ToolNotFound) as caught:
        resolution.versions("mail-team", "send_email", principal=make_principal())

    assert caught.value.nearest == ()


def test_resolving_costs_two_queries_for_any_number_of_versions(django_assert_num_queries):
    _publish(*[f"1.{minor}.0" for minor in range(20)])

    # The tools of the name, and the highest live version in the range.
    with django_assert_num_queries(2):
        assert _resolve("send_email@^1") == "mail-team:send_email:1.19.0"
