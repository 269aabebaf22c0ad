"""Whatever comes over a raw socket is answered in OpenAI's form, and the next client as ever."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.doubles.engines import Reply
from tests.server.serving import KEY, Serving, scripted, serving

HEAD = f"Host: localhost\r\nAuthorization: Bearer {KEY}\r\n"
JSON = "Content-Type: application/json\r\n"
CHAT = f"POST /v1/chat/completions HTTP/1.1\r\n{HEAD}{JSON}"
LIMIT = 100_000


@pytest.fixture(scope="module")
def running() -> Iterator[Serving]:
    _, make = scripted(*(Reply("Fine."),) * 80)
    with serving(make, body_bytes=LIMIT, patience_s=5) as found:
        yield found


def ask(running: Serving, sent: bytes, *, ends: bool = False) -> tuple[int, dict[str, Any]]:
    """Send bytes as they are; the status and the body of the answer."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as client:
        client.sendall(sent)
        if ends:
            client.shutdown(socket.SHUT_WR)
        return answer_of(client)


def answer_of(client: socket.socket) -> tuple[int, dict[str, Any]]:
    """The one answer on a connection."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = client.recv(65_536)
        assert piece, got
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    length = int(next(line for line in lines if line.startswith("content-length")).split(":")[1])
    while len(body) < length:
        piece = client.recv(65_536)
        assert piece, body
        body += piece
    return int(lines[0].split(" ")[1]), json.loads(body)


def posted(body: bytes, more: str = "") -> bytes:
    return f"{CHAT}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


GOOD = json.dumps({"messages": [{"role": "user", "content": "Hi"}]}).encode()

BROKEN = {
    "no request line": (b"hello there\r\n\r\n", 400),
    "control bytes": (b"\x00\x01\x02\x03\r\n\r\n", 400),
    "the beginning of TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
    "HTTP/2's preface": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403),
    "a version of its own": (b"GET /v1/models HTTP/9\r\n\r\n", 400),
    "no host": (b"GET /v1/models HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: x\r\n\r\n", 400),
    "a header without a colon": (b"GET /v1/models HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
    "a space before the colon": (b"GET /v1/models HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
    "a header of control bytes": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", 400),
    "a folded first header": (b"GET / HTTP/1.1\r\n folded\r\n\r\n", 400),
    "headers without an end": (b"GET / HTTP/1.1\r\nX: " + b"a" * 300_000, 431),
    "long headers, complete": (
        f"GET /v1/models HTTP/1.1\r\n{HEAD}X: {'a' * 17_000}\r\n\r\n".encode(), 431
    ),
    "a length that is no number": (f"{CHAT}Content-Length: many\r\n\r\n".encode() + GOOD, 400),
    "a negative length": (f"{CHAT}Content-Length: -5\r\n\r\n".encode() + GOOD, 400),
    "two lengths": (f"{CHAT}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345".encode(), 400),
    "an encoding nobody knows": (f"{CHAT}Transfer-Encoding: gzip\r\n\r\n".encode(), 501),
    "chunks that are none": (f"{CHAT}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(), 400),
    "a chunk that goes on": (
        f"{CHAT}Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n".encode(), 400
    ),
    "a body that is too long": (posted(b"x" * (LIMIT + 1)), 413),
    "chunks that are too long": (
        f"{CHAT}Transfer-Encoding: chunked\r\n\r\n{LIMIT + 1:x}\r\n".encode()
        + b"x" * (LIMIT + 1) + b"\r\n0\r\n\r\n", 413
    ),
    "no JSON": (posted(b"{nonsense"), 400),
    "nothing": (posted(b""), 400),
    "half a JSON text": (posted(GOOD[:-4]), 400),
    "no UTF-8": (posted(b'{"messages": [{"role": "user", "content": "\xff\xfe"}]}'), 400),
    "half a surrogate": (posted(b'{"messages": [{"role": "user", "content": "\\ud800"}]}'), 400),
    "a list": (posted(b"[1, 2]"), 400),
    "a number": (posted(b"3"), 400),
    "a million brackets": (posted(b"[" * 90_000), 400),
    "deep objects": (posted(b'{"a":' * 15_000 + b"1" + b"}" * 15_000), 400),
    "deep tools": (
        posted(b'{"messages": [], "tools": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"), 400
    ),
    "a form": (posted(b"messages=hi&model=x", "Content-Type: text/plain\r\n"), 400),
    "another method": (f"GET /v1/chat/completions HTTP/1.1\r\n{HEAD}\r\n".encode(), 405),
    "a method of its own": (f"BREW /v1/chat/completions HTTP/1.1\r\n{HEAD}\r\n".encode(), 405),
    "another address": (f"GET /v1/no/such HTTP/1.1\r\n{HEAD}\r\n".encode(), 404),
    "an address of bytes": (f"GET /%ff%00%2e%2e/x HTTP/1.1\r\n{HEAD}\r\n".encode(), 404),
    "no key": (b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", 401),
    "a key of bytes": (
        b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n\r\n", 401
    ),
    "a websocket": (
        f"GET /v1/responses HTTP/1.1\r\n{HEAD}Connection: upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode(),
        405,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_answered_in_openais_form(running: Serving, name: str) -> None:
    sent, status = BROKEN[name]
    got, body = ask(running, sent)
    assert got == status
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["message"].endswith(".")
    assert ask(running, posted(GOOD))[0] == 200


def test_a_client_that_goes_on_writing_still_reads_why_it_was_refused(running: Serving) -> None:
    """A closed connection would reset it, and the answer would be lost."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as client:
        client.sendall(b"nonsense\r\n\r\n")
        for _ in range(50):
            client.sendall(b"and more of it\r\n" * 100)
        status, body = answer_of(client)
    assert status == 400
    assert body["error"]["code"] == "invalid_http"


def test_chunks_that_break_in_the_middle_are_answered_and_the_request_is_over(
    running: Serving,
) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as client:
        client.sendall(f"{CHAT}Transfer-Encoding: chunked\r\n\r\n5\r\n{{".encode())
        client.sendall(b'"mes\r\nnot a length\r\n')
        status, body = answer_of(client)
        assert client.recv(1) == b""
    assert (status, body["error"]["type"]) == (400, "invalid_request_error")


def test_two_requests_at_once_and_a_broken_third_are_answered_in_turn(running: Serving) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as client:
        client.sendall(posted(GOOD) + posted(GOOD) + b"what\r\n\r\n")
        got = b""
        while piece := client.recv(65_536):
            got += piece
    assert got.count(b"HTTP/1.1 200") == 2
    assert got.count(b"HTTP/1.1 400") == 1
    assert got.rstrip().endswith(b"}}")


def test_one_connection_too_many_is_told_in_openais_form() -> None:
    _, make = scripted(Reply("Fine."))
    with serving(make) as running:
        clients = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(256)]
        try:
            for client in clients[:-1]:  # each is known to the server when it has answered
                client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.settimeout(30)
                assert client.recv(1000).startswith(b"HTTP/1.1 200")
            status, body = ask(running, f"GET /v1/models HTTP/1.1\r\n{HEAD}\r\n".encode())
        finally:
            for client in clients:
                client.close()
    assert (status, body["error"]["code"]) == (503, "too_many_connections")
