"""The documentation of the API: every call, without script."""

import re

import pytest
from django.test import Client

from registry.web import operations
from tests.registry.web.browsing import browse, text_of

pytestmark = pytest.mark.django_db


def test_openapi_describes_the_calls_to_everybody() -> None:
    answer = Client().get("/openapi.json", headers={"authorization": "Bearer nonsense"})

    assert answer["Content-Type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.")
    assert "/api/tools/search" in answer.json()["paths"]


def test_every_call_is_on_the_page_with_a_command() -> None:
    page = text_of(browse("/docs"))

    for operation in operations.operations():
        assert f"{operation.method} {operation.path}" in page
    assert "curl -X POST http://testserver/api/tools/search" in page
    assert "curl 'http://testserver/api/tools/resolve?ref=mail-team/send_email@^1'" in page


def test_every_link_inside_the_page_leads_somewhere() -> None:
    page = browse("/docs").content.decode()

    links = set(re.findall(r'href="#([^"]+)"', page))

    assert links - set(re.findall(r'id="([^"]+)"', page)) == set()


def test_page_needs_no_script() -> None:
    assert "<script" not in browse("/docs").content.decode()


def test_answers_name_their_shapes_errors_as_well() -> None:
    resolve = next(one for one in operations.operations() if one.path == "/api/tools/resolve")

    shapes = {answer.status: answer.shape for answer in resolve.answers}

    assert shapes["200"] == "Registration"
    assert shapes["4XX"] == "Problem"


def test_shapes_say_what_is_required() -> None:
    shapes = {shape.name: shape for shape in operations.shapes()}

    assert {row.name: row.is_required for row in shapes["SearchRequest"].rows}["query"]
