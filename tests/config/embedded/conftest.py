"""Homes with real servers, each stopped and removed after its test."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from config.embedded import addresses, postgres, servers
from config.embedded.identity import PLAIN

MakeHome = Callable[..., Path]


def _base() -> str:
    # Not tmp_path: its parents are closed to other users, and some tests run as one. Memory, where there is
    # room, halves the time of the suite: a data folder is a thousand files that are synced to disk.
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2_000_000_000 else "/tmp"


def _copy(home: Path, to: Path) -> None:
    subprocess.run(["cp", "-a", home, to], check=True)  # much faster than shutil.copytree


@pytest.fixture(scope="session")
def seed() -> Iterator[Path]:
    """Keep a home that was started once and stopped: a copy of it starts without initdb."""
    folder = Path(tempfile.mkdtemp(prefix="tr-seed-", dir=_base()))
    home = folder / "home"
    servers.start(home)
    servers.stop(home)
    yield home
    shutil.rmtree(folder)


@pytest.fixture
def make_home(seed: Path) -> Iterator[MakeHome]:
    """Return a maker of homes; `fresh` ones have no data yet, the others are copies of the seed."""
    folder = Path(tempfile.mkdtemp(prefix="tr-", dir=_base()))
    folder.chmod(0o755)
    made: list[Path] = []

    def make(name: str = "home", *, fresh: bool = False) -> Path:
        home = folder / name
        if not fresh:
            home.parent.mkdir(parents=True, exist_ok=True)
            _copy(seed, home)
        made.append(home)
        return home

    yield make
    for home in made:
        servers.stop(home)
    shutil.rmtree(folder)


@pytest.fixture
def home(make_home: MakeHome) -> Path:
    return make_home()


@pytest.fixture
def fresh_home(make_home: MakeHome) -> Path:
    return make_home(fresh=True)


@pytest.fixture
def query() -> Callable[[Path, str], str]:
    """Return a way to run one statement on a home's database and get the first value, as text."""

    def run(home: Path, statement: str) -> str:
        with psycopg.connect(addresses.database_url(home), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return str(cursor.fetchone()[0]) if cursor.description else ""  # type: ignore[index]  # fails the test

    return run


@pytest.fixture
def valkey_client() -> Iterator[Callable[[Path], "redis.Redis"]]:
    clients: list[redis.Redis] = []

    def connect(home: Path) -> redis.Redis:
        clients.append(redis.Redis.from_url(addresses.redis_url(home), decode_responses=True))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], bool]], None]:
    def wait(condition: Callable[[], bool], seconds: float = 15.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition did not come true in time"
            time.sleep(0.01)

    return wait


@pytest.fixture
def postmaster() -> Callable[[Path], int]:
    """Return the process id of a home's running PostgreSQL."""

    def read(home: Path) -> int:
        pid_file = postgres.server(home, PLAIN).pid_file
        return int(pid_file.read_text().splitlines()[0])

    return read


@pytest.fixture(scope="module")
def running_home(seed: Path) -> Iterator[Path]:
    """Keep one running home for the tests of a module that only look at it."""
    folder = Path(tempfile.mkdtemp(prefix="tr-", dir=_base()))
    folder.chmod(0o755)
    home = folder / "home"
    _copy(seed, home)
    servers.start(home)
    yield home
    servers.stop(home)
    shutil.rmtree(folder)


@pytest.fixture
def connection_to() -> Iterator[Callable[..., "psycopg.Connection[tuple[object, ...]]"]]:
    opened: list[psycopg.Connection[tuple[object, ...]]] = []

    def connect(home: Path, database: str = addresses.DATABASE) -> psycopg.Connection[tuple[object, ...]]:
        opened.append(psycopg.connect(addresses.database_url(home, database=database), autocommit=True))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()
