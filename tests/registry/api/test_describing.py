"""`GET /api/tools/describe`: what a model is told, behind the one visibility rule."""

from typing import Any

import pytest

from tests.factories import make_application, make_token
from tests.registry.api.client import document, get_json, register, register_all
from toolroster import prompts

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETERS = [{"name": "to", "type": "string", "description": "The recipient.", "required": True}]
TOOL: dict[str, Any] = {
    "parameters": PARAMETERS,
    "capabilities": {"categories": ["communication"], "cost_level": "HIGH"},
}


def described(**query: Any) -> Any:
    headers = query.pop("headers", {})
    return get_json("/api/tools/describe", query=query, headers=headers)


def test_the_text_of_the_seed_in_its_language():
    register(**TOOL)

    text = described(format="seed_004", language="zh").json()["content"]

    assert text.startswith("你可以使用以下工具")
    assert "## send_email" in text
    assert "- to (string, 必填): The recipient." in text
    assert "此工具调用成本较高" in text


@pytest.mark.parametrize("format_", prompts.FORMATS)
def test_every_format_is_served_and_names_lead_back(format_):
    register(**TOOL)

    answer = described(format=format_).json()

    assert answer["format"] == format_
    assert answer["names"] == {"send_email": "mail-team:send_email:1.0.0"}
    assert isinstance(answer["content"], str if format_.startswith("seed") else list)


def test_one_version_of_each_tool_is_told():
    register_all([document(version="1.0.0"), document(version="1.2.0"), document("read_email")])

    assert described(format="openai").json()["names"] == {
        "read_email": "mail-team:read_email:1.0.0",
        "send_email": "mail-team:send_email:1.2.0",
    }


def test_a_request_chooses_what_is_told():
    register_all(
        [document("send_email"), document("convert_money", description="Convert an amount of money.")]
    )

    assert list(described(format="mcp", query="send an email", top_k=1).json()["names"]) == ["send_email"]


def test_filters_and_a_budget_narrow_it():
    register_all(
        [document(f"tool_{n}", capabilities={"categories": ["a" if n < 3 else "b"]}) for n in range(6)]
    )

    assert len(described(format="openai", category="a").json()["names"]) == 3
    small = described(format="openai", max_tokens=80).json()
    assert 1 <= len(small["names"]) < 6
    assert len(small["names"]) + len(small["left_out"]) == 6


def test_what_may_not_be_seen_is_not_told():
    register(scopes=["vault:use"])
    tokens = [make_token(scope, application=make_application(scope)) for scope in ("vault:use", "mail:use")]

    told = [
        described(format="openai", headers={"authorization": f"Bearer {token}"}).json() for token in tokens
    ]

    assert [list(one["names"]) for one in told] == [["send_email"], []]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({}, "/format"),
        ({"format": "opnai"}, "/format"),
        ({"format": "openai", "language": "fr"}, "/language"),
        ({"format": "openai", "max_tokens": "0"}, "/max_tokens"),
        ({"format": "openai", "categroy": "x"}, "/categroy"),
        ({"format": "openai", "query": " "}, "/query"),
    ],
)
def test_a_bad_query_says_where(query, pointer):
    answer = described(**query)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_an_unknown_format_names_the_nearest():
    assert described(format="opnai").json()["nearest"][0] == "openai"


def test_it_is_kept_and_a_change_is_in_the_next_one(settings):
    settings.LISTS_ARE_KEPT = True
    register()
    first = described(format="openai")
    again = described(format="openai", headers={"if-none-match": first.headers["etag"]})
    register("read_email")

    assert again.status_code == 304
    assert sorted(described(format="openai").json()["names"]) == ["read_email", "send_email"]
