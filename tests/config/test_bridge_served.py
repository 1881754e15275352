"""The bridge behind a real granian: what arrives in WSGI, and what goes back over the wire."""

import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.api.problems import MEDIA_TYPE
from tests.config.apps import MAX_BODY_BYTES
from tests.config.serving import served, until

LOG = "log"
RECORD = "record"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bridge")


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    record = folder / RECORD
    record.touch()
    with served("tests.config.apps:application", folder / LOG, BRIDGE_TEST_RECORD=str(record)) as port:
        yield port


@pytest.fixture(scope="module")
def client(port: int) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=20) as client:
        yield client


def _raw(port: int, request: bytes) -> bytes:
    """Send bytes as they are and return everything until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def _echoed(port: int, request_line: bytes, *headers: bytes) -> dict[str, Any]:
    lines = (request_line + b" HTTP/1.1", b"Host: test", b"Connection: close", *headers, b"", b"")
    body = _raw(port, b"\r\n".join(lines)).partition(b"\r\n\r\n")[2]
    echoed: dict[str, Any] = httpx.Response(200, content=body).json()
    return echoed


def test_a_request_arrives_as_wsgi_wants_it(client: httpx.Client, port: int) -> None:
    seen = client.get("/a?q=%41&r").json()

    assert seen["REQUEST_METHOD"] == "GET"
    assert seen["PATH_INFO"] == "/a"
    assert seen["SCRIPT_NAME"] == ""
    assert seen["QUERY_STRING"] == "q=%41&r"
    assert seen["SERVER_NAME"] == "127.0.0.1"
    assert seen["SERVER_PORT"] == str(port)
    assert seen["SERVER_PROTOCOL"] == "HTTP/1.1"
    assert seen["REMOTE_ADDR"] == "127.0.0.1"
    assert seen["wsgi.url_scheme"] == "http"
    assert seen["CONTENT_LENGTH"] == "0"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"/caf%C3%A9", "/café".encode()),
        ("/café".encode(), "/café".encode()),
        (b"/a%20b%2Fc", b"/a b/c"),
        (b"/%FF", b"/\xff"),
        (b"/a//b/../c", b"/a//b/../c"),
    ],
)
def test_paths_are_their_bytes_as_latin_1(port: int, path: bytes, expected: bytes) -> None:
    assert _echoed(port, b"GET " + path)["PATH_INFO"].encode("latin-1") == expected


def test_repeated_headers_are_joined(port: int) -> None:
    seen = _echoed(port, b"GET /", b"X-A: 1", b"x-a: 2", b"Cookie: a=1", b"Cookie: b=2")

    assert seen["HTTP_X_A"] == "1,2"
    assert seen["HTTP_COOKIE"] == "a=1; b=2"


def test_a_header_with_an_underscore_cannot_pose_as_another(port: int) -> None:
    seen = _echoed(port, b"GET /", b"X_Forwarded_Proto: https", b"X_Forwarded-For: 1.2.3.4")

    assert not [key for key in seen if key.startswith("HTTP_X_")]


def test_answers_keep_repeated_headers(client: httpx.Client) -> None:
    assert client.get("/").headers.get_list("X-Twice") == ["1", "2"]


@pytest.mark.parametrize(("size", "kind"), [(10, "BytesIO"), (2 * 1024 * 1024, "BufferedRandom")])
def test_a_large_body_is_spooled_to_disk_and_arrives_whole(
    client: httpx.Client, size: int, kind: str
) -> None:
    body = bytes(i % 251 for i in range(size))

    seen = client.post("/", content=body).json()

    assert seen["CONTENT_LENGTH"] == str(size)
    assert seen["sha256"] == hashlib.sha256(body).hexdigest()
    assert seen["input"] == kind


def test_a_chunked_body_has_a_length(client: httpx.Client) -> None:
    seen = client.post("/", content=iter([b"abc", b"defg"])).json()

    assert seen["CONTENT_LENGTH"] == "7"
    assert "HTTP_TRANSFER_ENCODING" not in seen


def test_length_and_chunks_together_count_as_chunks(port: int) -> None:
    request = (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    )

    assert b'"CONTENT_LENGTH": "3"' in _raw(port, request)


def test_a_declared_size_over_the_cap_is_refused_before_the_body_is_read(port: int) -> None:
    head = f"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {MAX_BODY_BYTES + 1}\r\nConnection: close\r\n\r\n"

    answer = _raw(port, head.encode())

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert MEDIA_TYPE.encode() in answer
    assert b'"code":"body_too_large"' in answer


def test_a_counted_size_over_the_cap_is_refused(port: int) -> None:
    chunk = b"%x\r\n" % MAX_BODY_BYTES + b"x" * MAX_BODY_BYTES + b"\r\n1\r\nx\r\n"
    head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

    assert _raw(port, head + chunk).startswith(b"HTTP/1.1 413 ")


def test_a_body_of_exactly_the_cap_is_taken(client: httpx.Client) -> None:
    assert client.post("/", content=b"x" * MAX_BODY_BYTES).status_code == 200


def test_head_has_the_length_and_no_body(port: int) -> None:
    answer = _raw(port, b"HEAD /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

    assert b"content-length: 5" in answer
    assert answer.endswith(b"\r\n\r\n")


def test_no_content_has_no_body(port: int) -> None:
    answer = _raw(port, b"GET /empty HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 204 ")
    assert answer.endswith(b"\r\n\r\n")


def test_an_error_of_the_application_is_a_problem_and_is_logged(client: httpx.Client, folder: Path) -> None:
    answer = client.get("/fail")

    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == MEDIA_TYPE
    assert answer.json()["code"] == "internal_error"
    until(lambda: "ZeroDivisionError: on purpose" in (folder / LOG).read_text())


def test_a_stream_arrives_chunk_by_chunk(client: httpx.Client, folder: Path) -> None:
    with client.stream("GET", "/stepwise") as answer:
        chunks = answer.iter_raw()
        first = next(chunks)
        client.get("/free")

        assert [first, *chunks] == [b"one", b"two"]
    until(lambda: "closed stepwise in wsgi" in (folder / RECORD).read_text())


def test_a_stream_that_breaks_is_seen_to_be_cut(client: httpx.Client, folder: Path) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="incomplete"):
        client.get("/broken")

    until(lambda: "closed broken in wsgi" in (folder / RECORD).read_text())


def test_a_stream_ends_when_its_client_leaves(port: int, folder: Path) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")

    until(lambda: "closed endless in wsgi" in (folder / RECORD).read_text())
