"""A kept command is started again; one kept `--once` is not."""

import os
import signal
import subprocess
import sys

import pytest

from config.env import CHECKOUT
from tests.stack import eventually


@pytest.fixture
def keep(tmp_path):
    started = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        counting = f"import pathlib; p = pathlib.Path({str(tmp_path / 'runs')!r}); p.open('a').write('x')"
        process = subprocess.Popen(
            [sys.executable, "-m", "config.keep", *arguments, sys.executable, "-c", counting],
            cwd=CHECKOUT,
            start_new_session=True,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def runs(tmp_path) -> int:
    path = tmp_path / "runs"
    return len(path.read_text()) if path.exists() else 0


def test_a_command_that_ends_is_started_again_until_a_signal_comes(keep, tmp_path):
    process = keep()

    eventually(lambda: runs(tmp_path) >= 2)
    os.killpg(process.pid, signal.SIGTERM)

    assert process.wait(10) == 0


def test_once_it_stays_behind_the_ended_command(keep, tmp_path):
    process = keep("--once")

    line = process.stderr.readline().decode()

    assert line.startswith("it has ended (0). Start it again with: ")
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(10) == 0
    assert runs(tmp_path) == 1
