"""A provider beside its host's work: it starts and ends with it, and no registry is the host's problem."""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from fastapi import FastAPI

from config.env import CHECKOUT
from tests.toolroster.client import hostile
from toolroster import Access, Provider, agent_tool
from toolroster.errors import DocumentInvalid

BEATEN = {
    "results": [{"tool_id": "math-team:add:1.0.0", "outcome": "renewed"}],
    "next_beat_seconds": 0.05,
}


@agent_tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@pytest.fixture
def registry() -> Iterator[hostile.Registry]:
    with hostile.Registry(BEATEN).running() as server:
        yield server


def provide(registry: hostile.Registry, tools: Any = add) -> Provider:
    return Provider(registry.url, tools, name="math-team", url="http://localhost:1")


def eventually(check: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ours() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("toolroster")]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - what it lists are no files


def test_it_beats_from_one_thread_until_it_is_stopped(registry):
    with provide(registry) as provider:
        eventually(lambda: registry.asked > 5)
        assert (provider.is_beating, ours()) == (True, ["toolroster"])

    asked = registry.asked
    assert (provider.is_beating, ours()) == (False, [])
    time.sleep(0.2)
    assert registry.asked == asked


def test_starting_and_stopping_twice_is_once(registry):
    provider = provide(registry)

    provider.start().start()
    assert ours() == ["toolroster"]
    provider.stop()
    provider.stop()

    assert ours() == []


def test_nothing_is_left_open(registry):
    with provide(registry):
        eventually(lambda: registry.asked > 2)
    before = open_files()

    for _ in range(5):
        asked = registry.asked
        with provide(registry):
            eventually(partial(_has_asked, registry, asked + 3))

    eventually(lambda: open_files() <= before + 1)


def _has_asked(registry: hostile.Registry, times: int) -> bool:
    return registry.asked > times


@pytest.mark.parametrize("behaviour", ["500", "503", "garbage", "html", "half", "closed", "wrong"])
def test_a_bad_registry_neither_ends_the_beats_nor_reaches_the_host(registry, behaviour, caplog):
    caplog.set_level(logging.INFO, "toolroster.provider")
    with provide(registry) as provider:
        eventually(lambda: registry.asked > 2)
        registry.behaviour = behaviour
        asked = registry.asked
        eventually(lambda: registry.asked > asked)
        registry.behaviour = "good"
        asked = registry.asked
        eventually(lambda: registry.asked > asked + 3)
        assert provider.is_beating

    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_registry_that_is_not_there_is_told_in_one_line(caplog):
    with Provider("http://127.0.0.1:1", add) as provider:
        eventually(lambda: "trying on" in caplog.text)
        assert provider.is_beating

    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_a_hundred_tools_are_one_registration():
    tools = [agent_tool(f"tool_{number}")(lambda: None) for number in range(100)]

    with hostile.Registry(BEATEN).running() as registry, provide(registry, tools) as provider:
        eventually(lambda: registry.asked > 2)
        assert len(provider.documents()) == 100


def test_one_task_does_the_same_on_an_event_loop(registry):
    async def work() -> None:
        async with provide(registry):
            while registry.asked < 4:
                await asyncio.sleep(0.02)

    asyncio.run(work())

    assert ours() == []


def test_the_lifespan_of_an_application_is_the_providers(registry):
    provider = provide(registry)
    app = FastAPI(lifespan=provider.lifespan)

    async def live() -> None:
        async with app.router.lifespan_context(app):
            while registry.asked < 4:
                await asyncio.sleep(0.02)

    asyncio.run(live())

    assert registry.asked >= 4


def test_a_forked_process_provides_nothing_and_leaves_the_parents_leases_alone(registry):
    with provide(registry) as provider:
        eventually(lambda: registry.asked > 2)
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                code = 0 if not provider.is_beating and not ours() else 2
                provider.stop()
            os._exit(code)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        asked = registry.asked
        eventually(lambda: registry.asked > asked + 2)
        assert provider.is_beating


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_program_that_is_told_to_end_says_goodbye(registry, number):
    program = (
        "import signal, time; from toolroster import Provider, agent_tool\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # who runs the tests may ignore it
        "@agent_tool\n"
        "def add(a: float) -> float: return a\n"
        f"Provider({registry.url!r}, add).start(); print('started', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=CHECKOUT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        eventually(lambda: registry.asked > 2)
        process.send_signal(number)
        code = process.wait(10)

    assert code in {-signal.SIGTERM, -signal.SIGINT, 1, 130}
    assert b"/api/tools/deregister" in registry.last


def test_the_registration_names_provider_address_and_instance(registry):
    provider = provide(registry)
    [document] = provider.documents()

    assert (document["provider"], document["name"]) == ("math-team", "add")
    assert document["endpoint"] == {"url": "http://localhost:1/tools/add"}


def test_the_name_comes_from_the_environment(monkeypatch, registry):
    monkeypatch.setenv("TOOLROSTER_PROVIDER", "Mail-Team")
    assert Provider(registry.url, add).name == "mail-team"
    monkeypatch.delenv("TOOLROSTER_PROVIDER")
    assert Provider(registry.url, add).name == "unknown"


def test_without_a_tool_there_is_nothing_to_start(registry):
    with pytest.raises(ValueError, match="no tool to provide"):
        Provider(registry.url).start()


def test_without_an_address_there_is_no_registry(monkeypatch):
    monkeypatch.delenv("TOOLROSTER_URL", raising=False)
    with pytest.raises(DocumentInvalid, match="TOOLROSTER_URL"):
        Provider(None, add)


def test_with_a_clients_secret_tokens_are_checked_by_the_registry(registry):
    @agent_tool(scopes=["vault:open"])
    def open_vault() -> str:
        return "open"

    access = Access("tools", "secret")
    guarded = Provider(registry.url, open_vault, url="http://localhost:1", access=access).app()

    assert guarded._checker is not None
    with pytest.raises(ValueError, match="needs a scope"):
        Provider(registry.url, open_vault).app()
