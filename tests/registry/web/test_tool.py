"""The page of a tool, and what is said where there is none."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from registry.models import ToolRegistration
from registry.services import leases, lifecycle
from tests.factories import NOW, at, make_registration
from tests.registry.web.browsing import browse, text_of

pytestmark = pytest.mark.django_db

TOOL = "/catalogue/mail-team:send_email:1.0.0"


def test_page_tells_what_the_tool_is() -> None:
    make_registration(
        display_name="Send mail",
        parameters=[
            {"name": "to", "type": "string", "description": "The recipient.", "required": True},
            {"name": "format", "type": "string", "enum": ["text", "html"], "default": "text"},
            {"name": "letter", "type": "object", "properties": {"subject": {"type": "string"}}},
        ],
        returns="A receipt.",
        examples=["write to Anna"],
        scopes=["mail:send"],
        endpoint={"url": "http://mail.example:8002/send"},
        capabilities={"categories": ["mail"], "tags": ["smtp"]},
    )

    page = text_of(browse(TOOL))

    for part in (
        "Send mail",
        "to required string The recipient.",
        'one of "text", "html" default "text"',
        "letter.subject string",
        "A receipt.",
        "write to Anna",
        "mail:send",
        "POST http://mail.example:8002/send",
        "Categories mail",
        "Tags smtp",
        "curl 'http://testserver/api/tools/resolve?ref=mail-team/send_email@1.0.0'",
    ):
        assert part in page


def test_page_lists_the_versions_the_highest_first() -> None:
    for version in ("1.0.0", "1.10.0", "1.9.0"):
        make_registration(version=version)

    page = text_of(browse(TOOL))

    assert "Versions 1.10.0 Unmonitored 1.9.0 Unmonitored 1.0.0 Unmonitored" in page


def test_deprecated_version_says_why_and_what_to_use() -> None:
    row = make_registration()
    lifecycle.deprecate(row.pk, now=NOW, reason="Too slow.", replaced_by="send_mail@^2", sunset_at=at(60))

    page = text_of(browse(TOOL))

    assert "This version is deprecated. Too slow. Use send_mail@^2 instead." in page
    assert "It will be retired at 2030-01-01T12:01:00Z." in page


def test_tool_that_missed_its_beats_is_unavailable() -> None:
    make_registration(instance="host-1", seconds=-200_000_000)

    assert "Unavailable" in text_of(browse(TOOL))


@pytest.mark.parametrize(("field", "value"), [("review", "PENDING"), ("lifecycle", "RETIRED")])
def test_hidden_tool_is_not_there(field: str, value: str) -> None:
    make_registration()
    ToolRegistration.objects.update(**{field: value})

    page = browse(TOOL)

    assert page.status_code == 404
    assert page["Content-Type"] == "text/html; charset=utf-8"


def test_missing_tool_leads_to_similar_names() -> None:
    make_registration()

    page = browse("/catalogue/mail-team:send_mail:1.0.0")

    assert page.status_code == 404
    assert "Perhaps you mean send_email" in text_of(page)


@pytest.mark.parametrize("path", ["/catalogue/a/b", "/catalogue/x", "/catalogue/a:b:c/d"])
def test_unknown_addresses_are_told_in_a_page(path: str) -> None:
    page = browse(path)

    assert page.status_code == 404
    assert "To the catalogue" in text_of(page)


def test_address_that_the_database_cannot_take_is_refused() -> None:
    assert browse("/catalogue/a%00b").status_code == 400


@pytest.mark.parametrize("path", ["/catalogue", "/catalogue/"])
def test_catalogue_is_on_the_front_page(path: str) -> None:
    assert Client().get(path)["Location"] == "/#catalogue"


def test_markup_of_providers_is_shown_not_run() -> None:
    hostile = "<script>alert(1)</script>"
    make_registration(
        description=hostile,
        display_name=hostile,
        examples=[hostile],
        returns=hostile,
        parameters=[{"name": hostile, "description": hostile, "default": hostile}],
        capabilities={"categories": [hostile], "tags": [hostile]},
    )

    page = browse(TOOL).content.decode()

    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 8


def test_page_needs_as_many_queries_for_many_versions(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        make_registration(version=f"1.{number}.0", instance="host-1")
    leases.recent.forget()

    # lease watch, silent leases; the registration; its versions
    with django_assert_num_queries(4):
        browse("/catalogue/mail-team:send_email:1.1.0")
