"""Say that a schema cannot be converted for strict mode, and where."""

from typing import NoReturn

from toolroster.errors import DocumentInvalid, Fault
from toolroster.schema_walk import Path, pointer


def refuse(path: Path, reason: str) -> NoReturn:
    """Raise the one error of a conversion."""
    raise DocumentInvalid(reason, errors=[Fault(pointer(path), "not_strict", reason)])
