"""Manage the embedded servers from the shell: `python -m config.embedded start|stop|status|run`."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from config.embedded import addresses, keeper, servers
from config.embedded.errors import EmbeddedUnavailable

_NOT_RUNNING = 3  # the exit status of `status` in LSB init scripts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0 done, 1 failed, 2 usage, 3 not running."""
    options = _parser().parse_args(arguments)
    commands = {"start": _start, "stop": _stop, "status": _status, "run": _run}
    try:
        return commands[options.command](options.home)
    except EmbeddedUnavailable as error:
        sys.stderr.write(error.detail + "\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m config.embedded", description=__doc__)
    parser.add_argument("command", choices=["start", "stop", "status", "run"])
    parser.add_argument(
        "--home",
        type=Path,
        default=addresses.default_home(os.environ),
        help="the folder of the servers' data (default: TOOLROSTER_HOME, else .toolroster in the checkout)",
    )
    return parser


def _start(home: Path) -> int:
    servers.start(home)
    servers.trim_logs(home)
    return _status(home)


def _stop(home: Path) -> int:
    servers.stop(home)
    return 0


def _status(home: Path) -> int:
    found = servers.status(home)
    for one in found:
        state = f"running (process {one.pid})" if one.is_running else "not running"
        sys.stdout.write(f"{one.name:9} {state}\n          {one.address}\n          log: {one.log}\n")
    sys.stdout.flush()
    return 0 if all(one.is_running for one in found) else _NOT_RUNNING


def _run(home: Path) -> int:
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    with keeper.kept(home):
        _status(home)
        stopping.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
