"""A web server on this machine that answers rightly, or in one of the ways that break programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served, how, and what was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    ignores_ranges: bool = False
    breaks_after: int | None = None  # bytes; once, then whole
    status: int | None = None
    held: threading.Event | None = None  # large files stop in their middle until it is set
    ranges: list[str] = field(default_factory=list)  # the Range header of every request for a file
    address: str = ""


@contextmanager
def serve(site: Site) -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(site))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler_of(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = site.files.get(self.path)
            if content is None or site.status:
                self.send_error(site.status or 404)
                return
            wanted = self.headers.get("Range", "")
            site.ranges.append(wanted)
            start = 0
            if wanted and not site.ignores_ranges:
                start = int(wanted.removeprefix("bytes=").rstrip("-"))
                if start >= len(content):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(content)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                span = f"bytes {start}-{len(content) - 1}/{len(content)}"
                self.send_header("Content-Range", span)
            else:
                self.send_response(200)
            body = content[start:]
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if site.breaks_after is not None:
                body, site.breaks_after = body[: site.breaks_after], None
                self.close_connection = True
            if site.held is not None and len(body) > 10_000:
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                site.held.wait(60)
                body = body[len(body) // 2 :]
            with suppress(ConnectionError):  # whoever asked has gone
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
