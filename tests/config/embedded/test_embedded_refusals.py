"""Each thing that can be in the way is named, with what to do about it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from config.embedded import addresses, binaries, folders, liveness, postgres, servers, valkey
from config.embedded.errors import EmbeddedUnavailable

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user or mount")


def _may_mount() -> bool:
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


def _start_on_tmpfs(options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Start on a file system of its own, which ends with the process."""
    script = f'mount -t tmpfs -o {options} none "$1" && exec "$2" -m config.embedded --home "$1/home" start'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", str(folder), sys.executable]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_the_error_is_a_problem_that_can_be_retried() -> None:
    problem = EmbeddedUnavailable("why").problem()

    assert (problem["code"], problem["status"], problem["retryable"]) == ("embedded_unavailable", 503, True)


@pytest.mark.parametrize(
    "start", [postgres.start, valkey.start, folders.prepare], ids=["postgres", "valkey", "prepare"]
)
def test_a_home_below_a_file(tmp_path: Path, start: Callable[[Path], None]) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(EmbeddedUnavailable, match="A part of the path is a file"):
        start(tmp_path / "file" / "home")


def test_a_home_where_nothing_can_be_created() -> None:
    with pytest.raises(EmbeddedUnavailable, match="Set TOOLROSTER_HOME to a folder that can be created"):
        servers.start(Path("/proc/toolroster"))


@needs_root
@pytest.mark.skipif(not _may_mount(), reason="mounting is not permitted here")
@pytest.mark.parametrize(
    ("options", "message"),
    [("size=1m", "The disk is full: free some space"), ("size=1m,ro", "The file system is read-only")],
)
def test_a_disk_that_takes_no_more(tmp_path: Path, options: str, message: str) -> None:
    done = _start_on_tmpfs(options, tmp_path)

    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@needs_root
def test_a_home_of_another_user(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)

    with pytest.raises(EmbeddedUnavailable, match="belongs to uid 12345"):
        servers.start(tmp_path)


def test_a_home_that_others_may_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)

    with pytest.raises(EmbeddedUnavailable, match="chmod go-w"):
        servers.start(tmp_path)


@pytest.mark.parametrize("start", [postgres.start, valkey.start], ids=["postgres", "valkey"])
def test_a_link_in_the_place_of_the_socket_folder(
    home: Path, tmp_path: Path, start: Callable[[Path], None]
) -> None:
    places = [addresses.socket_folder(home, name) for name in ("postgres", "valkey")]
    for place in places:
        place.symlink_to(tmp_path)
    try:
        with pytest.raises(EmbeddedUnavailable, match="is in the way and is not ours"):
            start(home)
    finally:
        for place in places:
            place.unlink()
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_socket_folder_that_another_user_made_first(home: Path) -> None:
    place = addresses.socket_folder(home, "postgres")
    place.mkdir()
    os.chown(place, 12345, 12345)
    try:
        with pytest.raises(EmbeddedUnavailable, match="is in the way and is not ours"):
            postgres.start(home)
    finally:
        place.rmdir()


def test_a_socket_folder_that_we_left_behind_is_made_anew(home: Path) -> None:
    place = addresses.socket_folder(home, "postgres")
    place.mkdir(mode=0o777)
    (place / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")

    postgres.start(home)

    assert liveness.postgres_running(home) is True
    assert place.stat().st_mode & 0o777 == 0o700


def test_data_of_another_major_version(home: Path) -> None:
    (addresses.server_folder(home, "postgres") / "data" / "PG_VERSION").write_text("16\n")

    with pytest.raises(EmbeddedUnavailable, match="holds a database of PostgreSQL 16"):
        postgres.start(home)


def test_a_data_folder_that_is_none(fresh_home: Path) -> None:
    (fresh_home / "postgres" / "data").mkdir(parents=True)
    shutil.copy(__file__, fresh_home / "postgres" / "password")
    for folder in (fresh_home, fresh_home / "postgres"):
        folder.chmod(0o700)

    with pytest.raises(EmbeddedUnavailable, match="is no data folder of PostgreSQL"):
        postgres.start(fresh_home)


def test_a_lost_password(home: Path) -> None:
    (addresses.server_folder(home, "postgres") / "password").unlink()

    with pytest.raises(EmbeddedUnavailable, match="is missing or empty"):
        postgres.start(home)


def test_a_replaced_password(home: Path) -> None:
    (addresses.server_folder(home, "postgres") / "password").write_text("wrong\n")

    with pytest.raises(EmbeddedUnavailable, match="does not let us in"):
        postgres.start(home)


def test_a_setting_that_postgres_refuses_is_quoted_from_its_log(home: Path) -> None:
    with (addresses.server_folder(home, "postgres") / "data" / "postgresql.conf").open("a") as config:
        config.write("shared_buffers = 'plenty'\n")

    with pytest.raises(EmbeddedUnavailable, match="plenty"):
        postgres.start(home)


@pytest.mark.parametrize(
    ("find", "variable"),
    [(lambda: binaries.postgres("postgres"), "DATABASE_URL"), (binaries.valkey, "REDIS_URL")],
)
def test_a_missing_wheel(monkeypatch: pytest.MonkeyPatch, find: Callable[[], Path], variable: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(EmbeddedUnavailable, match=f"is not installed.*set {variable} to"):
        find()


def test_a_wheel_without_the_program() -> None:
    with pytest.raises(EmbeddedUnavailable, match="has no program for this platform"):
        binaries.postgres("no-such-program")
