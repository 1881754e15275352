"""The library against the real platform: a provider and an agent in processes of their own, and bad days."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.test_readme import python_block
from tests.stack import CHECKOUT, Stack, eventually, free_port, running
from toolroster import DiskCache, DynamicToolAgent, Registry
from toolroster.errors import DocumentInvalid, NoMatchingVersion, ToolNotFound, ToolUnavailable, Unavailable

ADD = "math-team:add:1.0.0"


class _Dead(httpx.BaseTransport):
    """A registry that cannot be reached."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)


class Program:
    """A Python program in a process of its own, with the library and nothing else in its path."""

    def __init__(self, folder: Path, code: str, stack: Stack) -> None:
        self._script = folder / "program.py"
        self._script.write_text(code.replace("http://localhost:8006", stack.url))
        self.log = folder / "program.log"
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO", "TOOLROSTER"))}
        self.environment = environment | {
            "PYTHONPATH": str(CHECKOUT),
            "TOOLROSTER_CACHE": str(folder / "cache"),
        }

    def run(self) -> str:
        done = subprocess.run(
            [sys.executable, self._script],
            env=self.environment,
            cwd=self._script.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def running(self) -> "Iterator[subprocess.Popen[bytes]]":
        with (
            self.log.open("ab") as log,
            subprocess.Popen(
                [sys.executable, self._script],
                env=self.environment,
                cwd=self._script.parent,
                stdout=log,
                stderr=log,
            ) as process,
        ):
            try:
                yield process
            finally:
                process.send_signal(signal.SIGCONT)
                process.terminate()


@pytest.fixture
def provider(stack: Stack, tmp_path: Path) -> Program:
    """The provider of the README, on a port of its own."""
    code = python_block("provider.py").replace("serve(9000)", f"serve({free_port()})")
    return Program(tmp_path, code, stack)


@pytest.fixture
def registry(stack: Stack, tmp_path: Path) -> Iterator[Registry]:
    with Registry(stack.url, cache=DiskCache(tmp_path / "known"), patience_seconds=0.5) as registry:
        yield registry


def state(registry: Registry) -> str:
    """Return whether the tool can be resolved: alive, gone, or unknown."""
    try:
        return f"alive {registry.resolve('math-team/add').age_seconds:.0f}"
    except ToolUnavailable:
        return "gone"
    except ToolNotFound:
        return "unknown"


def test_a_provider_and_an_agent_in_ten_lines_each(stack: Stack, provider: Program, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    agent = Program(folder, python_block("agent.py"), stack)

    with provider.running():
        eventually(lambda: "add" in stack.tools())
        said = agent.run()

    assert "- add(a, b): Add two numbers. Use it for sums, not for dates." in said
    assert "7.0" in said.splitlines()
    assert "'most_used_tool': 'add'" in said


def test_terminating_a_provider_gives_its_leases_back(provider: Program, registry: Registry) -> None:
    with provider.running() as process:
        eventually(lambda: state(registry) == "alive 0")
        process.terminate()
        process.wait(10)

        assert state(registry) == "gone"


def test_a_killed_provider_is_gone_with_its_lease_and_back_with_the_next(
    provider: Program, registry: Registry
) -> None:
    with provider.running() as process:
        eventually(lambda: state(registry) == "alive 0")
        process.kill()
        process.wait(10)
        eventually(lambda: state(registry) == "gone")
    with provider.running():
        eventually(lambda: state(registry) == "alive 0")


def test_two_instances_are_two_leases(
    stack: Stack, provider: Program, registry: Registry, tmp_path: Path
) -> None:
    folder = tmp_path / "second"
    folder.mkdir()
    code = python_block("provider.py").replace("serve(9000)", f"serve({free_port()})")
    second = Program(folder, code, stack)

    with provider.running() as first, second.running():
        eventually(lambda: _leases(stack) == 2)
        first.terminate()
        first.wait(10)

        assert state(registry) == "alive 0"


def _leases(stack: Stack) -> int:
    code = (
        "from datetime import timedelta; from django.utils import timezone; "
        "from registry.models import ToolInstance; fresh = timezone.now() - timedelta(seconds=4); "
        f"print(ToolInstance.objects.filter(registration__tool_id='{ADD}', last_beat_at__gt=fresh).count())"
    )
    return int(stack.manage("shell", "--verbosity", "0", "-c", code).splitlines()[-1])


def test_a_registry_that_hangs_and_comes_back(
    stack: Stack, provider: Program, registry: Registry, tmp_path: Path
) -> None:
    cache = DiskCache(tmp_path / "agent")
    with provider.running() as process:
        eventually(lambda: state(registry) == "alive 0")
        with DynamicToolAgent("clerk", discovery_url=stack.url, cache=cache) as before:
            tools = before.list_tools()
        stack.signal("granian", signal.SIGSTOP)
        try:
            time.sleep(1)
            assert state(registry).startswith("alive")
            assert registry.resolve("math-team/add").age_seconds > 0
            with DynamicToolAgent("clerk", discovery_url=stack.url, cache=cache) as agent:
                assert agent.list_tools() == tools
                assert agent.age_seconds > 0
                assert agent.use_tool("add", a=1, b=2) == 3
            assert process.poll() is None
        finally:
            stack.signal("granian", signal.SIGCONT)
        eventually(lambda: state(registry) == "alive 0")


def test_a_registry_that_stops_and_starts_again(tmp_path: Path) -> None:
    code = python_block("provider.py").replace("serve(9000)", f"serve({free_port()})")
    with running(Stack) as stack, Registry(stack.url, cache=DiskCache(tmp_path / "known")) as registry:
        provider = Program(tmp_path, code, stack)
        with provider.running() as process:
            eventually(lambda: state(registry) == "alive 0")
            stack.interrupt()
            assert state(registry).startswith("alive")
            stack.start()

            eventually(lambda: state(registry) == "alive 0")
            assert process.poll() is None
        told = [line for line in provider.log.read_text().splitlines() if "registry" in line]
        assert [line.partition(":")[0] for line in told if "cannot be used" in line] == [
            "the registry cannot be used, trying on"
        ]


JUMPING = """
import pathlib, time
_true, _offset = time.time, pathlib.Path("offset")
time.time = lambda: _true() + (float(_offset.read_text() or 0) if _offset.exists() else 0)
"""


def test_a_clock_that_is_set_while_a_provider_beats(stack: Stack, registry: Registry, tmp_path: Path) -> None:
    code = JUMPING + python_block("provider.py").replace("serve(9000)", f"serve({free_port()})")
    provider = Program(tmp_path, code, stack)
    with provider.running() as process:
        eventually(lambda: state(registry) == "alive 0")
        for day in ("86400", "-86400"):
            (tmp_path / "offset").write_text(day)
            time.sleep(7)  # longer than a lease

            assert state(registry) == "alive 0"
        process.terminate()
        process.wait(10)
    assert state(registry) == "gone"


def test_the_registry_is_read_in_python(stack: Stack, registry: Registry) -> None:
    names = {row.name for row in registry.available()}
    mail = {row.tool_id for row in registry.available(category="email", provider="mail-team")}
    best = registry.search("我需要一个能发邮件的工具", top_k=1)[0]

    assert {"calculator", "send_email"} <= names
    assert len(registry.available()) > 76, "all pages of the list"
    assert mail == {"mail-team:send_email:1.0.0", "mail-team:send_email:1.2.0"}
    assert best["tool"]["name"] == "send_email"
    assert registry.resolve("send_email@~1.0").version == "1.0.0"
    assert registry.get("mail-team:send_email:1.0.0").scopes == []
    assert [row.version for row in registry.versions("mail-team", "send_email")] == ["1.2.0", "1.0.0"]
    assert registry.stats()["tools"] >= 5


def test_errors_of_the_registry_are_those_of_the_library(registry: Registry) -> None:
    with pytest.raises(NoMatchingVersion):
        registry.resolve("send_email@^9")
    with pytest.raises(ToolNotFound) as unknown:
        registry.resolve("send_emial")
    with pytest.raises(DocumentInvalid):
        registry.resolve("send_email@!")

    assert "send_email" in unknown.value.nearest


def test_offline_a_reference_is_resolved_by_what_was_listed(stack: Stack, tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "listed")
    with Registry(stack.url, cache=cache) as registry:
        registry.available()

    def offline(ref: str) -> Any:
        with Registry(stack.url, cache=cache, transport=_Dead()) as registry:
            return registry.resolve(ref)

    assert offline("mail-team/send_email@^1.0.0").version == "1.2.0"
    assert offline("mail-team/send_email@1.0.0").version == "1.0.0"
    assert offline("calculator").provider == "default"
    with pytest.raises(Unavailable, match="Nothing known"):
        offline("mail-team/send_email@^2")


def test_an_agent_is_told_what_is_wrong_before_anything_is_called(stack: Stack) -> None:
    with DynamicToolAgent("clerk", discovery_url=stack.url) as agent:
        with pytest.raises(DocumentInvalid) as wrong:
            agent.use_tool("calculator", expresion="1+1")
        with pytest.raises(ToolNotFound) as unknown:
            agent.use_tool("calculater", expression="1+1")

        assert wrong.value.nearest == ("expression",)
        assert "calculator" in unknown.value.nearest
        assert agent.get_tool_usage_stats()["total_tool_calls"] == 0


def test_an_agent_gains_and_loses_tools_with_its_token(stack: Stack) -> None:
    with DynamicToolAgent("clerk", discovery_url=stack.url) as agent:
        everything = agent.list_tools()
        agent.oauth_token = stack.bearer("safecracker")["Authorization"].removeprefix("Bearer ")

        changed = agent.rediscover_tools()

        assert agent.has_tool("calculator")
        assert "database_query" in changed.lost
        assert changed.gained == []
        assert set(agent.list_tools()) | set(changed.lost) == set(everything)
        assert agent.use_tool("calculator", expression="17 * 23") == 391
        assert (agent.get_tool_info("calculator") or {})["scopes"] == ["calculator:use"]
