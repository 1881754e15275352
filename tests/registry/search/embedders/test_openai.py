"""The HTTP backend: against a real server, and against every wrong answer a server can give."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import numpy as np
import pytest

from registry.search.embedders.base import Options
from registry.search.embedders.openai import BATCH_SIZE, OpenAI
from registry.search.errors import EmbedderUnavailable


def vectors_of(body):
    """Answer like a server that counts letters, in an order of its own."""
    rows = [
        {"index": n, "embedding": [1 + text.count("a"), 1 + text.count("b")]}
        for n, text in enumerate(body["input"])
    ]
    return {"object": "list", "data": rows[::-1]}


class Service:
    """A transport that gives prepared answers and records the requests; the last answer repeats."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            return answer
        return httpx.Response(200, json=answer(json.loads(request.content)))


def model(service, **options):
    pauses: list[float] = []
    embedder = OpenAI(
        "m",
        Options(base_url="http://service/v1", **options),
        transport=httpx.MockTransport(service),
        sleep=pauses.append,
    )
    return embedder, pauses


def test_rows_come_in_the_order_of_the_texts():
    embedder, _ = model(Service(vectors_of))

    assert embedder.embed_documents(["a", "bbb"]) == pytest.approx(
        np.array([[0.8944, 0.4472], [0.2425, 0.9701]]), abs=1e-4
    )


def test_request_is_as_documented():
    service = Service(vectors_of)
    embedder, _ = model(service, api_key="secret", query_prefix="query: ")

    embedder.embed_queries(["a"])

    request = service.requests[0]
    assert str(request.url) == "http://service/v1/embeddings"
    assert request.headers["authorization"] == "Bearer secret"
    assert json.loads(request.content) == {"model": "m", "input": ["query: a"]}


def test_many_texts_go_in_batches():
    service = Service(vectors_of)
    embedder, _ = model(service)

    rows = embedder.embed_documents(["a" * n for n in range(2 * BATCH_SIZE + 1)])

    assert [len(json.loads(request.content)["input"]) for request in service.requests] == [
        BATCH_SIZE,
        BATCH_SIZE,
        1,
    ]
    assert rows[BATCH_SIZE] == pytest.approx(
        np.array([BATCH_SIZE + 1, 1]) / np.hypot(BATCH_SIZE + 1, 1), abs=1e-5
    )


def test_dimensions_are_learnt_once():
    service = Service(vectors_of)
    embedder, _ = model(service)

    assert (embedder.dimensions, embedder.embed_documents([]).shape, len(service.requests)) == (2, (0, 2), 1)


@pytest.mark.parametrize("failure", [httpx.Response(503), httpx.Response(429), httpx.ConnectError("refused")])
def test_documents_are_tried_again_after_a_pause(failure):
    service = Service(failure, failure, vectors_of)
    embedder, pauses = model(service)

    assert embedder.embed_documents(["a"]).shape == (1, 2)
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("failure", [httpx.Response(500), httpx.ReadTimeout("slow")])
def test_documents_are_given_up_after_three_tries(failure):
    service = Service(failure)
    embedder, _ = model(service)

    with pytest.raises(EmbedderUnavailable):
        embedder.embed_documents(["a"])
    assert len(service.requests) == 3


def test_query_is_tried_once_because_somebody_waits():
    service = Service(httpx.Response(503))
    embedder, pauses = model(service)

    with pytest.raises(EmbedderUnavailable, match="refused: 503"):
        embedder.embed_queries(["a"])
    assert (len(service.requests), pauses) == (1, [])


def test_wrong_key_is_not_tried_again_and_what_the_service_says_is_not_repeated():
    service = Service(httpx.Response(401, text="no such key: secret"))
    embedder, _ = model(service, api_key="secret")

    with pytest.raises(EmbedderUnavailable, match="refused: 401") as caught:
        embedder.embed_documents(["a"])
    assert "secret" not in caught.value.detail
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>welcome</html>"),
        httpx.Response(200, content=b"\xff\xfe"),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"error": "model is loading"}),
        httpx.Response(200, json={"data": []}),
        httpx.Response(200, json={"data": [{"index": 0, "embedding": None}]}),
        httpx.Response(200, json={"data": [{"index": 0, "embedding": "AACAPw=="}]}),
        httpx.Response(200, json={"data": [{"index": 0, "embedding": [1, "x"]}]}),
        httpx.Response(302, headers={"location": "http://elsewhere/"}),
    ],
)
def test_garbage_is_unavailable(answer):
    embedder, _ = model(Service(answer))

    with pytest.raises(EmbedderUnavailable):
        embedder.embed_queries(["a"])


def test_batches_of_different_lengths_are_unavailable():
    rows = [httpx.Response(200, json={"data": [{"index": 0, "embedding": [1.0] * 3}]})]
    embedder, _ = model(Service(vectors_of, *rows))

    with pytest.raises(EmbedderUnavailable, match="different lengths"):
        embedder.embed_documents(["a"] * (BATCH_SIZE + 1))


@pytest.fixture
def server():
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if body["input"] == ["hang"]:
                released.wait(10)
                return
            answer = json.dumps(vectors_of(body)).encode()
            self.send_response(200 if self.path == "/v1/embeddings" else 404)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    service = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=service.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{service.server_port}/v1"
    released.set()
    service.shutdown()
    service.server_close()
    thread.join()


@pytest.fixture
def connect():
    opened = []

    def connected(base_url, **options):
        opened.append(OpenAI("m", Options(base_url=base_url, **options)))
        return opened[-1]

    yield connected
    for embedder in opened:
        embedder.close()


def test_real_server_answers(server, connect):
    assert connect(server + "/").embed_queries(["aa", "b"]).shape == (2, 2)


def test_wrong_path_on_a_real_server_is_unavailable(server, connect):
    with pytest.raises(EmbedderUnavailable, match="404"):
        connect(server + "/wrong").embed_queries(["a"])


def test_server_that_hangs_is_given_up_after_the_timeout(server, connect):
    started_at = time.monotonic()

    with pytest.raises(EmbedderUnavailable, match="ReadTimeout"):
        connect(server, timeout_seconds=0.2).embed_queries(["hang"])
    assert time.monotonic() - started_at < 5


def test_server_that_is_down_is_unavailable(connect):
    with pytest.raises(EmbedderUnavailable, match="ConnectError"):
        connect("http://127.0.0.1:1/v1").embed_queries(["a"])


def test_service_without_an_address_is_unavailable(connect):
    with pytest.raises(EmbedderUnavailable, match="does not answer"):
        connect("").embed_queries(["a"])
