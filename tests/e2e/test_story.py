"""The story of the first issue, told over HTTP to the real stack: what `make run` starts."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.stack import CHECKOUT, Stack, eventually

NEW_TOOL = {
    "name": "new_tool",
    "endpoint": "/tools/new",
    "scopes": ["new_tool:use"],
    "description": "A brand new tool",
    "parameters": {},
    "returns": "result",
}
CALCULATOR = "default:calculator:1.0.0"


def listed(stack: Stack) -> set[str]:
    return set(stack.tools())


def found(stack: Stack, query: str) -> list[str]:
    answer = stack.client.post("/api/tools/search", json={"query": query, "top_k": 5})
    return [result["tool"]["tool_id"] for result in answer.json()["results"]]


def resolved(stack: Stack, ref: str) -> str:
    answer = stack.client.get("/api/tools/resolve", params={"ref": ref}).json()
    return str(answer.get("tool_id") or answer["code"])


@pytest.fixture
def admin(stack: Stack) -> Iterator[httpx.Client]:
    """A person who logged in with the credentials that the terminal showed."""
    note = stack.note()["admin"]
    with httpx.Client(base_url=stack.client.base_url, timeout=15) as client:
        form = {
            "username": note["username"],
            "password": note["password"],
            "csrfmiddlewaretoken": client.get("/admin/login/").cookies["csrftoken"],
            "next": "/admin/",
        }
        assert client.post("/admin/login/", data=form).status_code == 302
        yield client


def shown_events(admin: httpx.Client, kind: str) -> int:
    page = admin.get("/admin/registry/toolevent/", params={"q": CALCULATOR, "kind__exact": kind})
    assert page.status_code == 200, page.text[:500]
    return page.text.count("field-kind")


def test_the_catalogue_holds_the_tools_of_both_seeds_and_they_are_served(stack: Stack) -> None:
    seeds = {"calculator", "file_reader", "database_query", "simulation_data", "send_email"}

    eventually(lambda: seeds <= listed(stack))
    tool = stack.tools()["calculator"]
    address = f"http://{tool['host']}:{tool['port']}{tool['endpoint']}"
    headers = stack.bearer("safecracker")
    answer = stack.client.post(address, json={"expression": "6 * 7"}, headers=headers)

    assert answer.json() == {"result": 42}
    assert resolved(stack, "send_email@^1.0.0") == "mail-team:send_email:1.2.0"
    assert stack.client.get("/api/stats").json()["tools"] >= 77


def test_the_seeds_curl_line_registers_a_tool_that_is_there_at_once(stack: Stack) -> None:
    answer = stack.client.post("/tools/register", json=NEW_TOOL)

    assert answer.json()["outcome"] in {"created", "unchanged"}  # unchanged: the README story came first
    assert "new_tool" in listed(stack)
    assert "default:new_tool:1.0.0" in found(stack, "brand new tool")
    assert resolved(stack, "new_tool") == "default:new_tool:1.0.0"


@pytest.mark.parametrize("query", ["a brand new tool", "ein brandneues Werkzeug", "全新的工具"])
def test_it_is_found_by_meaning_in_three_languages_soon_after(stack: Stack, query: str) -> None:
    stack.client.post("/tools/register", json=NEW_TOOL)

    assert eventually(lambda: "default:new_tool:1.0.0" in found(stack, query)[:1], seconds=90)


def test_a_provider_that_stops_beating_is_gone_and_comes_back(stack: Stack, admin: httpx.Client) -> None:
    eventually(lambda: resolved(stack, "calculator") == CALCULATOR)
    stack.signal("demo seed_000", signal.SIGSTOP)

    def detail() -> str:
        return str(stack.client.get(f"/api/tools/{CALCULATOR}").json()["health"])

    eventually(lambda: detail() == "SUSPECT")
    assert "calculator" in listed(stack)
    eventually(lambda: detail() == "UNAVAILABLE")
    assert "calculator" not in listed(stack)
    assert CALCULATOR not in found(stack, "calculate 3 times 4")
    assert resolved(stack, "calculator") == "tool_unavailable"
    eventually(lambda: shown_events(admin, "tool:health:unavailable"))

    stack.signal("demo seed_000", signal.SIGCONT)

    eventually(lambda: resolved(stack, "calculator") == CALCULATOR)
    assert "calculator" in listed(stack)
    assert CALCULATOR in found(stack, "calculate 3 times 4")
    assert shown_events(admin, "tool:health:recovered")


def test_the_note_of_credentials_is_private(stack: Stack) -> None:
    path = stack.home / "demo.json"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(stack.note()) >= {"base_url", "docs_url", "admin", "clients"}


def test_a_second_start_on_the_port_says_so(stack: Stack) -> None:
    environment = os.environ | {"PORT": str(stack.port), "TOOLROSTER_HOME": str(stack.home)}
    environment.pop("DATABASE_URL", None)
    second = subprocess.run(
        [sys.executable, "-m", "config.stack"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert second.returncode == 1
    assert f"Port {stack.port} is taken" in second.stdout + second.stderr
    assert stack.is_healthy()


def test_ctrl_c_stops_everything_and_the_next_start_goes_on(stack: Stack) -> None:
    stack.client.post("/tools/register", json=NEW_TOOL)

    code = stack.interrupt()
    left = stack.pids("granian") + stack.pids("demo seed")
    stack.start()

    assert code == 0
    assert left == []
    assert resolved(stack, "new_tool") == "default:new_tool:1.0.0"
    eventually(lambda: resolved(stack, "calculator") == CALCULATOR)
