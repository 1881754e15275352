"""The command line against the real platform."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack import CHECKOUT, Stack

DOCUMENT = {
    "provider": "default",
    "name": "measure_rope",
    "description": "Say how long a rope is. Use it before climbing; not for cables.",
    "returns": "The length in metres.",
    "parameters": [{"name": "rope", "type": "string", "description": "Which rope.", "required": True}],
    "examples": ["How long is the blue rope?", "Wie lang ist das Seil?", "绳子有多长"],
    "capabilities": {"categories": ["climbing"], "tags": ["rope"], "read_only": True},
}


@pytest.fixture
def run(stack: Stack, tmp_path: Path) -> "Run":
    return Run(stack, tmp_path)


class Run:
    """Runs `toolroster` in a process of its own, with a home of its own."""

    def __init__(self, stack: Stack, home: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO", "TOOLROSTER"))}
        own = {"TOOLROSTER_CACHE": str(home / "cache"), "TOOLROSTER_CONFIG": str(home / "config")}
        self.environment = kept | own | {"TOOLROSTER_URL": stack.url, "PYTHONPATH": str(CHECKOUT)}

    def __call__(self, *words: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "toolroster.cli", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr


def test_it_finds_and_calls(run: Run) -> None:
    assert "mail-team:send_email:1.2.0" in run("search", "我需要一个能发邮件的工具", "--top", "3")
    assert "default:calculator:1.0.0" in run("list", "--category", "math")
    assert run("resolve", "send_email@~1.0").strip() == "mail-team:send_email:1.0.0"
    assert "Math expression to evaluate" in run("show", "calculator")
    assert "providers" in run("stats")
    assert "- calculator(expression): Perform" in run(
        "describe", "--format", "seed_000", "--category", "math"
    )


def test_it_calls_with_a_token_and_is_told_what_it_lacks(run: Run, stack: Stack) -> None:
    token = stack.bearer("safecracker")["Authorization"].removeprefix("Bearer ")

    assert run("--token", token, "call", "calculator", "expression=17 * 23").strip() == "391.0"
    assert "error" in run("call", "calculator", "expression=1", code=4)
    assert "did you mean" in run("--token", token, "call", "calculator", "expresion=1", code=1)
    assert "did you mean" in run("resolve", "calculater", code=3)


def test_it_lints_and_registers(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tool.json"
    path.write_text(json.dumps(DOCUMENT))

    run("lint", str(path))
    first, second = run("register", str(path)), run("register", str(path))
    path.write_text(json.dumps(DOCUMENT | {"parameters": []}))
    refused = run("register", str(path), code=1)

    assert "created" in first
    assert "unchanged" in second
    assert "refused" in refused
    assert "another contract" in refused


def test_login_is_tried_and_then_remembered(run: Run, stack: Stack) -> None:
    client = next(client for client in stack.note()["clients"] if client["name"] == "safecracker")
    login = ["login", "--url", stack.url, "--client-id", client["client_id"], "--client-secret"]

    assert "noted in" in run(*login, client["client_secret"])
    names = {row["name"] for row in json.loads(run("--json", "list"))}
    assert "calculator" in names
    assert "database_query" not in names
    assert "error" in run(*login, "wrong", code=4)
