"""Keep tools registered and beating beside the host's own work, in a thread or in a task."""

import asyncio
import atexit
import contextlib
import dataclasses
import logging
import os
import secrets
import signal
import socket
import threading
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Self

import httpx

from toolroster.access import Access, registry_url_of
from toolroster.errors import ToolrosterError, Unavailable
from toolroster.messages import Answer, Call
from toolroster.oauth.resource import origin_of
from toolroster.provider import server
from toolroster.provider.pulse import Message, Pulse
from toolroster.provider.scanner import scan
from toolroster.provider.serving import ToolApp, path_of
from toolroster.provider.tool import AgentTool
from toolroster.wire import Wire

logger = logging.getLogger("toolroster.provider")

REGISTRY_WIRE = Wire(
    timeout_seconds=10.0,
    pauses_seconds=(),
    most_bytes=4 * 1024 * 1024,
    peer="registry",
    log_level=logging.DEBUG,
)
"""One attempt, told quietly: the pulse decides when the next one is due, and what is worth a line."""
_GOODBYE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Beating:
    """A pulse, the thread that sends it, and how that is told to stop."""

    pulse: Pulse
    stopping: threading.Event
    thread: threading.Thread


class Provider:
    """The tools that one process provides, registered and alive from `start` to `stop`.

        with Provider("http://localhost:8006", [add], url="http://localhost:9000"):
            ...                                    # beating, from one background thread

        async with Provider(...): ...              # the same, from one task
        app = FastAPI(lifespan=provider.lifespan)  # the same, for a framework
        Provider(..., tools=[add]).serve(9000)     # the same, and answer calls until Ctrl-C or SIGTERM

    What is not given comes from the environment: `TOOLROSTER_URL`, `TOOLROSTER_PROVIDER` (else `unknown`),
    and `Access.of_environment`. `tools` are sources for `scan`. `url` is where this process serves them, see
    `app`. A registry that is down, at the start or later, is tried on in the background and never the host's
    problem. A forked process provides nothing until it calls `start` itself.
    """

    def __init__(
        self,
        registry_url: str | None = None,
        tools: Any = (),
        *,
        name: str | None = None,
        url: str | None = None,
        access: Access | None = None,
        wire: Wire = REGISTRY_WIRE,
    ) -> None:
        self.registry_url = registry_url_of(registry_url)
        self.name = (name or os.environ.get("TOOLROSTER_PROVIDER") or "unknown").lower()
        self.url = url.rstrip("/") if url else None
        self.tools: list[AgentTool] = scan(tools)
        self._access = access or Access.of_environment(self.registry_url)
        self._auth = self._access.auth(self.registry_url)
        self._wire = wire
        self._beating: _Beating | None = None
        _all.add(self)

    @property
    def is_beating(self) -> bool:
        """Whether a thread of this process registers and beats."""
        return self._beating is not None

    def documents(self) -> list[dict[str, Any]]:
        """Return the registration documents of all tools."""
        return [tool.document(provider=self.name, url=self.address_of(tool)) for tool in self.tools]

    def address_of(self, tool: AgentTool) -> str | None:
        """Return where a tool is called, None where this process serves nothing."""
        return None if self.url is None else self.url + path_of(tool, self.tools)

    def app(self, **options: Any) -> ToolApp:
        """Return an ASGI and WSGI application that serves the tools; options are those of `ToolApp`.

        With a client's id and secret it asks the registry about the tokens of callers.
        """
        audience = origin_of(self.url) if self.url else self.registry_url
        checker = self._access.checker(self.registry_url, audience=audience)
        return ToolApp(self.tools, **{"checker": checker, **options})

    def serve(self, port: int = 0, host: str = "127.0.0.1", **options: Any) -> None:
        """Answer calls and beat until Ctrl-C or SIGTERM; 0 takes any free port.

        It is a small server of threads. Where much is called, mount `app` into one that is made for that.
        """
        given = self.url

        def make(address: str) -> ToolApp:
            self.url = given or address
            return self.app(**options)

        with server.listening(make, host, port), self, server.until_signal():
            logger.info("%s tools at %s", len(self.tools), self.url)
        self.url = given

    def start(self) -> Self:
        """Begin to register and beat in a background thread; return at once.

        Raises:
            ValueError: there is no tool.
        """
        if not self.tools:
            raise ValueError("There is no tool to provide.")
        if self._beating is None:
            stopping, pulse = threading.Event(), self._pulse()
            arguments = (pulse, stopping)
            thread = threading.Thread(target=self._beat, args=arguments, name="toolroster", daemon=True)
            self._beating = _Beating(pulse, stopping, thread)
            _stop_at_exit(self)
            thread.start()
        return self

    def stop(self) -> None:
        """Stop beating and give the leases back; wait for that, but not for a registry that is down."""
        beating, self._beating = self._beating, None
        if beating is not None:
            atexit.unregister(self.stop)
            beating.stopping.set()
            beating.thread.join(self._wire.timeout_seconds + _GOODBYE_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._beat_async(self._pulse()), name="toolroster")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncIterator[None]:
        """Be the lifespan of a Starlette or FastAPI application."""
        async with self:
            yield

    def forget(self) -> None:
        """Leave the thread of another process alone: this one is forked from it."""
        if self._beating is not None:
            atexit.unregister(self.stop)
        self._beating = None
        self._auth = self._access.auth(self.registry_url)  # its locks may have been held

    def _pulse(self) -> Pulse:
        instance = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        # Instances of one provider have addresses of their own; what is mounted below a path shares it.
        endpoint = self.url if self.url and self.url == origin_of(self.url) else ""
        return Pulse(self.documents, instance=instance, instance_endpoint=endpoint)

    def _beat(self, pulse: Pulse, stopping: threading.Event) -> None:
        wait: float = 0
        while not stopping.wait(wait):
            message = pulse.next_message()
            try:
                outcome: Answer | Exception = self._wire.send(self._call(message))
            except Exception as error:  # noqa: BLE001 - nothing may end the beats
                outcome = error
            wait = _taken(pulse, message, outcome)
        if (last := pulse.goodbye()) is not None:
            with _at_the_end():
                self._goodbye_wire().send(self._call(last))

    async def _beat_async(self, pulse: Pulse) -> None:
        wait: float = 0
        try:
            while True:
                await asyncio.sleep(wait)
                message = pulse.next_message()
                try:
                    outcome: Answer | Exception = await self._wire.send_async(self._call(message))
                except Exception as error:  # noqa: BLE001 - nothing may end the beats
                    outcome = error
                wait = _taken(pulse, message, outcome)
        finally:
            if (last := pulse.goodbye()) is not None:
                with _at_the_end():
                    await self._goodbye_wire().send_async(self._call(last))

    def _goodbye_wire(self) -> Wire:
        return dataclasses.replace(self._wire, timeout_seconds=_GOODBYE_SECONDS)

    def _call(self, message: Message) -> Call:
        return Call(httpx.URL(self.registry_url + message.path), json=message.content, auth=self._auth)


def _taken(pulse: Pulse, message: Message, outcome: Answer | Exception) -> float:
    """Tell the pulse what came back; return how long to wait."""
    if isinstance(outcome, Answer):
        try:
            return pulse.answered(message, outcome)
        except Exception as error:  # noqa: BLE001 - nothing may end the beats
            outcome = error
    if not isinstance(outcome, ToolrosterError):
        logger.error("an exchange with the registry failed", exc_info=outcome)
        outcome = Unavailable(f"{type(outcome).__name__}: {outcome}")
    return pulse.failed(outcome)


@contextlib.contextmanager
def _at_the_end() -> Any:
    try:
        yield
    except Exception:  # noqa: BLE001 - the leases end by themselves
        logger.info("the registry is gone already")


_all: "weakref.WeakSet[Provider]" = weakref.WeakSet()


def _stop_at_exit(provider: Provider) -> None:
    """Give leases back when the process ends, by SIGTERM as well; who handled that before still does."""
    atexit.register(provider.stop)
    before = signal.getsignal(signal.SIGTERM)
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and before is not _stop_all and (callable(before) or before is signal.SIG_DFL):
        _handled_before[signal.SIGTERM] = before
        signal.signal(signal.SIGTERM, _stop_all)


_handled_before: dict[int, Any] = {}


def _stop_all(number: int, frame: FrameType | None) -> None:
    for provider in list(_all):
        provider.stop()
    before = _handled_before.get(number, signal.SIG_DFL)
    if callable(before) and before is not signal.SIG_DFL:
        before(number, frame)
        return
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _forget_all() -> None:
    for provider in list(_all):
        provider.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
