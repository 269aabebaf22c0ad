"""A model hub on loopback that answers rightly, or in one of the ways that break programs."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass
class Asked:
    """A request as it came."""

    host: str
    path: str
    headers: dict[str, str]


@dataclass
class Mischief:
    """What a server does wrong with files; counts are of requests for files."""

    cuts: list[int] = field(default_factory=list)  # bytes after which each connection breaks
    ends: list[int] = field(default_factory=list)  # the same without a length: a clean end
    ignores_ranges: bool = False
    shifts_ranges: int = 0  # Content-Range says another start, as often
    statuses: list[int] = field(default_factory=list)  # for the first requests
    retry_after: str = ""
    about_status: int = 0  # of every answer about a repository, instead of its facts
    length: int = 0  # added to Content-Length
    packs: bool = False  # gzip, whatever was asked for
    trickle: float = 0.0  # seconds between single bytes
    stalls: bool = False  # sends the head and then nothing
    vanishes_after: int | None = None  # requests
    changes_after: int | None = None  # requests: another content, another ETag


@dataclass
class Hub:
    """What is served: repositories of files, and what was asked."""

    repositories: dict[str, dict[str, bytes]] = field(default_factory=dict)
    facts: dict[str, dict[str, object]] = field(default_factory=dict)
    token: str = ""  # needed for ``gated`` repositories
    expired: str = ""  # a token that the hub does not know any more
    gated: set[str] = field(default_factory=set)
    far: str = ""  # files are redirected to this address
    mischief: Mischief = field(default_factory=Mischief)
    asked: list[Asked] = field(default_factory=list)
    address: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def files_asked(self) -> list[Asked]:
        """The requests for files."""
        return [each for each in self.asked if "/resolve/" in each.path or "FilePath=" in each.path]

    def ranges(self) -> list[str]:
        """The Range header of every request for a file."""
        return [each.headers.get("range", "") for each in self.files_asked]


@contextmanager
def serve(hub: Hub) -> Iterator[Hub]:
    """Serve the hub on a free port of 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(hub))
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def sha256(content: bytes) -> str:
    """Hex digits of the SHA-256."""
    return hashlib.sha256(content).hexdigest()


def git_sha1(content: bytes) -> str:
    """Git's blob id."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _handler_of(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        served = hub

    return Handler


class _Handler(BaseHTTPRequestHandler):
    served: Hub

    def do_GET(self) -> None:
        hub, parts = self.served, urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        hub.asked.append(Asked(headers["host"], self.path, headers))
        path, query = unquote(parts.path), parse_qs(parts.query)
        try:
            if path == "/api/models":
                self._json(_search(hub, query))
            elif path == "/openapi/v1/models":
                self._json(_modelscope_search(hub, query))
            elif path.endswith("/repo/files"):
                self._modelscope_files(path.removeprefix("/api/v1/models/")[: -len("/repo/files")])
            elif path.startswith("/api/v1/models/") and "FilePath" in query:
                self._file(path.removeprefix("/api/v1/models/")[:-5], query["FilePath"][0])
            elif path.startswith("/api/models/"):
                self._about(path.removeprefix("/api/models/"))
            elif "/resolve/" in path:
                repository, _, rest = path.removeprefix("/").partition("/resolve/")
                self._file(repository, rest.partition("/")[2])
            else:
                self.send_error(404)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the reader had enough

    def log_message(self, *_: object) -> None:
        pass

    def _json(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _allowed(self, repository: str) -> bool:
        hub = self.served
        given = self.headers.get("Authorization", "")
        if repository in hub.gated and given != f"Bearer {hub.token}":
            self.send_error(403 if given not in {"", f"Bearer {hub.expired}"} else 401)
            return False
        return True

    def _about(self, repository: str) -> None:
        hub = self.served
        if hub.mischief.about_status or repository not in hub.repositories:
            self.send_error(hub.mischief.about_status or 404)
            return
        siblings: list[dict[str, object]] = []
        for name, content in hub.repositories[repository].items():
            entry: dict[str, object] = {"rfilename": name, "size": len(content)}
            entry["blobId"] = git_sha1(content)
            if name.endswith((".gguf", ".safetensors", ".bin")):
                entry["lfs"] = {"sha256": sha256(content), "size": len(content)}
            siblings.append(entry)
        about = {"id": repository, "sha": "f" * 40, "gated": False, "siblings": siblings}
        self._json(about | hub.facts.get(repository, {}))

    def _modelscope_files(self, repository: str) -> None:
        files = self.served.repositories.get(repository)
        if files is None:
            self.send_error(404)
            return
        entries = [
            {"Path": name, "Size": len(content), "Type": "blob", "Sha256": sha256(content)}
            for name, content in files.items()
        ]
        self._json({"Code": 200, "Data": {"Files": entries}})

    def _file(self, repository: str, name: str) -> None:
        hub, wrong = self.served, self.served.mischief
        if not self._allowed(repository):
            return
        if hub.far:
            self.send_response(302)
            self.send_header("Location", f"{hub.far}/{repository}/resolve/main/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content, asked = hub.repositories.get(repository, {}).get(name), len(hub.files_asked)
        if content is None or (wrong.vanishes_after is not None and asked > wrong.vanishes_after):
            self.send_error(404)
            return
        if wrong.statuses:
            self.send_response(wrong.statuses.pop(0))
            if wrong.retry_after:
                self.send_header("Retry-After", wrong.retry_after)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if wrong.changes_after is not None and asked > wrong.changes_after:
            content = bytes(reversed(content))
        self._send(content, f'"{sha256(content)[:8]}"')

    def _send(self, content: bytes, tag: str) -> None:
        wrong, start, length = self.served.mischief, 0, len(content)
        wanted = self.headers.get("Range", "")
        current = self.headers.get("If-Range", tag) == tag
        if wanted and current and not wrong.ignores_ranges:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= length:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{length}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206)
            said = start
            if wrong.shifts_ranges:
                wrong.shifts_ranges -= 1
                said -= 1
            self.send_header("Content-Range", f"bytes {said}-{length - 1}/{length}")
        else:
            self.send_response(200)
        body = content[start:]
        if wrong.packs:
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        if wrong.ends:
            body = body[: wrong.ends.pop(0)]
        else:
            self.send_header("Content-Length", str(len(body) + wrong.length))
        self.send_header("ETag", tag)
        self.end_headers()
        if wrong.cuts:
            body = body[: wrong.cuts.pop(0)]
        self._write(body)
        self.close_connection = True

    def _write(self, body: bytes) -> None:
        wrong, stopped = self.served.mischief, self.served.stopped
        if wrong.stalls:
            stopped.wait(20)
        elif wrong.trickle:
            for number in range(len(body)):
                if stopped.is_set():
                    return
                self.wfile.write(body[number : number + 1])
                self.wfile.flush()
                time.sleep(wrong.trickle)
        else:
            self.wfile.write(body)


def _matching(hub: Hub, wanted: str) -> list[str]:
    return [name for name in hub.repositories if wanted.casefold() in name.casefold()]


def _sorted(hub: Hub, names: list[str], order: str) -> list[dict[str, object]]:
    """What is known of repositories, the largest figure first; of the same one as they stand."""
    known = [{"id": name, "downloads": 7, "likes": 3} | hub.facts.get(name, {}) for name in names]
    return sorted(known, key=lambda each: str(each.get(order, "")).zfill(20), reverse=True)


def _search(hub: Hub, query: dict[str, list[str]]) -> list[dict[str, object]]:
    names = _matching(hub, query.get("search", query.get("filter", [""]))[0])
    return _sorted(hub, names, query.get("sort", ["downloads"])[0])


def _modelscope_search(hub: Hub, query: dict[str, list[str]]) -> dict[str, object]:
    names = _matching(hub, query.get("search", [""])[0])
    models = _sorted(hub, names, query.get("sort", ["downloads"])[0])
    return {"success": True, "data": {"models": models, "total_count": len(models)}}
