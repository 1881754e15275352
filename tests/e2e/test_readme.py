"""The README's ten lines, run as a reader would paste them."""

import re
import subprocess

from tests.stack import CHECKOUT, Stack


def python_block(name: str) -> str:
    """Return a program of the README by the file name in its first line."""
    text = (CHECKOUT / "README.md").read_text()
    block = re.search(rf"```python\n(# {name}\n.*?)```", text, re.DOTALL)
    assert block is not None
    return block[1]


def shell_block(stack: Stack) -> str:
    text = (CHECKOUT / "README.md").read_text()
    block = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
    assert block is not None
    return block[1].replace("http://localhost:8006", f"http://127.0.0.1:{stack.port}")


def test_the_ten_lines_work(stack: Stack) -> None:
    script = shell_block(stack).replace(
        "curl ", "curl --fail-with-body --silent --show-error --write-out '\\n' "
    )

    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    answers = ran.stdout.strip().splitlines()

    assert ran.returncode == 0, ran.stderr + ran.stdout
    assert len(answers) == 5
    assert '"tool_id":"default:new_tool:1.0.0"' in answers[0]
    assert '"name":"calculator"' in answers[1]
    assert '"tool_id":"mail-team:send_email:1.2.0"' in answers[2]
    assert '"name":"send_email"' in answers[3]
    assert '"tool_id":"mail-team:send_email:1.2.0"' in answers[4]


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    readme = (CHECKOUT / "README.md").read_text()
    makefile = (CHECKOUT / "Makefile").read_text()

    targets = re.findall(r"^make (\w+)", readme, re.MULTILINE)

    assert targets == ["run", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
