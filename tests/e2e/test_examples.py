"""Every example of docs/library.md and every program in examples/, run against the real platform."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.e2e.test_library import Program
from tests.stack import CHECKOUT, Stack, eventually, free_port

BLOCKS = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs/library.md").read_text(), re.DOTALL)
PROGRAMS = {
    "plain": (["{python}", "examples/plain.py"], "add", {"a": 1, "b": 2}, 3),
    "fastapi_app": (
        ["{python}", "-m", "uvicorn", "examples.fastapi_app:app", "--port", "{port}"],
        "forecast",
        {"city": "Berlin"},
        ["Berlin: dry"],
    ),
    "flask_app": (
        ["{python}", "-m", "flask", "--app", "examples.flask_app", "run", "--port", "{port}"],
        "count_words",
        {"text": "one two"},
        2,
    ),
    "django_app": (
        ["{python}", "examples/django_app.py", "runserver", "{port}", "--noreload"],
        "convert",
        {"amount": 20, "rate": 1.1},
        22.0,
    ),
}


def test_the_documentation_works_from_top_to_bottom(stack: Stack, tmp_path: Path) -> None:
    program = Program(tmp_path, "\n".join(BLOCKS), stack)
    program.environment["TOOLROSTER_URL"] = stack.url

    said = program.run()

    assert "send_email" in said
    assert len(BLOCKS) >= 6


def test_commands_of_the_documentation_exist() -> None:
    text = (CHECKOUT / "docs/library.md").read_text()
    named = set(re.findall(r"^toolroster (\w+)", text, re.MULTILINE)) | {"completion"}

    helped = subprocess.run(
        [sys.executable, "-m", "toolroster.cli", "--help"], capture_output=True, text=True, check=True
    ).stdout

    assert {name for name in named if not re.search(rf"^  {name} ", helped, re.MULTILINE)} == set()


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_an_example_provides_its_tool(stack: Stack, tmp_path: Path, name: str) -> None:
    command, tool, arguments, result = PROGRAMS[name]
    port = str(free_port())
    folder = tmp_path / "examples"
    folder.mkdir()
    code = (CHECKOUT / f"examples/{name}.py").read_text()
    (folder / f"{name}.py").write_text(code.replace("http://localhost:8006", stack.url).replace("9000", port))
    words = [word.format(python=sys.executable, port=port) for word in command]
    environment = Program(tmp_path, "", stack).environment | {"PYTHONPATH": f"{tmp_path}:{CHECKOUT}"}

    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            eventually(lambda: tool in stack.tools())
            url = stack.client.get(f"/api/tools/resolve?ref={tool}").json()["endpoint"]["url"]
            answer = stack.client.post(url, json=arguments)
        finally:
            process.terminate()
            process.wait(20)

    assert answer.json() == {"result": result}, textwrap.shorten((tmp_path / "log").read_text(), 2000)
    eventually(lambda: tool not in stack.tools(), seconds=5)
