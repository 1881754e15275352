"""The front page: for people, the catalogue by name or by what is asked; for agents, seeds/000."""

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from registry.models import ToolRegistration
from registry.services import leases
from registry.web import listing, numbers
from tests.factories import make_registration
from tests.registry.web.browsing import browse, text_of, tools_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "application/json, text/html;q=0.9"])
def test_agents_get_the_discovery_of_the_seed(accept: str) -> None:
    answer = Client().get("/", headers={"accept": accept} if accept else {})

    assert answer.json()["protocol"] == "MCP"
    assert "Accept" in answer["Vary"]


def test_browsers_get_a_page() -> None:
    answer = browse("/")

    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert "Accept" in answer["Vary"]
    assert "a registry for the tools of LLM agents" in text_of(answer)


def test_page_needs_no_script_and_nothing_from_elsewhere() -> None:
    make_registration()

    page = browse("/").content.decode()

    assert "<script" not in page
    assert "style=" not in page
    assert "//" not in page.replace("http://testserver/", "").replace("<!DOCTYPE html>", "")


def test_page_says_what_runs_and_how_much_there_is() -> None:
    make_registration()
    cache.clear()  # no pulse of another test

    page = text_of(browse("/"))

    assert "Database Up Cache Up Worker Down Beat Down Embedder Off" in page
    assert "Tools 1 Registrations 1 Providers 1" in page


def test_empty_registry_says_how_to_begin() -> None:
    assert "No tools yet." in text_of(browse("/"))


def test_catalogue_lists_the_newest_release_of_each_tool_by_name() -> None:
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-beta.1"):
        make_registration(name="send_email", version=version)
    make_registration(name="archive")
    make_registration(name="archive", provider="files-team")
    make_registration(name="preview", version="0.1.0-alpha")

    assert tools_in(browse("/")) == [
        "files-team:archive:1.0.0",
        "mail-team:archive:1.0.0",
        "mail-team:send_email:1.10.0",
    ]


def test_catalogue_continues_where_the_page_before_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 2)
    for name, provider in (("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x")):
        make_registration(name=name, provider=provider)

    first = browse("/")
    second = browse("/", {"after": first.context["found"].after})
    third = browse("/", {"after": second.context["found"].after})

    seen = [tools_in(page) for page in (first, second, third)]
    assert seen == [["x:a:1.0.0", "y:a:1.0.0"], ["x:b:1.0.0", "y:b:1.0.0"], ["x:c:1.0.0"]]
    assert "?after=a%3Ay#catalogue" in first.content.decode()
    assert "Next page" not in text_of(third)


def test_filters_narrow_the_catalogue() -> None:
    make_registration(name="a", capabilities={"categories": ["mail"]})
    make_registration(name="b", provider="other", capabilities={"categories": ["mail"]})
    make_registration(name="c", capabilities={"categories": ["files"]})

    assert tools_in(browse("/", {"category": "mail", "provider": "Mail-Team"})) == ["mail-team:a:1.0.0"]


def test_categories_lead_to_their_tools() -> None:
    make_registration(name="a", capabilities={"categories": ["R&D ?"]})
    make_registration(name="b", capabilities={"categories": ["R"]})

    link = re.search(r'href="(/\?category=[^"#]+)#catalogue"', browse("/").content.decode())

    assert link is not None
    assert tools_in(browse(link[1])) == ["mail-team:a:1.0.0"]


def test_deprecated_tools_are_listed_on_request() -> None:
    make_registration()
    ToolRegistration.objects.update(lifecycle="DEPRECATED")

    assert tools_in(browse("/")) == []
    shown = browse("/", {"include_deprecated": "true"})
    assert tools_in(shown) == ["mail-team:send_email:1.0.0"]
    assert "Deprecated" in text_of(shown)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Rechnung schreiben", "mail-team:create_invoice:1.0.0"),
        ("天气预报", "mail-team:weather:1.0.0"),
        ("send a mail", "mail-team:send_email:1.0.0"),
    ],
)
def test_search_finds_by_words_of_any_language(query: str, found: str) -> None:
    make_registration(name="create_invoice", description="Erstellt eine Rechnung für den Kunden.")
    make_registration(name="weather", description="查询城市的天气预报")
    make_registration(name="send_email", description="Send a mail to somebody.")

    page = browse("/", {"q": query})

    assert tools_in(page)[0] == found
    assert f"“{query}”" in text_of(page)


def test_search_without_a_match_says_so() -> None:
    make_registration()

    assert "Nothing was found for “zzzz”" in text_of(browse("/", {"q": "zzzz"}))


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"q": "x" * 2001}, 422),
        ({"category": "x" * 101}, 422),
        ({"include_deprecated": "perhaps"}, 422),
        ({"q": "a\0b"}, 400),
    ],
)
def test_wrong_queries_are_told_on_the_page(query: dict[str, str], status: int) -> None:
    make_registration()

    page = browse("/", query)

    assert page.status_code == status
    assert 'role="alert"' in page.content.decode()
    assert "What should the tool do?" in text_of(page)


def test_fields_of_others_are_ignored() -> None:
    make_registration()

    assert tools_in(browse("/", {"utm_source": "mail", "q": " "})) == ["mail-team:send_email:1.0.0"]


@pytest.mark.parametrize("query", [None, {"q": "send email secret"}])
def test_hidden_tools_are_nowhere(query: dict[str, str] | None) -> None:
    make_registration(name="waiting", description="secret", review_required=True)
    retired = make_registration(name="retired", description="secret")
    ToolRegistration.objects.filter(pk=retired.pk).update(lifecycle="RETIRED")

    page = browse("/", query)

    assert tools_in(page) == []
    assert "Tools 0 Registrations 0" in text_of(page)


def test_registry_that_hides_from_strangers_says_so(settings: Settings) -> None:
    settings.DISCOVERY_ANONYMOUS = "none"
    make_registration()

    page = text_of(browse("/"))

    assert "only to callers with an access token" in page
    assert "send_email" not in page.replace("/api/tools/resolve?ref=send_email@*", "")
    assert "Tools 0" in page


def test_who_is_logged_in_to_the_admin_sees_what_everybody_sees(
    admin_client: Client, settings: Settings
) -> None:
    settings.DISCOVERY_ANONYMOUS = "none"
    make_registration()

    assert tools_in(admin_client.get("/", headers={"accept": "text/html"})) == []


def test_invalid_token_is_told_never_taken_for_nobody() -> None:
    make_registration()

    page = browse("/", authorization="Bearer nonsense")

    assert page.status_code == 401
    assert "invalid or has expired" in text_of(page)


def test_markup_of_providers_and_visitors_is_shown_not_run() -> None:
    make_registration(description="<script>alert(1)</script>", examples=["<b>bold</b>"])

    page = browse("/", {"q": '"><script>alert(2)</script> alert'}).content.decode()

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_list_needs_as_many_queries_for_many_tools(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        make_registration(name=f"tool{number}", instance="host-1", scopes=["mail:send"])
    leases.recent.forget()

    # lease watch, silent leases; the tools; three capped counts; health's SELECT 1
    with django_assert_num_queries(7):
        page = browse("/")

    assert len(tools_in(page)) == 5


def test_counting_stops_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "MOST_COUNTED", 2)
    for number in range(3):
        make_registration(name=f"tool{number}")

    assert "Tools 2+ Registrations 2+ Providers 1" in text_of(browse("/"))


def test_tools_that_are_not_alive_are_waited_for() -> None:
    make_registration(instance="host-1", seconds=-200_000_000)

    assert "No tool is alive right now." in text_of(browse("/"))


@pytest.mark.parametrize("path", ["/", "/docs", "/catalogue/a:b:1"])
def test_pages_are_only_read(path: str) -> None:
    answer: Any = Client().post(path, headers={"accept": "text/html"})

    assert answer.status_code == 405


def test_tools_that_are_on_their_way_out_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", 2)
    for name, version in (("alpha", "1.0.0"), ("beta", "1.0.0"), ("beta", "1.1.0"), ("gamma", "1.0.0")):
        make_registration(name=name, version=version)
    ToolRegistration.objects.filter(of_tool__name="alpha").update(lifecycle="DEPRECATED")
    ToolRegistration.objects.filter(version="1.1.0").update(lifecycle="DEPRECATED")
    query = {"include_deprecated": "true"}

    first = browse("/", query).context["found"]
    second = browse("/", query | {"after": first.after}).context["found"]

    assert [tool["tool_id"] for tool in first.tools] == [
        "mail-team:beta:1.0.0",
        "mail-team:gamma:1.0.0",
    ]
    assert [tool["tool_id"] for tool in second.tools] == ["mail-team:alpha:1.0.0"]
