"""A server of ours on loopback that answers as told: well, badly, or not at all.

An answer is a list of byte strings and of seconds to wait between them; it begins with the status
line. What was asked is kept, headers and body.
"""

from __future__ import annotations

import json
import socketserver
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = Sequence[bytes | float]

HANG = 3600.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


@dataclass(slots=True)
class Server:
    """A running server; answers to a path come in order, the last one again and again."""

    port: int
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    scheme: str = "http"

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    def of(self, path: str) -> list[Asked]:
        """What came to a path."""
        return [each for each in self.asked if each.path == path]

    def next_answer(self, path: str) -> Answer:
        """What is answered now."""
        answers = self.answers.get(path, [status(404, {"error": {"message": "no such path"}})])
        return answers.pop(0) if len(answers) > 1 else answers[0]


def head(code: int, content_type: str, extra: str = "") -> bytes:
    """A status line and headers of a connection that ends with the answer."""
    text = f"HTTP/1.1 {code} X\r\nContent-Type: {content_type}\r\n{extra}Connection: close\r\n\r\n"
    return text.encode()


def status(code: int, content: object, extra: str = "") -> Answer:
    """A whole JSON answer."""
    return [head(code, "application/json", extra), json.dumps(content).encode()]


def html(code: int) -> Answer:
    """A web page where JSON is expected."""
    return [head(code, "text/html"), b"<!doctype html><title>Welcome</title>"]


def event(content: object) -> bytes:
    """An event of a stream."""
    return f"data: {json.dumps(content)}\n\n".encode()


def delta(reason: str | None = None, **fields: object) -> bytes:
    """A piece of a chat's answer."""
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]})


DONE = b"data: [DONE]\n\n"


def stream(*pieces: bytes | float, extra: str = "") -> Answer:
    """A stream of events, as it is."""
    return [head(200, "text/event-stream", extra), *pieces]


def reply(*words: str, prompt: int = 7, generated: int = 5) -> Answer:
    """A chat's answer in words, with figures, 15 ms apart."""
    pieces: list[bytes | float] = []
    for word in words:
        pieces += [delta(content=word), 0.015]
    usage = {"prompt_tokens": prompt, "completion_tokens": generated}
    return stream(*pieces, delta("stop"), event({"choices": [], "usage": usage}), DONE)


def models(*ids: str, **fields: object) -> Answer:
    """A list of models."""
    return status(200, {"object": "list", "data": [{"id": id, **fields} for id in ids]})


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Run a server until the block ends."""
    state = Server(0)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if (asked := _read(self.rfile)) is not None:
                state.asked.append(asked)
                self._answer(state.next_answer(asked.path))

        def _answer(self, answer: Answer) -> None:
            try:
                for piece in answer:
                    if isinstance(piece, bytes):
                        self.wfile.write(piece)
                    elif self._waits(piece):
                        return
            except OSError:
                state.hung_up.set()

        def _waits(self, seconds: float) -> bool:
            """Whether the other side hung up, or the test ended, meanwhile."""
            if seconds < HANG:
                return state.ended.wait(seconds)
            self.connection.settimeout(0.02)
            while not state.ended.is_set():
                try:
                    if not self.connection.recv(1):
                        state.hung_up.set()
                        return True
                except TimeoutError:
                    continue
                except OSError:
                    state.hung_up.set()
                    return True
            return True

    class Listener(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        block_on_close = True

        def get_request(self) -> Any:
            connection, address = super().get_request()
            if context is not None:
                connection = context.wrap_socket(connection, server_side=True)
            return connection, address

        def handle_error(self, request: object, address: object) -> None:
            state.hung_up.set()

    with Listener(("127.0.0.1", 0), Handler) as listener:
        state.port = listener.server_address[1]
        state.scheme = "https" if context else "http"
        thread = threading.Thread(target=listener.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield state
        finally:
            state.ended.set()
            listener.shutdown()
            thread.join()


def _read(file: Any) -> Asked | None:
    try:
        line = file.readline().decode("latin-1").split()
        if len(line) < 2:
            return None
        headers: dict[str, str] = {}
        while (text := file.readline().decode("latin-1").strip()) != "":
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body = file.read(int(headers.get("content-length", "0")))
    except OSError:
        return None
    return Asked(line[0], line[1], headers, body)
