"""What a kill -9, at whatever moment, leaves behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from config.embedded import addresses, lifecycle, liveness, lock, postgres, process, servers, valkey
from config.embedded.errors import EmbeddedUnavailable


def _processes_in(folder: Path) -> list[int]:
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and process.works_in(int(entry.name), folder)
    ]


def _kill(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.fixture
def kill_all(wait_until: Callable[[Callable[[], bool]], None]) -> Iterator[Callable[[Path, str], None]]:
    """Return a way to kill every process of one server of a home."""
    killed: list[Path] = []

    def kill(home: Path, name: str) -> None:
        folder = addresses.server_folder(home, name)
        _kill(_processes_in(folder / "data" if name == "postgres" else folder))
        wait_until(lambda: lock.is_free(folder / "server.lock"))
        killed.append(home)

    yield kill
    for home in killed:
        postgres.start(home)  # only a start removes the shared memory of a killed one


@pytest.fixture
def foreigner() -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that has nothing to do with us."""
    stranger = subprocess.Popen(["sleep", "600"])
    yield stranger
    stranger.kill()
    stranger.wait()


def test_postgres_comes_back_with_its_data_after_all_of_it_was_killed(
    home: Path, query: Callable[[Path, str], str], kill_all: Callable[[Path, str], None]
) -> None:
    postgres.start(home)
    query(home, "CREATE TABLE kept AS SELECT 42 AS answer")
    kill_all(home, "postgres")

    postgres.start(home)

    assert query(home, "SELECT answer FROM kept") == "42"


def test_postgres_comes_back_while_orphans_of_the_killed_one_still_end(
    home: Path, query: Callable[[Path, str], str], postmaster: Callable[[Path], int]
) -> None:
    postgres.start(home)
    os.kill(postmaster(home), signal.SIGKILL)

    postgres.start(home)

    assert query(home, "SELECT 1") == "1"


def test_valkey_comes_back_with_its_queue_after_it_was_killed(
    home: Path,
    valkey_client: Callable[[Path], redis.Redis],
    kill_all: Callable[[Path, str], None],
    wait_until: Callable[[Callable[[], bool]], None],
) -> None:
    valkey.start(home)
    client = valkey_client(home)
    client.rpush("celery", "task")
    wait_until(lambda: client.info("persistence")["aof_pending_bio_fsync"] == 0)
    kill_all(home, "valkey")

    valkey.start(home)

    assert valkey_client(home).lrange("celery", 0, -1) == ["task"]


@pytest.mark.parametrize(("name", "file"), [("postgres", "data/postmaster.pid"), ("valkey", "server.pid")])
def test_a_process_id_that_was_given_to_another_process_does_not_matter(
    home: Path,
    kill_all: Callable[[Path, str], None],
    foreigner: subprocess.Popen[bytes],
    name: str,
    file: str,
) -> None:
    servers.start(home)
    kill_all(home, name)
    pid_file = addresses.server_folder(home, name) / file
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(foreigner.pid), *lines[1:]]) + "\n")

    servers.start(home)

    assert liveness.running(home) is True
    assert foreigner.poll() is None


@pytest.mark.parametrize(("name", "file"), [("postgres", "data/postmaster.pid"), ("valkey", "server.pid")])
def test_stopping_never_signals_a_process_that_only_has_the_servers_id(
    home: Path,
    kill_all: Callable[[Path, str], None],
    foreigner: subprocess.Popen[bytes],
    name: str,
    file: str,
) -> None:
    servers.start(home)
    kill_all(home, name)
    (addresses.server_folder(home, name) / file).write_text(f"{foreigner.pid}\n")

    servers.stop(home)

    assert foreigner.poll() is None


def test_killed_in_the_middle_of_the_first_initdb(
    fresh_home: Path, query: Callable[[Path, str], str], wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    command = [sys.executable, "-m", "config.embedded", "--home", str(fresh_home), "start"]
    starter = subprocess.Popen(command, start_new_session=True)
    folder = addresses.server_folder(fresh_home, "postgres")
    wait_until(lambda: any(folder.glob("draft-*/data/PG_VERSION")))
    os.killpg(starter.pid, signal.SIGKILL)
    starter.wait()
    assert not (folder / "data").exists()

    postgres.start(fresh_home)

    assert query(fresh_home, "SELECT 1") == "1"
    assert list(folder.glob("draft-*")) == []


def test_a_starter_that_is_killed_leaves_a_server_that_the_next_one_finds(
    home: Path,
    query: Callable[[Path, str], str],
    wait_until: Callable[[Callable[[], bool]], None],
    postmaster: Callable[[Path], int],
) -> None:
    command = [sys.executable, "-m", "config.embedded", "--home", str(home), "start"]
    starter = subprocess.Popen(command, start_new_session=True)
    log = addresses.server_folder(home, "postgres") / "server.log"
    lines = log.read_text().count("starting PostgreSQL")
    wait_until(lambda: log.read_text().count("starting PostgreSQL") > lines)
    os.killpg(starter.pid, signal.SIGKILL)
    starter.wait()
    survivor = postmaster(home)

    postgres.start(home)

    assert postmaster(home) == survivor
    assert query(home, "SELECT 1") == "1"


def test_a_lost_socket_is_reported_and_stop_still_works(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "_DOWN_SECONDS", 0.2)
    postgres.start(home)
    addresses.postgres_socket(home).unlink()

    with pytest.raises(EmbeddedUnavailable, match="runs but does not answer"):
        postgres.start(home)

    postgres.stop(home)
    postgres.start(home)
    assert liveness.postgres_running(home) is True
