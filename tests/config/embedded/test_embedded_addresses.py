from collections.abc import Callable
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from config.embedded import addresses, folders, liveness

SOCKET_PATH_LIMIT = 104  # macOS; Linux has 108, with the closing NUL


def test_the_default_home_lies_in_the_checkout() -> None:
    assert addresses.default_home({}) == addresses.CHECKOUT / ".toolroster"


def test_a_relative_home_counts_from_the_checkout() -> None:
    assert addresses.default_home({"TOOLROSTER_HOME": "var"}) == addresses.CHECKOUT / "var"


def test_an_absolute_home_is_taken_as_it_is() -> None:
    assert addresses.default_home({"TOOLROSTER_HOME": "/srv/x"}) == Path("/srv/x")


def test_addresses_of_a_home_that_does_not_exist_carry_no_password(tmp_path: Path) -> None:
    assert "toolroster:@" in addresses.database_url(tmp_path / "none")


def test_asking_for_an_address_makes_nothing(tmp_path: Path) -> None:
    addresses.database_url(tmp_path / "none")
    addresses.redis_url(tmp_path / "none")

    assert list(tmp_path.iterdir()) == []


def test_libpq_reads_the_database_url(tmp_path: Path) -> None:
    folders.prepare(tmp_path / "home")

    read = conninfo_to_dict(addresses.database_url(tmp_path / "home"))

    assert read == {
        "user": "toolroster",
        "password": addresses.password(tmp_path / "home", "postgres"),
        "dbname": "toolroster",
        "host": str(addresses.socket_folder(tmp_path / "home", "postgres")),
        "port": "5432",
        "require_auth": "scram-sha-256",
    }


def test_preparing_twice_keeps_the_passwords(tmp_path: Path) -> None:
    folders.prepare(tmp_path)
    before = addresses.redis_url(tmp_path), addresses.database_url(tmp_path)

    folders.prepare(tmp_path)

    assert (addresses.redis_url(tmp_path), addresses.database_url(tmp_path)) == before


@pytest.mark.parametrize("server", ["postgres", "valkey"])
def test_passwords_are_for_their_owner_only(tmp_path: Path, server: str) -> None:
    folders.prepare(tmp_path)

    mode = (addresses.server_folder(tmp_path, server) / "password").stat().st_mode

    assert mode & 0o777 == 0o600


@pytest.mark.parametrize("path_of", [addresses.postgres_socket, addresses.valkey_socket])
def test_sockets_have_short_paths_wherever_the_home_is(
    tmp_path: Path, path_of: Callable[[Path], Path]
) -> None:
    deep = tmp_path.joinpath(*["deep" * 10] * 10)

    assert len(str(path_of(deep))) < SOCKET_PATH_LIMIT


def test_two_homes_have_two_addresses(tmp_path: Path) -> None:
    assert addresses.postgres_socket(tmp_path / "a") != addresses.postgres_socket(tmp_path / "b")


def test_a_link_to_a_home_has_the_addresses_of_the_home(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    folders.prepare(tmp_path / "link")

    assert addresses.database_url(tmp_path / "link") == addresses.database_url(tmp_path / "home")


def test_nothing_runs_in_a_home_that_does_not_exist(tmp_path: Path) -> None:
    assert liveness.running(tmp_path / "none") is False
