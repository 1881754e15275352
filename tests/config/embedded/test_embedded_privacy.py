"""Nobody else on the machine gets in, and root and ordinary users can both start the servers."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.embedded import addresses, binaries, identity, liveness, postgres, servers
from config.embedded.errors import EmbeddedUnavailable
from config.embedded.identity import NAMESPACE, NOBODY, SETUID, Identity

UNLISTED = 54321  # no entry in /etc/passwd, as in a container that is run with --user

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def _as_user(uid: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(Path(__file__).with_name("as_user.py")), str(uid), *arguments]
    # Without coverage, whose file this user may not write.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    environment = {**ours, "PYTHONPATH": str(addresses.CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env=environment, cwd="/"
    )


def _nobody_may_execute_postgres() -> bool:
    command = ["test", "-x", str(binaries.postgres("postgres"))]
    return (
        os.geteuid() == 0
        and not subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], check=False).returncode
    )


needs_open_checkout = pytest.mark.skipif(
    not _nobody_may_execute_postgres(), reason="needs root, and a Python environment that others may read"
)


@needs_root
@pytest.mark.parametrize("url_of", [addresses.database_url, addresses.redis_url])
def test_another_user_is_stopped_at_the_folder_even_with_the_password(
    running_home: Path, url_of: Callable[[Path], str]
) -> None:
    done = _as_user(NOBODY, "connect", url_of(running_home))

    assert done.returncode == 1
    assert "Permission denied" in done.stderr


def test_postgres_asks_its_own_user_for_the_password(running_home: Path) -> None:
    url = addresses.database_url(running_home).replace(addresses.password(running_home, "postgres"), "wrong")

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url)


def test_valkey_asks_its_own_user_for_the_password(running_home: Path) -> None:
    with (
        redis.Redis(
            unix_socket_path=str(addresses.valkey_socket(running_home)), retry=Retry(NoBackoff(), 0)
        ) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


@pytest.mark.parametrize("path_of", [addresses.postgres_socket, addresses.valkey_socket])
def test_sockets_and_their_folders_are_closed_to_others(
    running_home: Path, path_of: Callable[[Path], Path]
) -> None:
    path = path_of(running_home)

    assert [found.stat().st_mode & 0o077 for found in (path, path.parent)] == [0, 0]


def test_what_is_kept_is_closed_to_others(running_home: Path) -> None:
    kept = [addresses.server_folder(running_home, name) for name in ("postgres", "valkey")]

    open_to_others = [
        found
        for folder in kept
        for found in [folder, *folder.glob("*")]
        if found.stat().st_mode & 0o077 and found.name != "appendonlydir"
    ]

    assert open_to_others == []


def _others_may_make_namespaces() -> bool:
    command = [*NAMESPACE.prefix, "true"]
    return (
        os.geteuid() == 0
        and not subprocess.run(
            command, user=UNLISTED, group=UNLISTED, extra_groups=[], check=False
        ).returncode
    )


@needs_open_checkout
@pytest.mark.parametrize("uid", [NOBODY, UNLISTED])
def test_an_ordinary_user_starts_and_stops_servers(make_home: Callable[..., Path], uid: int) -> None:
    if uid == UNLISTED and not _others_may_make_namespaces():
        pytest.skip("ordinary users may not make user namespaces here")
    place = make_home().parent / "ordinary"
    place.mkdir()
    os.chown(place, uid, uid)
    arguments = ["--home", str(place / "home")]

    started = _as_user(uid, "embedded", *arguments, "start")
    stopped = _as_user(uid, "embedded", *arguments, "stop")

    assert (started.returncode, started.stderr) == (0, "")
    assert (stopped.returncode, stopped.stderr) == (0, "")
    assert (place / "home" / "postgres" / "data").stat().st_uid == uid


@needs_open_checkout
@pytest.mark.parametrize(("first", "second"), [(NAMESPACE, SETUID), (SETUID, NAMESPACE)])
def test_roots_data_is_usable_with_and_without_user_namespaces(
    fresh_home: Path, query: Callable[[Path, str], str], first: Identity, second: Identity
) -> None:
    if not identity._namespaces_permitted():
        pytest.skip("user namespaces are not permitted here")
    postgres.start(fresh_home, run_as=first)
    query(fresh_home, "CREATE TABLE kept AS SELECT 42 AS answer")
    postgres.stop(fresh_home)

    postgres.start(fresh_home, run_as=second)

    assert query(fresh_home, "SELECT answer FROM kept") == "42"


@needs_open_checkout
def test_without_namespaces_only_root_and_the_server_reach_the_data(home: Path) -> None:
    postgres.start(home, run_as=SETUID)

    folder = addresses.server_folder(home, "postgres")
    assert (folder / "data").stat().st_mode & 0o777 == 0o700
    assert (folder / "password").stat().st_mode & 0o777 == 0o600
    assert addresses.socket_folder(home, "postgres").stat().st_mode & 0o777 == 0o700


@needs_open_checkout
def test_without_namespaces_a_home_that_nobody_can_enter_is_explained(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    with pytest.raises(EmbeddedUnavailable, match="must be able to enter that folder"):
        postgres.start(tmp_path / "closed" / "home", run_as=SETUID)


def test_status_names_no_password(running_home: Path) -> None:
    shown = [one.address for one in servers.status(running_home)]

    assert all("***" in address for address in shown)
    assert liveness.running(running_home)
