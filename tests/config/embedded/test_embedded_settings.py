from collections.abc import Callable
from pathlib import Path

import pytest
import redis


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("server_version_num", "18"),
        ("server_encoding", "UTF8"),
        ("data_checksums", "on"),
        ("max_connections", "100"),
        ("random_page_cost", "1.1"),
        ("autovacuum", "on"),
        ("listen_addresses", ""),
        ("unix_socket_permissions", "0700"),
    ],
)
def test_postgres_has_its_settings(
    running_home: Path, query: Callable[[Path, str], str], setting: str, value: str
) -> None:
    assert query(running_home, f"SHOW {setting}").startswith(value)


def test_upper_case_of_accented_letters_needs_no_locale_of_the_system(
    running_home: Path, query: Callable[[Path, str], str]
) -> None:
    assert query(running_home, "SELECT upper('größe é')") == "GRÖßE É"


def test_the_role_may_create_the_vector_extension(
    running_home: Path, query: Callable[[Path, str], str]
) -> None:
    query(running_home, "CREATE EXTENSION vector")

    assert query(running_home, "SELECT '[1,2]'::halfvec <-> '[1,2]'::halfvec") == "0.0"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("port", "0"),
        ("appendonly", "yes"),
        ("appendfsync", "everysec"),
        ("maxmemory-policy", "noeviction"),
        ("unixsocketperm", "700"),
    ],
)
def test_valkey_has_its_settings(
    running_home: Path, valkey_client: Callable[[Path], redis.Redis], setting: str, value: str
) -> None:
    assert valkey_client(running_home).config_get(setting) == {setting: value}
