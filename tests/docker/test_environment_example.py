"""docker/.env.example: every variable of the platform, no secret."""

import re
from pathlib import Path

from config.env import Environment

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "docker/.env.example").read_text("utf-8").splitlines()
ENTRY = re.compile(r"(#?)([A-Z][A-Z_]+)=(.*)")

ONLY_COMPOSE = {"POSTGRES_PASSWORD", "VALKEY_PASSWORD"}
# What the image, compose.yaml or the production settings make of a variable that is not set.
OTHER_DEFAULTS = {"LOG_FORMAT": "json", "TOOLROSTER_HOME": ".toolroster"}


def entries() -> dict[str, tuple[bool, str]]:
    found = [match for line in LINES if (match := ENTRY.fullmatch(line))]
    return {match[2]: (match[1] == "#", match[3]) for match in found}


def default_of(name: str) -> str:
    default = Environment.model_fields[name.lower()].default
    return (
        "" if default in (None, []) else str(default).lower() if isinstance(default, bool) else str(default)
    )


def test_the_file_names_every_variable_of_the_platform_once():
    names = [match[2] for line in LINES if (match := ENTRY.fullmatch(line))]

    assert sorted(names) == sorted({name.upper() for name in Environment.model_fields} | ONLY_COMPOSE)


def test_what_must_be_filled_in_is_empty_and_not_commented():
    open_entries = {name: value for name, (is_comment, value) in entries().items() if not is_comment}

    assert open_entries == dict.fromkeys(
        [*sorted(ONLY_COMPOSE), "SECRET_KEY", "ALLOWED_HOSTS", "PUBLIC_URL", "DISCOVERY_ANONYMOUS"], ""
    )


def test_commented_lines_show_the_defaults():
    shown = {name: value for name, (is_comment, value) in entries().items() if is_comment}

    assert shown == {name: OTHER_DEFAULTS.get(name, default_of(name)) for name in shown}
