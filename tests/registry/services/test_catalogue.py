"""The list: filters, pages by keyset, and the newest version of each tool."""

import base64

import pytest

from registry.models import Tool, ToolRegistration
from registry.search.shown import Shown
from registry.services import catalogue, rendering
from registry.services.catalogue import Filters, Page
from tests.factories import EVERYTHING, NOBODY, beat, cutoff, make_principal, make_registration, seen
from toolroster.errors import DocumentInvalid

pytestmark = pytest.mark.django_db


def _names(principal=EVERYTHING, seconds: float = 0, **filters) -> list[str]:
    found = catalogue.available(Filters(**filters), principal=principal, cutoff=cutoff(seconds))
    return [row.of_tool.name for row in found.select_related("of_tool").order_by("tool_id")]


def _page(limit: int, cursor: str | None = None) -> Page:
    found = catalogue.available(Filters(), principal=EVERYTHING, cutoff=cutoff())
    return catalogue.page(found, limit=limit, cursor=cursor)


def _ids(page: Page) -> list[str]:
    return [row.tool_id.split(":")[1] for row in page.registrations]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["mail", "sms"]),
        ({"categories": ["post"]}, ["mail"]),
        ({"categories": ["post", "phone"]}, ["mail", "sms"]),
        ({"categories": ["Post"]}, []),
        ({"tags": ["x"]}, ["mail"]),
        ({"provider": "A-Team"}, ["mail"]),
        ({"provider": ""}, []),
        ({"cost_level": "HIGH"}, ["sms"]),
        ({"read_only": True}, ["mail"]),
        ({"read_only": False}, ["sms"]),
        ({"idempotent": True}, ["sms"]),
        ({"read_only": True, "idempotent": True}, []),
    ],
)
def test_filters_narrow_the_list(filters, expected):
    mail = {"categories": ["post"], "tags": ["x", "y"], "read_only": True}
    make_registration(provider="a-team", name="mail", capabilities=mail)
    sms = {"categories": ["phone"], "cost_level": "HIGH", "idempotent": True}
    make_registration(provider="b-team", name="sms", capabilities=sms)

    assert _names(**filters) == expected


@pytest.mark.parametrize(("include_deprecated", "expected"), [(False, []), (True, ["send_email"])])
def test_deprecated_versions_are_listed_on_request(include_deprecated, expected):
    make_registration()
    ToolRegistration.objects.update(lifecycle="DEPRECATED")

    assert _names(include_deprecated=include_deprecated) == expected


def test_what_is_not_alive_is_not_listed():
    make_registration(name="silent", instance="host-1")
    make_registration(name="suspect", instance="host-1", seconds=40)
    make_registration(name="unmonitored")

    assert _names(seconds=100) == ["suspect", "unmonitored"]


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        (EVERYTHING, ["closed", "open"]),
        (make_principal(), ["open"]),
        (make_principal(scopes=["mail"]), ["closed", "open"]),
        (NOBODY, []),
    ],
)
def test_the_list_shows_what_the_principal_sees(principal, expected):
    make_registration(name="closed", scopes=["mail"])
    make_registration(name="open")

    assert _names(principal) == expected


def test_pages_join_without_gap_or_repetition():
    for name in ("d", "b", "a", "e", "c"):
        make_registration(name=name)

    first = _page(2)
    second = _page(2, first.next)
    third = _page(2, second.next)

    assert (_ids(first), _ids(second), _ids(third)) == (["a", "b"], ["c", "d"], ["e"])
    assert third.next is None


def test_a_full_last_page_has_no_next():
    make_registration(name="a")
    make_registration(name="b")

    assert _page(2).next is None


def test_registrations_between_pages_move_nothing():
    for name in ("b", "d", "f"):
        make_registration(name=name)
    first = _page(2)

    for name in ("a", "c", "e"):
        make_registration(name=name)

    assert _ids(_page(9, first.next)) == ["e", "f"]


def test_a_cursor_outlives_the_row_it_names():
    rows = [make_registration(name=name) for name in ("a", "b", "c")]
    first = _page(2)

    rows[1].delete()

    assert _ids(_page(2, first.next)) == ["c"]


@pytest.mark.parametrize(
    "cursor",
    ["%%%", "a", "ü", "_w==", base64.urlsafe_b64encode(b"\0").decode(), "abc\n", "AAAA", "a" * 4_001],
)
def test_a_cursor_that_was_not_handed_out_is_an_error(cursor):
    with pytest.raises(DocumentInvalid) as caught:
        _page(2, cursor)

    assert [(fault.pointer, fault.code) for fault in caught.value.errors] == [("/cursor", "cursor_invalid")]


def _newest(seconds: float = 0) -> list[str]:
    rows = catalogue.newest_per_tool(principal=EVERYTHING, cutoff=cutoff(seconds))
    return [f"{name}@{row.version}" for name, row in rows.items()]


def test_each_tool_shows_its_newest_stable_version():
    for version in ("1.9.0", "1.10.0", "2.0.0-rc.1"):
        make_registration(version=version)
    make_registration(name="only_prerelease", version="1.0.0-rc.1")

    assert _newest() == ["send_email@1.10.0"]


@pytest.mark.parametrize(
    "column", [{"lifecycle": "DEPRECATED"}, {"lifecycle": "RETIRED"}, {"review": "PENDING"}]
)
def test_a_newest_version_that_is_not_offered_leaves_the_place_to_the_one_before(column):
    make_registration()
    newest = make_registration(version="2.0.0")
    ToolRegistration.objects.filter(pk=newest.pk).update(**column)

    assert _newest() == ["send_email@1.0.0"]


def test_a_newest_version_that_is_dead_leaves_the_place_to_an_older_live_one():
    make_registration(instance="host-1")
    make_registration(version="2.0.0", instance="host-1")
    beat("mail-team:send_email:1.0.0", seconds=60)

    assert (_newest(60), _newest(100)) == (["send_email@2.0.0"], ["send_email@1.0.0"])


def test_the_default_alone_bears_a_name_that_several_offer():
    rows = {provider: make_registration(provider=provider) for provider in ("a", "b", "c")}
    Tool.objects.filter(pk=rows["b"].of_tool_id).update(is_default_for_name=True)

    assert _newest() == ["a__send_email@1.0.0", "c__send_email@1.0.0", "send_email@1.0.0"]


def test_a_strangers_name_hides_no_tool_of_the_flat_list():
    for provider in ("a", "b"):
        make_registration(provider=provider, name="send")
    make_registration(provider="stranger", name="a__send")
    for provider in ("x__y", "c"):
        make_registration(provider=provider, name="z")
    for provider in ("x", "c"):
        make_registration(provider=provider, name="y__z")

    names = [name.partition("@")[0] for name in _newest()]

    assert names == ["a:send", "a__send", "b__send", "c__y__z", "c__z", "x:y__z", "x__y:z"]


def test_a_page_of_fifty_and_its_rendering_cost_one_query(django_assert_num_queries):
    for number in range(50):
        make_registration(name=f"tool_{number}", instance="host-1")
    view = seen()

    # The rows with their last beat; rendering asks nothing.
    with django_assert_num_queries(1):
        rendered = [rendering.registration(row, seen=view) for row in _page(50).registrations]

    assert {one["health"] for one in rendered} == {"HEALTHY"}


def test_the_flat_list_costs_three_queries(django_assert_num_queries):
    for number in range(5):
        make_registration(name=f"tool_{number}")

    # The newest of each tool, their rows with tool and provider, how many providers offer each name.
    with django_assert_num_queries(3):
        assert len(_newest()) == 5


def test_a_name_keeps_its_owner_when_another_provider_falls_silent():
    make_registration(name="ship", provider="alpha", instance="host-1")
    make_registration(name="ship", provider="beta", instance="host-2")
    ToolRegistration.objects.filter(tool_id__startswith="beta:").update(health="UNAVAILABLE")

    assert list(_newest()) == ["alpha__ship@1.0.0"]


def test_prereleases_are_listed_only_when_asked_for():
    make_registration(name="send_email", version="2.0.0-rc.1")

    assert _names() == []
    assert _names(include_prerelease=True) == ["send_email"]


@pytest.mark.parametrize("include_prerelease", [False, True])
@pytest.mark.parametrize("scopes", [[], ["vault:use"]])
def test_one_version_a_tool_is_the_same_sorted_and_looked_up(scopes, include_prerelease):
    for name, version, needs in [
        ("mail", "9.0.0", []),
        ("mail", "10.0.0", ["vault:use"]),
        ("mail", "11.0.0-rc.1", []),
        ("sms", "1.0.0-rc.1", []),
        ("sms", "1.0.0-rc.2", ["vault:use"]),
        ("fax", "1.0.0", ["vault:use"]),
        ("gone", "1.0.0", []),
        ("gone", "0.9.0", []),
    ]:
        make_registration(name=name, version=version, scopes=needs)
    ToolRegistration.objects.filter(of_tool__name="gone", version="1.0.0").update(lifecycle="RETIRED")
    filters = Filters(include_prerelease=include_prerelease)
    found = catalogue.available(filters, principal=make_principal(scopes=scopes), cutoff=cutoff())

    looked_up = found.ids_of_one_per_tool()

    assert looked_up == list(found.one_per_tool().values_list("pk", "search_text"))
    kept = [Shown.of_tools(found, holds_most=is_large).to_bytes() for is_large in (True, False)]
    assert kept == [Shown.of(looked_up).to_bytes()] * 2
    shown = found.filter(pk__in=[pk for pk, _ in looked_up])
    versions = dict(shown.values_list("of_tool__name", "version"))
    assert versions["mail"] == ("10.0.0" if scopes else "9.0.0")
    assert versions["gone"] == "0.9.0"
    assert versions.get("sms") == (("1.0.0-rc.2" if scopes else "1.0.0-rc.1") if include_prerelease else None)
