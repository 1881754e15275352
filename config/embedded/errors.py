"""Say in one paragraph why an embedded server cannot be used, and what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from toolroster.errors import Unavailable

_HINTS = {
    errno.ENOSPC: "The disk is full: free some space, or set TOOLROSTER_HOME to a folder on another disk.",
    errno.EDQUOT: "Your disk quota is used up: free some space, or set TOOLROSTER_HOME to another disk.",
    errno.EROFS: "The file system is read-only: set TOOLROSTER_HOME to a folder that you can write to.",
    errno.EACCES: "Set TOOLROSTER_HOME to a folder that belongs to you, or mend its permissions.",
    errno.EPERM: "Set TOOLROSTER_HOME to a folder that belongs to you, or mend its permissions.",
    errno.ENOTDIR: "A part of the path is a file: set TOOLROSTER_HOME to a folder.",
    errno.ENOENT: "Set TOOLROSTER_HOME to a folder that can be created.",
}
_OTHER_HINT = (
    "Set TOOLROSTER_HOME to another folder, or use servers of your own by DATABASE_URL and REDIS_URL."
)


class EmbeddedUnavailable(Unavailable):
    """An embedded server cannot be started, reached or stopped; `detail` says what to do."""

    code = "embedded_unavailable"
    title = "An embedded server cannot be used"


@contextmanager
def explained(doing: str) -> Iterator[None]:
    """Turn an OSError inside the block into an explanation of what `doing` ran into.

    Raises:
        EmbeddedUnavailable: for every OSError.
    """
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, _OTHER_HINT)
        where = f" ({error.filename})" if error.filename else ""
        raise EmbeddedUnavailable(f"Cannot {doing}: {error.strerror or error}{where}. {hint}") from error
