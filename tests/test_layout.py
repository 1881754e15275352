"""What the style guide says of the tree as a whole."""

import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
MOST_LINES = 400


def tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [CHECKOUT / name for name in listed.stdout.split("\0") if name and (CHECKOUT / name).exists()]


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    modules = [path for path in tracked("*.py") if "migrations" not in path.parts]

    long = {str(path): n for path in modules if (n := len(path.read_text().splitlines())) > MOST_LINES}

    assert modules
    assert long == {}


def test_no_file_names_a_package_index() -> None:
    words = ("--index" + "-url", "--extra-index" + "-url", "find" + "-links")
    # What tells tools to leave the address out is no address.
    allowed = {"Makefile": {"--no-emit-index" + "-url"}}

    naming = {
        str(path)
        for path in tracked("*")
        if path.suffix in {".py", ".toml", ".lock", ".txt", ".yaml", ".yml", ".md", ".cfg", ""}
        and any(word in _without(path, allowed.get(path.name, set())) for word in words)
    }

    assert naming - {str(CHECKOUT / "tests/test_layout.py")} == set()


def _without(path: Path, words: set[str]) -> str:
    text = path.read_text(errors="replace")
    for word in words:
        text = text.replace(word, "")
    return text
