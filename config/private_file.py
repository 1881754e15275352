"""Write a file that only its owner can read, whole or not at all, whenever the writer is killed."""

import os
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Replace `path` by a file of mode 0600 with this text, synced to disk."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(descriptor)
    draft.rename(path)
