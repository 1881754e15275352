"""`python -m config.embedded`, as a shell or a supervisor uses it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded import __main__ as command
from config.embedded import addresses, lifecycle, liveness, postgres, valkey
from config.embedded.identity import PLAIN


@pytest.fixture
def run() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Start `run` for a home as a supervisor does, and end what is left of it."""
    processes: list[subprocess.Popen[str]] = []

    def start(home: Path) -> subprocess.Popen[str]:
        arguments = [sys.executable, "-m", "config.embedded", "--home", str(home), "run"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)
        processes.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_start_status_stop(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = [command.main(["--home", str(home), name]) for name in ("start", "status", "stop", "status")]

    assert codes == [0, 0, 0, 3]
    assert "postgres  running (process " in capsys.readouterr().out


def test_a_failure_is_one_message_and_exit_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")

    assert command.main(["--home", str(tmp_path / "file" / "home"), "start"]) == 1
    assert capsys.readouterr().err.startswith("Cannot start the embedded PostgreSQL in ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_whole_group_stops_both_servers_in_order(
    home: Path, run: Callable[[Path], subprocess.Popen[str]], number: signal.Signals
) -> None:
    process = run(home)

    os.killpg(process.pid, number)

    assert process.wait(timeout=30) == 0
    assert liveness.postgres_running(home) is False
    assert liveness.valkey_running(home) is False
    log = (addresses.server_folder(home, "postgres") / "server.log").read_text()
    assert log.rstrip().endswith("database system is shut down")


def test_a_killed_run_leaves_servers_that_the_next_one_finds(
    home: Path, run: Callable[[Path], subprocess.Popen[str]], postmaster: Callable[[Path], int]
) -> None:
    killed = run(home)
    survivor = postmaster(home)
    killed.kill()
    killed.wait()

    run(home)

    assert postmaster(home) == survivor


def test_servers_stay_until_the_last_run_ends(
    home: Path, run: Callable[[Path], subprocess.Popen[str]]
) -> None:
    first, second = run(home), run(home)

    first.terminate()
    first.wait(timeout=30)
    was_running = liveness.running(home)
    second.terminate()
    second.wait(timeout=30)

    assert (was_running, liveness.running(home)) == (True, False)


def test_run_starts_a_server_again_that_died(
    home: Path, run: Callable[[Path], subprocess.Popen[str]], wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    run(home)
    pid = lifecycle.live_pid(valkey.server(home))
    assert pid is not None

    os.kill(pid, signal.SIGKILL)

    wait_until(lambda: lifecycle.live_pid(valkey.server(home)) not in (None, pid))
    wait_until(lambda: liveness.running(home))


def test_run_reports_what_it_cannot_start_and_leaves_nothing(
    home: Path, run: Callable[[Path], subprocess.Popen[str]]
) -> None:
    (addresses.server_folder(home, "valkey") / "appendonlydir").mkdir(exist_ok=True)
    (addresses.server_folder(home, "valkey") / "appendonlydir" / "appendonly.aof.manifest").write_text(
        "broken"
    )

    process = run(home)

    assert process.wait(timeout=30) == 1
    assert liveness.postgres_running(home) is False
    assert postgres.server(home, PLAIN).pid_file.exists() is False
