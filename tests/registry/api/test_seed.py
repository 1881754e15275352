"""seeds/000's own paths, to the letter; a browser's page at `/` is tested with the pages."""

import pytest

from oauth.models import Application
from registry.models import Provider, ProviderOwner, Tool, ToolRegistration
from tests.registry.api.client import (
    document,
    get_json,
    is_problem,
    make_token,
    pointers,
    post_json,
    queries_of,
    register,
    register_all,
)

pytestmark = pytest.mark.django_db
WEATHER = {
    "name": "weather_forecast",
    "endpoint": "/tools/weather",
    "scopes": ["weather:read"],
    "description": "Get weather data",
}
CALCULATOR = {
    "name": "calculator",
    "endpoint": "/tools/calculator",
    "scopes": ["calculator:use"],
    "description": "Perform mathematical calculations",
    "parameters": {"expression": {"type": "string", "description": "Math expression to evaluate"}},
    "returns": "Calculation result",
}
TOOL_KEYS = {"name", "endpoint", "scopes", "description", "parameters", "returns", "host", "port"}


def discover() -> dict:
    return get_json("/").json()


def names() -> list[str]:
    return [tool["name"] for tool in discover()["tools"]]


def served(name: str, url: str = "http://localhost:9001/x", **fields):
    return document(name, endpoint={"url": url}, **fields)


# Registering


def test_the_curl_line_of_the_seed_registers_a_tool_with_its_defaults():
    answer = post_json("/tools/register", WEATHER)

    assert answer.json() == {
        "message": "Tool 'weather_forecast' registered",
        "tool_id": "default:weather_forecast:1.0.0",
        "outcome": "created",
        "changes": [],
    }
    assert discover()["tools"] == [
        {**WEATHER, "parameters": {}, "returns": "", "host": "localhost", "port": 8002}
    ]


def test_the_calculator_of_the_seed_comes_back_as_it_was_sent():
    post_json("/tools/register", CALCULATOR)

    (tool,) = discover()["tools"]

    assert tool.keys() == TOOL_KEYS
    assert tool["parameters"] == {
        "expression": {
            "type": "string",
            "description": "Math expression to evaluate",
            "required": False,
        }
    }
    assert {key: tool[key] for key in ("endpoint", "scopes", "returns")} == {
        key: CALCULATOR[key] for key in ("endpoint", "scopes", "returns")
    }


def test_registering_again_updates_in_place():
    post_json("/tools/register", WEATHER)

    answer = post_json("/tools/register", {**WEATHER, "description": "Rain?", "port": 9000})

    assert answer.json()["outcome"] == "updated"
    (tool,) = discover()["tools"]
    assert (tool["description"], tool["port"]) == ("Rain?", 9000)


def test_host_port_version_and_provider_can_be_said():
    sent = {"provider": "weather", "version": "2.1.0", "host": "[::1]", "port": 80}

    answer = post_json("/tools/register", {**WEATHER, **sent})

    assert answer.json()["tool_id"] == "weather:weather_forecast:2.1.0"
    (tool,) = discover()["tools"]
    assert (tool["host"], tool["port"]) == ("[::1]", 80)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"name": "no name!"}, "/name"),
        ({"name": None}, "/name"),
        ({"version": "1"}, "/version"),
        ({"endpoint": "no path"}, "/endpoint"),
        ({"endpoint": "/" + "x" * 1899, "host": "h" * 253}, "/endpoint"),
        ({"scopes": "weather:read"}, "/scopes"),
        ({"scopes": ["two words"]}, "/scopes/0"),
        ({"parameters": []}, "/parameters"),
        ({"parameters": {"a/b": {"type": "nonsense"}}}, "/parameters/a~1b/type"),
        ({"parameters": {"a": {}, "b": {"required": "yes"}}}, "/parameters/b/required"),
        ({"parameters": {"": {}}}, "/parameters//name"),
        ({"parameters": {"a": "string"}}, "/parameters/a"),
        ({"returns": 5}, "/returns"),
        ({"host": "http://x"}, "/host"),
        ({"port": 0}, "/port"),
        ({"port": 65_536}, "/port"),
        ({"port": "8002"}, "/port"),
        ({"provider": "no provider!"}, "/provider"),
        ({"port_number": 1}, "/port_number"),
    ],
)
def test_a_refused_tool_points_at_the_seeds_own_fields(changes, pointer):
    answer = post_json("/tools/register", {**WEATHER, **changes})

    problem = is_problem(answer, 422, "invalid")
    assert pointers(problem)[0] == pointer
    assert not Tool.objects.exists()


def test_a_changed_contract_points_at_the_seeds_own_parameters():
    post_json("/tools/register", CALCULATOR)
    changed = {**CALCULATOR, "parameters": {"expression": {"type": "integer"}}}

    problem = is_problem(post_json("/tools/register", changed), 409, "contract_changed")

    assert pointers(problem) == ["/parameters/expression/type"]


# Discovering


def test_discovery_has_exactly_the_seeds_keys_and_ours():
    answer = get_json("/", headers={"accept": "application/json"})

    assert answer["Content-Type"] == "application/json"
    body = answer.json()
    assert body.keys() == {"service", "version", "protocol", "authenticated", "tools", "total_available"}
    assert (body["service"], body["protocol"]) == ("Tool Discovery Server (MCP)", "MCP")
    assert (body["authenticated"], body["tools"], body["total_available"]) == (False, [], 0)


def test_discovery_shows_the_newest_live_stable_version_of_each_tool():
    for version, port in (("1.0.0", 1), ("1.1.0", 2), ("1.2.0", 3), ("2.0.0-rc.1", 4), ("1.3.0", 5)):
        register("tool", version=version, endpoint={"url": f"http://h:{port}/x"})
    ToolRegistration.objects.filter(version="1.3.0").update(lifecycle="DEPRECATED")
    post_json("/api/tools/deregister", {"tool_ids": ["mail-team:tool:1.2.0"]})

    (tool,) = discover()["tools"]

    assert tool["port"] == 2


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h:81/a/b?c=d", ("/a/b?c=d", "h", 81)),
        ("http://h", ("/", "h", 80)),
        ("http://H.example/x", ("/x", "h.example", 80)),
        ("http://[::1]:5/", ("/", "[::1]", 5)),
    ],
)
def test_an_address_is_taken_apart_into_path_host_and_port(url, shown):
    register_all([served("tool", url)])

    (tool,) = discover()["tools"]

    assert (tool["endpoint"], tool["host"], tool["port"]) == shown


@pytest.mark.parametrize(
    "endpoint",
    [
        None,
        {"url": "http://h/x", "transport": "mcp"},
        {"url": "http://user:secret@h/x"},
    ],
)
def test_what_host_and_port_cannot_express_is_left_out(endpoint):
    register_all([document("hidden", endpoint=endpoint), served("shown")])

    assert names() == ["shown"]
    assert discover()["total_available"] == 1
    is_problem(get_json("/tools/hidden"), 404, "tool_not_found")


def test_what_host_and_port_cannot_express_is_called_through_us(settings):
    register_all([document("hidden", endpoint={"url": "https://h/x"})])

    (tool,) = get_json("/").json()["tools"]
    settings.PUBLIC_URL = "https://tools.example"

    assert (tool["host"], tool["port"], tool["endpoint"]) == ("localhost", 8006, "/call/hidden")
    assert names() == []


def test_names_of_several_providers_are_made_unique():
    register_all([served("send"), served("send", provider="other"), served("alone")])

    assert names() == ["alone", "mail-team__send", "other__send"]
    assert get_json("/tools/other__send").json()["name"] == "other__send"


def test_the_default_of_a_name_keeps_it_bare():
    register_all([served("send"), served("send", provider="other")])
    Tool.objects.filter(provider__name="other").update(is_default_for_name=True)

    assert names() == ["mail-team__send", "send"]


def test_names_stay_unique_when_a_tool_is_called_like_a_qualified_name():
    register_all(
        [served("send", provider="a"), served("send", provider="b"), served("a__send", provider="c")]
    )

    assert len(set(names())) == 3


def test_discovery_is_unpaged_and_costs_five_queries_with_three_tools_and_with_fifty():
    register_all([served(f"tool_{number}") for number in range(3)])
    few = queries_of(discover)
    register_all([served(f"other_{number}") for number in range(47)])

    many = queries_of(discover)

    assert len(names()) == 50
    # How leases look (2), the newest of each tool, their rows with providers, how many offer each name.
    assert len(few) == len(many) == 5


def test_a_parameter_of_several_types_shows_the_first_that_is_not_null():
    register_all(
        [
            served(
                "tool",
                parameters=[
                    {"name": "a", "type": ["null", "integer"], "required": True},
                    {"name": "b"},
                    {"name": "c", "type": ["null"]},
                ],
            )
        ]
    )

    (tool,) = discover()["tools"]

    assert tool["parameters"] == {
        "a": {"type": "integer", "description": "", "required": True},
        "b": {"type": "any", "description": "", "required": False},
        "c": {"type": "null", "description": "", "required": False},
    }


def test_one_tool_is_found_by_its_name_and_others_are_suggested():
    post_json("/tools/register", WEATHER)

    assert get_json("/tools/weather_forecast").json() == discover()["tools"][0]
    problem = is_problem(get_json("/tools/weather_forcast"), 404, "tool_not_found")
    assert problem["nearest"] == ["weather_forecast"]


# Stats


def test_stats_have_the_seeds_four_keys():
    for name, scopes in (
        ("calculator", ["calculator:use"]),
        ("file_reader", ["file_reader:use", "calculator:use"]),
    ):
        post_json("/tools/register", {**WEATHER, "name": name, "scopes": scopes})

    stats = get_json("/stats").json()

    assert (
        stats.items()
        >= {
            "total_tools": 2,
            "tools_by_name": ["calculator", "file_reader"],
            "scope_usage": {"calculator:use": 2, "file_reader:use": 1},
            "unique_scopes": 2,
        }.items()
    )


def test_stats_count_a_tool_once_whatever_its_versions():
    for version in ("1.0.0", "2.0.0"):
        post_json("/tools/register", {**WEATHER, "version": version})

    stats = get_json("/stats").json()

    assert (stats["total_tools"], stats["registrations"], stats["providers"]) == (1, 2, 1)
    assert stats["scope_usage"] == {"weather:read": 1}


# With a token: the namespace


def test_a_tool_of_a_client_with_one_namespace_lands_there():
    application, token = make_token(scopes="tools:register")
    provider = Provider.objects.create(name="weather", created_at=application.created)
    ProviderOwner.objects.create(provider=provider, application=application, since=application.created)

    answer = post_json("/tools/register", WEATHER, headers={"authorization": f"Bearer {token}"})

    assert answer.json()["tool_id"] == "weather:weather_forecast:1.0.0"


def test_a_tool_of_a_client_without_a_namespace_lands_in_the_default_one():
    _, token = make_token(scopes="tools:register")

    answer = post_json("/tools/register", WEATHER, headers={"authorization": f"Bearer {token}"})

    assert answer.json()["tool_id"] == "default:weather_forecast:1.0.0"
    assert Application.objects.get().provider_ownerships.get().provider.name == "default"
