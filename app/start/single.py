"""One window per user and data folder: a later start hands over what it was asked for, and ends.

The first one listens on a local socket whose name is made of the folder. A socket that nobody
answers is what a kill left, and is replaced; a window that listens but does not answer in time is
left alone, and the lock of the chats (``app/store/instance_lock.py``) says so in the second window.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QDir, QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.start.request import StartRequest, read_line
from app.store.faults import StoreError
from app.store.instance_lock import InstanceLock

_CONNECT_MS, _ANSWER_MS = 1000, 4000
_LONGEST = 1 << 16  # bytes of a line
_ANSWER = b"ok\n"
_POLL_S = 0.05


class SingleInstance(QObject):
    """The socket between the starts of one user over one data folder.

    Args:
        folder: the data folder; it need not exist.
    """

    asked = Signal(object)  # StartRequest of a later start

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = socket_name(folder)
        self._server: QLocalServer | None = None

    def hand_over(self, request: StartRequest) -> bool:
        """Give a request to the window that is open; False when there is none that answers."""
        if not _is_ours(self.name):
            return False
        socket = QLocalSocket()
        socket.connectToServer(self.name)
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        _let_come_forward()
        socket.write(request.line())
        answered = socket.waitForReadyRead(_ANSWER_MS) and bytes(socket.readAll().data()) == _ANSWER
        socket.abort()
        return answered

    def is_first(self, request: StartRequest) -> bool:
        """Listen where nobody does, else hand over; two starts at a time do so one after the other.

        False when the request was handed over: this start has nothing left to do.
        """
        place = Path(self.name if os.path.isabs(self.name) else f"{QDir.tempPath()}/{self.name}")
        turn = QLockFile(f"{place}.lock")
        turn.tryLock(_ANSWER_MS)  # without it, at worst, the lock of the chats tells them apart
        try:
            if self.hand_over(request):
                return False
            self.listen()
        finally:
            turn.unlock()
        return True

    def listen(self) -> bool:
        """Answer later starts from now on; False when the name is taken by one that lives."""
        if _somebody_listens(self.name):  # Qt would put the new socket in the place of any other
            return False
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connected)
        QLocalServer.removeServer(self.name)  # a kill left it
        if not server.listen(self.name):
            return False
        self._server = server
        return True

    def close(self) -> None:
        """Answer nobody any more; safe to call twice."""
        if self._server is not None:
            self._server.close()
            self._server = None

    @Slot()
    def _on_connected(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()):
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            if socket.bytesAvailable():
                self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _LONGEST:
                socket.abort()
            return
        request = read_line(bytes(socket.readLine().data()))
        if request is None:
            socket.abort()
            return
        socket.write(_ANSWER)
        socket.flush()
        self.asked.emit(request)


def socket_name(folder: Path) -> str:
    """Return the name of the socket of one user and folder, short enough for every system.

    On Linux it lies in the user's own run-time folder where there is one, so that no other user
    can be there first.
    """
    user = str(os.getuid()) if sys.platform != "win32" else os.environ.get("USERNAME", "")
    seed = f"{user}\n{os.path.realpath(folder)}"
    name = f"inkstone-{hashlib.sha256(seed.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    if sys.platform.startswith("linux") and own and os.access(own, os.W_OK):
        return str(Path(own) / name)
    return name


def wait_for_end(lock: Path, seconds: float) -> bool:
    """Wait until no program holds the chats: the one before may still be saving them.

    Args:
        lock: the lock's file.
        seconds: the longest wait.
    """
    end = time.monotonic() + seconds
    while lock.exists():
        try:
            InstanceLock(lock).release()
        except StoreError:
            if time.monotonic() > end:
                return False
            time.sleep(_POLL_S)
        except OSError:
            break  # nothing can be locked there; opening the chats says why
        else:
            break
    return True


def _somebody_listens(name: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(name)
    lives = socket.waitForConnected(_CONNECT_MS)
    socket.abort()
    return lives


def _is_ours(name: str) -> bool:
    """Say whether a socket file is this user's; a path must not go to another one."""
    if sys.platform == "win32":
        return True
    path = Path(QDir.tempPath()) / name  # an absolute name stays itself
    try:
        return path.stat().st_uid == os.getuid()
    except OSError:
        return False


def _let_come_forward() -> None:
    """Allow the other process to raise its window: Windows lets only the active one."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.AllowSetForegroundWindow(-1)
