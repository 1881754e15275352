"""`POST /api/tools/invoke`: from the request to the tool and back, and what is noted of it."""

import json
import threading
import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from consumers import conf
from consumers.models import CallOutcome, ToolCallUsage
from oauth import tokens
from registry.models import Provider, ToolUse
from registry.services import failing
from tests.consumers.calls.tools import invoke, make_agent, make_tool, publish
from tests.factories import at
from tests.registry.api.client import post_json
from tests.toolroster.routing.faulty import FaultyServer


def test_a_call_comes_back_with_its_result_and_which_version_served(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"))

    answer = invoke(make_agent())

    told = answer.json()
    assert answer.status_code == 200
    assert told["result"] == {"city": "Berlin", "days": 3}
    assert (told["tool_id"], told["why"], told["asked"]) == ("weather-team:forecast:1.0.0", "", "forecast")


def test_arguments_reach_the_tool_as_they_were_sent(faulty: FaultyServer) -> None:
    schema = {"type": "object", "properties": {"topK": {}, "text": {}}}
    publish(make_tool(faulty, "echo", parameters=[], input_schema=schema))
    params = {"topK": [1, {"sessionId": None}], "text": "e\u0301"}

    answer = invoke(make_agent(), params=params)

    assert answer.json()["result"] == params


def test_the_token_of_the_caller_is_never_sent_on(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["weather:read", "weather:write"]))
    agent = make_agent(scope="tools:invoke weather:read")

    invoke(agent)
    invoke(agent)

    shown = [call["headers"]["authorization"].removeprefix("Bearer ") for call in faulty.seen]
    assert agent.token not in shown
    assert len(set(shown)) == 1  # one token serves for a while
    answer = post_json(
        "/api/tools/invoke", {"tool": "forecast"}, headers={"authorization": f"Bearer {shown[0]}"}
    )
    assert answer.status_code == 401  # it is for the tool's own audience, not for us


def test_the_token_of_a_tool_is_for_its_origin_and_its_scopes_alone(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["weather:read", "weather:write"]))
    invoke(make_agent(scope="tools:invoke weather:read"))

    shown = faulty.seen[0]["headers"]["authorization"].removeprefix("Bearer ")
    checked = tokens.check(shown, now=timezone.now())

    assert checked.scopes == ("weather:read",)
    assert checked.audience == (f"http://127.0.0.1:{faulty.port}",)


def test_an_audience_that_no_operator_allowed_is_not_served(faulty: FaultyServer) -> None:
    endpoint = {"url": faulty.url("ok"), "audience": "https://bank.example"}
    publish(make_tool(faulty, "ok", scopes=["weather:read"], endpoint=endpoint))
    agent = make_agent(scope="tools:invoke weather:read")

    before = agent.post("/api/tools/weather-team:forecast:1.0.0/token", {}).json()["resource"]
    Provider.objects.filter(name="weather-team").update(audiences=["https://bank.example"])
    after = agent.post("/api/tools/weather-team:forecast:1.0.0/token", {}).json()["resource"]

    assert (before, after) == (f"http://127.0.0.1:{faulty.port}", "https://bank.example")


def test_a_call_needs_its_scope(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok"))

    answer = invoke(make_agent(scope=""))

    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
    assert not faulty.calls


def test_a_tool_that_is_hidden_is_unknown(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["vault:use"]))

    answer = invoke(make_agent())

    assert (answer.status_code, answer.json()["code"]) == (404, "tool_not_found")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"tool": "forecast", "params": [1]}, "/params"),
        ({"tool": "forecast", "params": {}}, "/params/city"),
        ({"tool": "forecast", "params": {"city": 1}}, "/params/city"),
        ({"params": {}}, "/tool"),
        ({"tool": "forecast", "version_constraint": ""}, "/version_constraint"),
        ({"tool": "forecast@1", "versionConstraint": "^1"}, "/version_constraint"),
        ({"tool": "forecast", "timeout_ms": 0}, "/timeout_ms"),
        ({"tool": "forecast", "prams": {}}, "/prams"),
    ],
)
def test_what_is_wrong_is_pointed_at(faulty: FaultyServer, body: dict[str, Any], pointer: str) -> None:
    publish(make_tool(faulty, "ok"))

    answer = make_agent().post("/api/tools/invoke", body)

    assert answer.status_code == 422, answer.content
    assert answer.json()["errors"][0]["pointer"] == pointer
    assert not faulty.calls


@pytest.mark.parametrize("header", ["0", "-1", "soon", "99999999999"])
def test_a_deadline_that_is_none_is_refused(faulty: FaultyServer, header: str) -> None:
    headers = {**make_agent().headers, "x-request-timeout-ms": header}

    answer = post_json("/api/tools/invoke", {"tool": "forecast"}, headers=headers)

    assert answer.json()["errors"][0]["pointer"] == "/X-Request-Timeout-Ms"


def test_a_deadline_in_the_header_ends_the_call(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "hang", capabilities={}))
    headers = {**make_agent().headers, "x-request-timeout-ms": "100"}

    answer = post_json("/api/tools/invoke", {"tool": "forecast", "params": {"city": "x"}}, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (504, "timed_out")


def test_a_dry_run_says_what_would_happen_and_calls_nothing(faulty: FaultyServer, written: Any) -> None:
    publish(make_tool(faulty, "ok"))

    told = invoke(make_agent(), dry_run=True).json()

    assert told["params"] == {"city": "Berlin", "days": 3}
    assert told["instances"] == [{"instance": faulty.url("ok"), "breaker": "CLOSED"}]
    assert not faulty.calls
    assert not written()


def test_agents_of_seeds_000_call_a_tool_by_its_name(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "echo"))

    answer = make_agent().post("/call/forecast", {"city": "Ulm"})

    assert answer.json() == {"result": {"city": "Ulm", "days": 3}}


def test_the_flat_name_of_another_provider_is_understood(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok"), {**make_tool(faulty, "echo"), "provider": "other-team"})

    answer = make_agent().post("/call/other-team__forecast", {"city": "Ulm"})

    assert answer.json() == {"result": {"city": "Ulm", "days": 3}}


def test_every_call_has_its_row(faulty: FaultyServer, written: Any) -> None:
    publish(make_tool(faulty, "echo"))
    agent = make_agent()

    call_id = invoke(agent, session_id="heist-1").json()["call_id"]
    invoke(agent, params={})
    invoke(agent, "forcast")

    rows = written()
    assert [row.outcome for row in rows] == [CallOutcome.OK, CallOutcome.REFUSED, CallOutcome.REFUSED]
    assert [row.error_code for row in rows] == ["", "arguments_invalid", "tool_not_found"]
    first = rows[0]
    assert (str(first.call_id), first.session_id, first.agent) == (
        call_id,
        "heist-1",
        agent.application.client_id,
    )
    assert first.tool_id == first.tool_id_asked == "weather-team:forecast:1.0.0"
    assert (first.request_bytes, first.attempts) == (len(b'{"city":"Berlin","days":3}'), 1)
    assert first.params is None


def test_values_are_noted_only_where_settings_allow_and_never_what_is_sensitive(
    faulty: FaultyServer, written: Any, settings: Any
) -> None:
    settings.RECORD_ARGUMENTS = True
    secret = {"name": "key", "type": "string", "x-sensitive": True}
    publish(make_tool(faulty, "ok", parameters=[secret, {"name": "city", "type": "string"}]))

    invoke(make_agent(), params={"key": "top secret", "city": "Ulm"})

    assert written()[0].params == {"key": "[sensitive]", "city": "Ulm"}


def test_calls_are_summed_by_the_hour_and_counted_as_uses(faulty: FaultyServer, written: Any) -> None:
    publish(make_tool(faulty, "ok"))
    agent = make_agent()

    for _ in range(3):
        invoke(agent)
    written()

    row = ToolCallUsage.objects.get()
    assert (row.calls, row.name, row.version, row.outcome) == (3, "forecast", "1.0.0", "OK")
    assert ToolUse.objects.get(kind=ToolUse.Kind.INVOKE).count == 3


def test_a_sibling_serves_while_a_tool_is_dead_and_the_answer_says_so(faulty: FaultyServer) -> None:
    dead = make_tool(faulty, "ok", endpoint={"url": "http://127.0.0.1:9/gone"})
    publish(dead, make_tool(faulty, "ok", "outlook"))

    told = invoke(make_agent()).json()

    assert told["tool_id"] == "weather-team:outlook:1.0.0"
    assert "same category" in told["why"]


def test_another_version_in_the_range_serves_first(faulty: FaultyServer) -> None:
    dead = {"url": "http://127.0.0.1:9/gone"}
    publish(make_tool(faulty, "ok"), make_tool(faulty, "ok", "outlook"))
    publish(make_tool(faulty, "ok", version="1.1.0", endpoint=dead))

    told = invoke(make_agent(), version_constraint="^1.0").json()

    assert told["tool_id"] == "weather-team:forecast:1.0.0"


def test_a_tool_whose_calls_fail_is_suspect_and_recovers(faulty: FaultyServer, written: Any) -> None:
    publish(make_tool(faulty, "500", capabilities={}, policy={"timeout_ms": 1000}))
    agent = make_agent()

    for _ in range(6):
        invoke(agent)
    conf.blocking(_settled())
    written()

    health = agent.get("/api/tools/weather-team:forecast:1.0.0").json()["health"]
    assert health == "SUSPECT"
    assert failing.settle(now=at(0)) == 1  # 2030: the mark is over
    assert agent.get("/api/tools/weather-team:forecast:1.0.0").json()["health"] == "UNMONITORED"


async def _settled() -> None:
    await conf.running().engine.settle()


def test_nothing_is_called_at_a_private_address_unless_an_operator_allowed_it(
    faulty: FaultyServer, settings: Any
) -> None:
    settings.PRIVATE_ADDRESSES = "allowed"
    publish(make_tool(faulty, "ok"))
    agent = make_agent()

    refused = invoke(agent)
    Provider.objects.filter(name="weather-team").update(may_be_private=True)
    allowed = invoke(agent)

    assert (refused.status_code, refused.json()["code"]) == (403, "address_forbidden")
    assert allowed.status_code == 200


def test_no_connection_of_the_database_is_held_while_a_tool_works(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "slow", scopes=["weather:read"]))
    agent = make_agent(scope="tools:invoke weather:read")
    call = threading.Thread(target=invoke, args=(agent,))
    call.start()
    while not faulty.running["slow"]:
        time.sleep(0.005)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT state FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        states = {state for (state,) in cursor.fetchall()}
    call.join()

    assert faulty.calls == {"slow": 1}
    assert states <= {"idle"}  # in no transaction, in no query


def test_in_development_anybody_may_call(faulty: FaultyServer) -> None:
    publish(make_tool(faulty, "ok", scopes=["weather:read"]))

    answer = post_json("/api/tools/invoke", {"tool": "forecast", "params": {"city": "x"}})

    assert answer.status_code == 200
    assert "authorization" not in faulty.seen[0]["headers"]


def test_a_method_that_is_none_and_a_body_that_is_none_are_refused(faulty: FaultyServer) -> None:
    agent = make_agent()

    got = Client().get("/api/tools/invoke", headers=agent.headers)
    empty = Client().post("/api/tools/invoke", b"", content_type="application/json", headers=agent.headers)

    assert got.status_code in {404, 405}
    assert empty.status_code == 400
    assert json.loads(empty.content)["code"] == "malformed"
