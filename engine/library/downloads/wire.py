"""The connection that a thread waits on, so that another thread can end the wait at once."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx


class Wire:
    """Holds the socket of the running answer; ``cut`` makes its reader return."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Any = None  # socket.socket, or ssl's

    def carry(self, response: httpx.Response) -> None:
        """Note the socket that an answer comes over."""
        stream = response.extensions.get("network_stream")
        with self._lock:
            self._socket = stream.get_extra_info("socket") if stream is not None else None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Forget the socket at the end: the client may use it for something else."""
        try:
            yield
        finally:
            with self._lock:
                self._socket = None

    def cut(self) -> None:
        """End the running answer; the reader sees a broken connection."""
        with self._lock:
            if self._socket is not None:
                with contextlib.suppress(OSError):  # it is closed already
                    self._socket.shutdown(socket.SHUT_RDWR)
