"""`python -m config.keep COMMAND …`: run a command, and start it again when it ends by itself.

For the worker of `make run`: it gives up when its broker dies (kombu 5.7), and the supervisor would then
stop everything. In production the orchestrator does this. `--once` stays behind the ended command
instead: a demo service is there to be killed, so that its tools can be seen to go.
"""

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

_PAUSE_SECONDS = 2.0


def main(arguments: Sequence[str]) -> int:
    """Keep the command until SIGTERM or SIGINT, which the whole process group gets; return 0."""
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    is_once = arguments[:1] == ["--once"]
    command = list(arguments[1:] if is_once else arguments)
    while not ending.is_set():
        code = subprocess.Popen(command).wait()  # noqa: S603 - our own command line
        if not ending.is_set():
            _tell(command, code, is_once=is_once)
            ending.wait(None if is_once else _PAUSE_SECONDS)
    return 0


def _tell(command: Sequence[str], code: int, *, is_once: bool) -> None:
    what = f"Start it again with: {' '.join(command)}" if is_once else "starting it again"
    sys.stderr.write(f"it has ended ({code}). {what}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
