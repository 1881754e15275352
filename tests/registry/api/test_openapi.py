"""The OpenAPI: valid, complete, without warnings, and the definition's own JSON Schema."""

import re
from functools import cache
from typing import Any

import pytest
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from registry.api.urls import urlpatterns
from tests.registry.api.client import (
    beat,
    document,
    get_json,
    is_problem,
    post_json,
    register,
)
from toolroster.definition import Parameter, ToolDefinition


@cache
def schema() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found


def component(name: str) -> dict[str, Any]:
    found: dict[str, Any] = schema()["components"]["schemas"][name]
    return found


def documented(path: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", path)


def test_it_is_a_valid_openapi_3_1():
    validate_schema(schema())

    assert schema()["openapi"] == "3.1.0"


def test_the_command_makes_it_without_a_warning(capsys):
    call_command("spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json")

    assert capsys.readouterr().err == ""


def test_it_has_every_address_and_discovery():
    assert set(schema()["paths"]) >= {documented(str(route.pattern)) for route in urlpatterns} | {"/"}


def test_every_operation_describes_its_answer_and_its_problems():
    for path, operations in schema()["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            media = "text/markdown" if path.endswith("/transcript") else "application/json"
            assert answers["200"]["content"][media]["schema"], (path, method)
            for status in ("4XX", "5XX"):
                content = answers[status]["content"]
                assert content == {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                }


def test_register_takes_exactly_one_of_three_forms_of_the_definition():
    request = schema()["paths"]["/api/tools/register"]["post"]["requestBody"]["content"]
    assert request == {"application/json": {"schema": {"$ref": "#/components/schemas/Registering"}}}

    one, many, form = component("Registering")["oneOf"]

    assert one == {"$ref": "#/components/schemas/ToolDefinition"}
    assert (many["type"], many["minItems"], many["maxItems"]) == ("array", 1, 500)
    assert form == {"$ref": "#/components/schemas/ProviderForm"}


@pytest.mark.parametrize("model", [ToolDefinition, Parameter])
def test_the_components_are_the_definitions_own_json_schema(model):
    own = model.model_json_schema(ref_template="#/components/schemas/{model}")

    shown = component(model.__name__)

    assert shown["properties"].keys() == own["properties"].keys()
    assert shown.get("required") == own["required"] == ["name"]
    assert shown["additionalProperties"] == own["additionalProperties"]


def test_seeds_000s_tool_has_exactly_its_own_keys():
    assert component("SeedToolAnswer")["additionalProperties"] is False
    assert set(component("SeedToolAnswer")["required"]) == {
        "name",
        "endpoint",
        "scopes",
        "description",
        "parameters",
        "returns",
        "host",
        "port",
    }


def test_filters_say_what_they_may_be():
    parameters = schema()["paths"]["/api/tools/available"]["get"]["parameters"]
    by_name = {parameter["name"]: parameter["schema"] for parameter in parameters}

    assert by_name["tag"] == {"type": "array", "items": {"type": "string"}}
    assert sorted(by_name["cost_level"]["enum"]) == ["HIGH", "LOW", "MEDIUM"]
    assert "format" not in by_name


@pytest.mark.django_db
def test_answers_have_the_members_that_are_described():
    plain = {"url": "http://h/x"}
    tool_id = register(endpoint=plain)["tool_id"]
    answers = {
        "RegisterAnswer": post_json("/api/tools/register", document(endpoint=plain)).json(),
        "HeartbeatAnswer": beat(tool_id).json(),
        "DeregisterAnswer": post_json("/api/tools/deregister", {"tool_ids": ["a:b:1.0.0"]}).json(),
        "ListAnswer": get_json("/api/tools/available").json(),
        "SearchAnswer": post_json("/api/tools/search", {"query": "send"}).json(),
        "Registration": get_json(f"/api/tools/{tool_id}").json(),
        "VersionsAnswer": get_json("/api/tools/mail-team/send_email/versions").json(),
        "StatsAnswer": get_json("/api/stats").json(),
        "Discovery": get_json("/").json(),
        "SeedToolAnswer": get_json("/tools/send_email").json(),
        "SeedStats": get_json("/stats").json(),
        "Health": get_json("/health").json(),
        "Live": get_json("/health/live").json(),
        "Problem": is_problem(get_json("/tools/none"), 404),
    }

    for name, answer in answers.items():
        described = component(name)
        assert set(described["required"]) <= answer.keys() <= described["properties"].keys(), name
