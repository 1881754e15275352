"""Files that people write: JSON, or YAML where PyYAML is installed."""

import importlib
from pathlib import Path
from typing import Any

from toolroster import strict_json
from toolroster.errors import DocumentInvalid, Malformed


def content_of(path: Path) -> Any:
    """Return the value that a file holds: YAML by its suffix, else JSON.

    Raises:
        DocumentInvalid: it cannot be read, is neither, or YAML cannot be read here.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DocumentInvalid(f"It cannot be read: {error.strerror}.") from error
    return _from_yaml(raw) if path.suffix in {".yaml", ".yml"} else _from_json(raw)


def _from_json(raw: bytes) -> Any:
    try:
        return strict_json.loads(raw)
    except Malformed as error:
        raise DocumentInvalid(error.detail, errors=error.errors) from error


def _from_yaml(raw: bytes) -> Any:
    try:
        yaml = importlib.import_module("yaml")
    except ModuleNotFoundError as error:
        raise DocumentInvalid("YAML needs the package PyYAML; JSON needs nothing.") from error
    try:
        return yaml.safe_load(raw.decode())
    except (yaml.YAMLError, ValueError) as error:  # a date that is none, or no UTF-8, is a ValueError
        raise DocumentInvalid(f"It is no YAML: {' '.join(str(error).split())[:300]}") from error
