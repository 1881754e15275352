"""Start what `make run` starts, in a home and on a port of its own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx

CHECKOUT = Path(__file__).resolve().parent.parent
_PATIENCE_SECONDS = 120

AnyStack = TypeVar("AnyStack", bound="Stack")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def eventually(check: Callable[[], Any], *, seconds: float = 30) -> Any:
    """Return the first true answer; fail with the last one."""
    deadline = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"still {answer!r} after {seconds} seconds"
        time.sleep(0.2)


@contextmanager
def running(kind: "type[AnyStack]") -> "Iterator[AnyStack]":
    """Run a stack in a new home; all is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="toolroster-story-"))
    stack = kind(folder / "home")
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Stack:
    """The whole platform as processes; leases are short so that a story takes seconds."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        self.log = home.parent / "stack.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.url, timeout=15)
        self._process: subprocess.Popen[bytes] | None = None

    def environment(self) -> dict[str, str]:
        times = {"HEARTBEAT_SECONDS": "1", "SUSPECT_SECONDS": "3", "LEASE_SECONDS": "6", "SWEEP_SECONDS": "2"}
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
        environment = kept | times | {"TOOLROSTER_HOME": str(self.home), "PORT": str(self.port)}
        return environment | {"DJANGO_SETTINGS_MODULE": "config.settings.dev"}

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "config.stack"],
                cwd=CHECKOUT,
                env=self.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        eventually(self.is_healthy, seconds=_PATIENCE_SECONDS)
        eventually(self.has_demo_tools, seconds=_PATIENCE_SECONDS)

    def is_healthy(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log.read_text()
        try:
            return self.client.get("/health").is_success
        except httpx.TransportError:
            return False

    def has_demo_tools(self) -> bool:
        return {"calculator", "send_email"} <= set(self.tools())

    def interrupt(self) -> int:
        """Press Ctrl-C: the whole foreground group gets SIGINT; return the exit code."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGINT)
        code = self._process.wait(_PATIENCE_SECONDS)
        self._process = None
        return code

    def stop(self) -> None:
        if self._process is not None:
            self.interrupt()
        self.client.close()

    def note(self) -> dict[str, Any]:
        return dict(json.loads((self.home / "demo.json").read_text()))

    def manage(self, *arguments: str) -> str:
        """Run a command of `manage.py` beside the running platform, and return what it says."""
        ran = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def bearer(self, name: str) -> dict[str, str]:
        """Return the header with a new token of one of the clients in the note."""
        note = self.note()
        client = next(client for client in note["clients"] if client["name"] == name)
        form = {key: client[key] for key in ("client_id", "client_secret")}
        answer = self.client.post(note["token_url"], data={"grant_type": "client_credentials", **form})
        assert answer.is_success, answer.text
        return {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def tools(self, headers: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
        """Return what `GET /` lists, by name."""
        answer = self.client.get("/", headers=headers).json()
        return {tool["name"]: tool for tool in answer["tools"]}

    def pids(self, words: str, mark: str = "") -> list[int]:
        """Return the processes whose command line holds `words` and a mark of this stack, else its port."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if words in command and (mark or str(self.port)) in command and not command.startswith("sh -c"):
                found.append(int(folder.name))
        return found

    def signal(self, words: str, number: signal.Signals) -> None:
        pids = self.pids(words)
        assert pids, f"no process with {words!r}"
        for pid in pids:
            os.kill(pid, number)
