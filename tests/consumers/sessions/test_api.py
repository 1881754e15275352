"""Memory and sessions over REST: what is answered, to whom, and what is refused."""

import pytest
from django.test import Client

from consumers.models import AgentMemory
from consumers.services import memory_tools
from tests.consumers.agents import Caller, caller
from tests.consumers.sessions.events import write_session
from tests.oauth.test_attacks import BAD_TOKENS
from tests.registry.api.client import get_json, is_problem, pointers, post_json
from tests.toolroster.agents.servers import Reply, Server
from toolroster import arguments
from toolroster.definition import ToolDefinition

pytestmark = pytest.mark.django_db
STORE, READ = "/api/memory/store_memory", "/api/memory/get_compressed_memory"
TURN = {"agent_id": "hacker", "turn_id": 1, "message": "Two cameras.", "session_id": "s1"}
WHOSE = {"agent_id": "hacker", "session_id": "s1"}
HUGE = "x" * 100_000


@pytest.fixture
def agent() -> Caller:
    return caller("agent", "memory:use")


def _remember(agent: Caller, turns: int) -> None:
    for turn_id in range(1, turns + 1):
        answer = agent.post(STORE, {**TURN, "turn_id": turn_id, "message": f"Camera {turn_id} is on."})
        assert answer.json() == {"result": {"turn_id": turn_id}}


def test_what_is_stored_is_remembered(agent):
    _remember(agent, 3)

    result = agent.post(READ, {**WHOSE, "recent": 2}).json()["result"]

    assert result == {
        "summary": "hacker: Camera 1 is on.",
        "recent": [
            {"agent_id": "hacker", "turn_id": 2, "message": "Camera 2 is on."},
            {"agent_id": "hacker", "turn_id": 3, "message": "Camera 3 is on."},
        ],
        "total": 3,
    }


def test_a_model_summarizes_once_where_settings_name_one(agent, settings):
    _remember(agent, 3)
    with Server().running() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_API_KEY = f"{server.url}/v1", "qwen", "key-1"
        server.next(Reply({"choices": [{"message": {"content": "One camera is on."}}]}))

        answers = [agent.post(READ, {**WHOSE, "recent": 2}).json()["result"] for _ in range(2)]

        (asked,) = server.asked
    assert [one["summary"] for one in answers] == ["One camera is on."] * 2
    assert asked.json["messages"][-1]["content"] == "hacker: Camera 1 is on."
    assert asked.headers["authorization"] == "Bearer key-1"


def test_a_model_that_is_away_is_waited_for_once_and_sentences_are_picked(agent, settings):
    _remember(agent, 3)
    with Server().running() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = f"{server.url}/v1", "qwen"
        server.next(Reply({}, status=500))

        answers = [agent.post(READ, {**WHOSE, "recent": 2}).json()["result"] for _ in range(2)]

    assert [one["summary"] for one in answers] == ["hacker: Camera 1 is on."] * 2


def test_answers_are_what_the_registered_tools_say(agent):
    _remember(agent, 8)
    store, read = (ToolDefinition.parse(one) for one in memory_tools.documents("http://localhost:8006"))

    for path, sent, tool in ((STORE, TURN, store), (READ, WHOSE, read)):
        assert arguments.faults(sent, tool.input_schema) == []
        assert arguments.faults(agent.post(path, sent).json()["result"], tool.output_schema or {}) == []
        assert tool.output_schema


def test_nobody_needs_a_token_in_development():
    assert post_json(STORE, TURN).status_code == 200
    assert post_json(READ, WHOSE).json()["result"]["total"] == 1
    assert AgentMemory.objects.get().application is None


@pytest.mark.parametrize(("path", "body"), [(STORE, TURN), (READ, WHOSE)])
def test_without_the_scope_nothing_is_stored_or_read(settings, path, body):
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = "none", ()

    is_problem(post_json(path, body), 401, "unauthenticated")
    answer = caller("other", "calculator:use").post(path, body)
    is_problem(answer, 403, "insufficient_scope")
    assert 'scope="memory:use"' in answer["WWW-Authenticate"]
    assert not AgentMemory.objects.exists()


@pytest.mark.parametrize("make", BAD_TOKENS)
def test_a_bad_token_stores_and_reads_nothing(make):
    headers = {"authorization": f"Bearer {make()}"}

    is_problem(post_json(STORE, TURN, headers=headers), 401, "invalid_token")
    is_problem(post_json(READ, WHOSE, headers=headers), 401, "invalid_token")
    is_problem(get_json("/api/sessions", headers=headers), 401, "invalid_token")
    assert not AgentMemory.objects.exists()


def test_agents_of_another_application_remember_nothing_of_it(agent):
    _remember(agent, 1)

    assert caller("other", "memory:use").post(READ, WHOSE).json()["result"]["total"] == 0
    assert post_json(READ, WHOSE).json()["result"]["total"] == 0


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        (STORE, {}, "/agent_id"),
        (STORE, {**TURN, "agent_id": ""}, "/agent_id"),
        (STORE, {**TURN, "agent_id": HUGE}, "/agent_id"),
        (STORE, {**TURN, "turn_id": -1}, "/turn_id"),
        (STORE, {**TURN, "turn_id": "1"}, "/turn_id"),
        (STORE, {**TURN, "turn_id": True}, "/turn_id"),
        (STORE, {**TURN, "turn_id": 2**40}, "/turn_id"),
        (STORE, {**TURN, "message": HUGE}, "/message"),
        (STORE, {**TURN, "message": 5}, "/message"),
        (STORE, {**TURN, "session_id": "x" * 201}, "/session_id"),
        (STORE, {**TURN, "sessionId": "y"}, "/sessionId"),
        (STORE, {**TURN, "turn": 1}, "/turn"),
        (READ, {"agent_id": "hacker"}, "/session_id"),
        (READ, {**WHOSE, "recent": 0}, "/recent"),
        (READ, {**WHOSE, "recent": 101}, "/recent"),
    ],
)
def test_a_wrong_field_is_422_and_named(path, body, pointer):
    assert pointer in pointers(is_problem(post_json(path, body), 422, "invalid"))


def test_a_list_holds_the_newest_first_in_pages(agent):
    for number in range(3):
        write_session(f"s{number}", agent.application)

    first = agent.get("/api/sessions", limit=2).json()
    second = agent.get("/api/sessions", limit=2, cursor=first["next"]).json()

    assert [one["session_id"] for one in first["results"]] == ["s2", "s1"]
    assert ([one["session_id"] for one in second["results"]], second["next"]) == (["s0"], None)
    assert first["results"][0] == {
        "session_id": "s2",
        "topic": "The vault.",
        "model": "qwen",
        "agents": ["planner", "hacker"],
        "turns": 2,
        "calls": 0,
        "total_tokens": 20,
        "failure": "",
        "started_at": "2030-01-01T12:00:00Z",
        "ended_at": "2030-01-01T12:01:00Z",
    }


@pytest.mark.django_db
def test_a_list_needs_as_many_queries_for_many_sessions(agent, django_assert_num_queries):
    for number in range(5):
        write_session(f"s{number}", agent.application)
    agent.get("/api/sessions")  # the token is known from here on

    # the page
    with django_assert_num_queries(1):
        assert len(agent.get("/api/sessions").json()["results"]) == 5


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=1001", "/limit"),
        ("cursor=x", "/cursor"),
        ("cursor=" + "9" * 19, "/cursor"),
        ("cursor=%C2%B2", "/cursor"),
        ("page=2", "/page"),
    ],
)
def test_a_wrong_query_is_422(query, pointer):
    assert pointers(is_problem(get_json(f"/api/sessions?{query}"), 422)) == [pointer]


def test_a_session_is_exported_as_json_and_as_markdown(agent):
    write_session("s1", agent.application)

    exported, transcript = agent.get("/api/sessions/s1"), agent.get("/api/sessions/s1/transcript")

    assert [one["message"] for one in exported.json()["messages"]] == ["Where is it?", "Below."]
    assert transcript["Content-Type"].startswith("text/markdown")
    assert "## Turn 2: hacker\n\n> Below.\n" in transcript.content.decode()


@pytest.mark.parametrize("path", ["/api/sessions/{}", "/api/sessions/{}/transcript"])
def test_sessions_are_read_by_those_who_ran_them_and_by_operators(agent, path):
    write_session("of-agent", agent.application)
    write_session("of-nobody")
    operator, other = caller("operator", "tools:admin"), caller("other", "memory:use")

    def reads(who: Caller | Client) -> list[int]:
        return [who.get(path.format(name)).status_code for name in ("of-agent", "of-nobody", "unknown")]

    assert reads(agent) == [200, 404, 404]
    assert reads(other) == [404, 404, 404]
    assert reads(operator) == [200, 200, 404]
    assert reads(Client()) == [404, 200, 404]


def test_lists_hold_what_may_be_read(agent, settings):
    write_session("of-agent", agent.application)
    write_session("of-nobody")

    def listed(answer) -> list[str]:
        return [one["session_id"] for one in answer.json()["results"]]

    assert listed(agent.get("/api/sessions")) == ["of-agent"]
    assert listed(caller("operator", "tools:admin").get("/api/sessions")) == ["of-nobody", "of-agent"]
    assert listed(get_json("/api/sessions")) == ["of-nobody"]
    settings.ANONYMOUS_SCOPES = ()
    assert listed(get_json("/api/sessions")) == []


@pytest.mark.parametrize("path", ["/api/sessions/{}", "/api/sessions/{}/transcript"])
@pytest.mark.parametrize("segment", ["%FF", "x" * 10_000, "'%20OR%201=1"])
def test_a_strange_session_is_404(path, segment):
    is_problem(get_json(path.format(segment)), 404, "not_found")


def test_a_transcript_is_markdown_and_nothing_else(agent):
    write_session("s1", agent.application)
    path = "/api/sessions/s1/transcript"

    is_problem(get_json(path, headers=agent.headers | {"accept": "application/xml"}), 406, "not_acceptable")
    is_problem(get_json(f"{path}?raw=1", headers=agent.headers), 422)
    is_problem(get_json("/api/sessions/a%00b/transcript"), 400, "malformed")
