import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import redis

from config.embedded import addresses, liveness, postgres, servers, valkey


def test_a_first_start_makes_servers_that_answer(
    fresh_home: Path, query: Callable[[Path, str], str], valkey_client: Callable[[Path], redis.Redis]
) -> None:
    servers.start(fresh_home)

    assert query(fresh_home, "SELECT current_database()") == "toolroster"
    assert valkey_client(fresh_home).ping() is True


def test_starting_twice_keeps_the_same_server(home: Path, postmaster: Callable[[Path], int]) -> None:
    servers.start(home)
    first = postmaster(home)

    servers.start(home)

    assert postmaster(home) == first


def test_stopping_leaves_no_process_and_no_socket(home: Path) -> None:
    servers.start(home)
    sockets = [addresses.postgres_socket(home), addresses.valkey_socket(home)]

    servers.stop(home)

    assert [found for path in sockets for found in (path, path.parent) if found.exists()] == []
    assert [one.pid for one in servers.status(home)] == [None, None]


def test_stopping_what_does_not_run_is_no_error(home: Path) -> None:
    servers.stop(home)

    assert liveness.running(home) is False


def test_stopping_cuts_off_open_connections(
    home: Path, connection_to: Callable[..., psycopg.Connection[tuple[object, ...]]]
) -> None:
    postgres.start(home)
    connection = connection_to(home)
    connection.execute("BEGIN")

    postgres.stop(home)

    assert liveness.postgres_running(home) is False


def test_data_survives_a_restart(
    home: Path, query: Callable[[Path, str], str], valkey_client: Callable[[Path], redis.Redis]
) -> None:
    servers.start(home)
    query(home, "CREATE TABLE kept AS SELECT 42 AS answer")
    valkey_client(home).rpush("celery", "task")

    servers.stop(home)
    servers.start(home)

    assert query(home, "SELECT answer FROM kept") == "42"
    assert valkey_client(home).lrange("celery", 0, -1) == ["task"]


def test_two_homes_run_at_the_same_time(
    make_home: Callable[..., Path], query: Callable[[Path, str], str]
) -> None:
    first, second = make_home("first"), make_home("second")
    servers.start(first)
    servers.start(second)

    query(first, "CREATE TABLE only_here (id int)")

    assert query(second, "SELECT to_regclass('only_here') IS NULL") == "True"


@pytest.mark.parametrize("name", ["/".join(["deep" * 10] * 8), "a 'b' \"c\" $HOME ü,%20"])
def test_a_home_may_lie_deep_and_have_an_odd_name(
    make_home: Callable[..., Path],
    query: Callable[[Path, str], str],
    valkey_client: Callable[[Path], redis.Redis],
    name: str,
) -> None:
    home = make_home(name, fresh=True)

    servers.start(home)

    assert query(home, "SELECT 1") == "1"
    assert valkey_client(home).ping() is True


def test_a_home_that_was_copied_while_it_ran_starts_beside_the_original(
    make_home: Callable[..., Path], query: Callable[[Path, str], str]
) -> None:
    original = make_home("original")
    servers.start(original)
    copy = make_home("unused").parent / "copy"

    shutil.copytree(original, copy)
    postgres.start(copy)
    answer = query(copy, "SELECT 1")
    postgres.stop(copy)

    assert answer == "1"
    assert liveness.running(original) is True


def test_four_first_starts_at_once_make_one_server(fresh_home: Path) -> None:
    command = [sys.executable, "-m", "config.embedded", "--home", str(fresh_home), "start"]
    starters = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(4)]

    codes = [starter.wait(timeout=60) for starter in starters]

    log = (addresses.server_folder(fresh_home, "postgres") / "server.log").read_text()
    assert codes == [0, 0, 0, 0]
    assert log.count("starting PostgreSQL") == 1


def test_a_dropped_database_is_made_again(
    home: Path,
    query: Callable[[Path, str], str],
    connection_to: Callable[..., psycopg.Connection[tuple[object, ...]]],
) -> None:
    postgres.start(home)
    with connection_to(home, "postgres") as connection:
        connection.execute("DROP DATABASE toolroster")

    postgres.start(home)

    assert query(home, "SELECT 1") == "1"


def test_settings_in_postgresql_conf_can_be_tuned(home: Path, query: Callable[[Path, str], str]) -> None:
    with (addresses.server_folder(home, "postgres") / "data" / "postgresql.conf").open("a") as config:
        config.write("work_mem = '33MB'\n")

    postgres.start(home)

    assert query(home, "SHOW work_mem") == "33MB"


def test_the_shells_libpq_variables_do_not_matter(
    home: Path, query: Callable[[Path, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "6543")
    monkeypatch.setenv("PGDATA", "/nowhere")

    postgres.start(home)

    assert query(home, "SELECT 1") == "1"


def test_arguments_that_everyone_can_see_hold_no_password(home: Path) -> None:
    servers.start(home)
    secrets = [addresses.password(home, name) for name in ("postgres", "valkey")]

    listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout

    assert [secret for secret in secrets if secret in listed] == []


def test_valkey_alone_can_be_used(home: Path, valkey_client: Callable[[Path], redis.Redis]) -> None:
    valkey.start(home)

    assert valkey_client(home).ping() is True
    assert liveness.postgres_running(home) is False
