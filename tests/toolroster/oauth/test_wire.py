import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.toolroster.oauth.server import IMPATIENT, AuthorizationServer, Clock, Reply
from toolroster.errors import Unavailable
from toolroster.messages import Answer, Call
from toolroster.wire import MAX_ANSWER_BYTES, Wire

JSON = {"Content-Type": "application/json"}


class Pauses:
    """Remembers how long it was asked to sleep, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)

    async def sleep_async(self, seconds: float) -> None:
        self.seconds.append(seconds)

    def wire(self) -> Wire:
        return Wire(pauses_seconds=(0.5, 2.0), sleep=self.sleep, sleep_async=self.sleep_async)


def call(server: AuthorizationServer) -> Call:
    return Call(httpx.URL(server.url + "/token"), {"grant_type": "client_credentials"})


def send(wire: Wire, asked: Call, *, is_async: bool) -> Answer:
    return asyncio.run(wire.send_async(asked)) if is_async else wire.send(asked)


both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@both
def test_an_answer_has_its_status_and_document(server, is_async):
    answer = send(IMPATIENT, call(server), is_async=is_async)

    assert answer.status == 200
    assert answer.document()["access_token"] == "token-1"


@both
def test_failures_are_asked_again_after_growing_pauses(server, is_async):
    pauses = Pauses()
    server.next(Reply(status=500), Reply(status=503))

    answer = send(pauses.wire(), call(server), is_async=is_async)

    assert answer.status == 200
    assert pauses.seconds == [0.5, 2.0]


@both
def test_after_the_last_attempt_the_server_is_unavailable(server, is_async):
    server.next(*[Reply(status=502)] * 4)

    with pytest.raises(Unavailable, match="answers 502"):
        send(Pauses().wire(), call(server), is_async=is_async)

    assert len(server.asked) == 3


@both
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_says_when_to_come_back_is_not_asked_before(server, is_async, status):
    server.next(Reply(status=status, headers={"Retry-After": "7"}))

    with pytest.raises(Unavailable) as caught:
        send(Pauses().wire(), call(server), is_async=is_async)

    assert caught.value.retry_after_seconds == 7
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("99999", 3600), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None), ("9" * 50, None)],
)
def test_what_retry_after_says_is_bounded(said, seconds):
    transport = httpx.MockTransport(lambda _: httpx.Response(503, headers={"Retry-After": said}))

    with pytest.raises(Unavailable) as caught:
        Wire(pauses_seconds=(), transport=transport).send(Call(httpx.URL("http://as.test/")))

    assert caught.value.retry_after_seconds == seconds


@both
def test_a_server_that_is_not_there_is_unavailable_and_named(server, is_async):
    nobody = Call(httpx.URL("http://127.0.0.1:9/token"))  # RFC 863's port, where nothing listens

    with pytest.raises(Unavailable, match=r"at 127\.0\.0\.1 does not answer"):
        send(Wire(pauses_seconds=()), nobody, is_async=is_async)


@both
def test_a_connection_that_closes_amid_the_answer_is_a_failure(server, is_async):
    server.next(Reply({"access_token": "half"}, cut=True))

    with pytest.raises(Unavailable, match="does not answer"):
        send(IMPATIENT, call(server), is_async=is_async)


@both
def test_a_server_that_says_nothing_is_given_up(server, is_async):
    server.released.clear()

    with pytest.raises(Unavailable, match="does not answer"):
        send(Wire(timeout_seconds=0.05, pauses_seconds=()), call(server), is_async=is_async)


class Dripping(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body without end: each part comes a second after the one before."""

    def __init__(self, clock: Clock, part: bytes) -> None:
        self.clock = clock
        self.part = part
        self.sent = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.clock.now += 1
            self.sent += 1
            yield self.part

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


def dripping_wire(clock: Clock, body: Dripping) -> Wire:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=body))
    return Wire(
        timeout_seconds=5, pauses_seconds=(), transport=transport, async_transport=transport, ticks=clock
    )


@both
def test_a_body_that_drips_has_a_deadline_as_a_whole(is_async):
    clock = Clock()
    body = Dripping(clock, b" ")

    with pytest.raises(Unavailable, match="takes too long"):
        send(dripping_wire(clock, body), Call(httpx.URL("http://as.test/")), is_async=is_async)

    assert body.sent == 6


@both
def test_a_huge_body_is_not_read_to_its_end(is_async):
    body = Dripping(Clock(), b" " * MAX_ANSWER_BYTES)

    with pytest.raises(Unavailable, match="larger than 65536 bytes"):
        send(dripping_wire(Clock(), body), Call(httpx.URL("http://as.test/")), is_async=is_async)

    assert body.sent == 2


def test_a_coding_that_was_not_asked_for_is_refused(server):
    packed = gzip.compress(b" " * 10**6)
    server.next(Reply(packed, headers={**JSON, "Content-Encoding": "gzip"}))

    with pytest.raises(Unavailable, match="a coding that was not asked for"):
        IMPATIENT.send(call(server))


@both
def test_redirects_are_not_followed(server, is_async):
    server.next(Reply(status=307, headers={"Location": server.url + "/elsewhere"}))

    answer = send(IMPATIENT, call(server), is_async=is_async)

    assert answer.status == 307
    assert [asked.path for asked in server.asked] == ["/token"]


@pytest.mark.parametrize(
    ("headers", "body", "said"),
    [
        ({"Content-Type": "text/html"}, b"{}", "is not JSON"),
        ({}, b"{}", "is not JSON"),
        (JSON, b"<html>", "is malformed"),
        (JSON, b'{"a": 1, "a": 2}', "is malformed"),
        (JSON, b"\xff", "is malformed"),
        (JSON, b"[]", "no JSON object"),
    ],
)
def test_an_answer_that_is_no_json_object_is_unavailable(headers, body, said):
    with pytest.raises(Unavailable, match=said):
        Answer(200, httpx.Headers(headers), body).document()


def test_the_content_type_may_have_parameters_and_any_case():
    headers = httpx.Headers({"Content-Type": "Application/JSON; charset=utf-8"})

    assert Answer(200, headers, b'{"a": 1}').document() == {"a": 1}


class Owned(httpx.MockTransport):
    is_closed = False

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


@both
def test_a_given_transport_is_left_open(is_async):
    transport = Owned(lambda _: httpx.Response(200, content=b""))

    send(
        Wire(transport=transport, async_transport=transport),
        Call(httpx.URL("http://as.test/")),
        is_async=is_async,
    )

    assert not transport.is_closed


def test_neither_calls_nor_answers_show_their_secrets():
    shown = repr(Call(httpx.URL("http://as.test/"), {"client_secret": "hush"}, {"Authorization": "hush"}))
    shown += repr(Answer(200, httpx.Headers({"x": "hush"}), b"hush"))

    assert "hush" not in shown
