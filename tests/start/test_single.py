"""One window per user and data folder: over real sockets and real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QDir
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from app.start.request import StartRequest
from app.start.single import SingleInstance, socket_name, wait_for_end
from app.store.instance_lock import InstanceLock

ROOT = Path(__file__).parents[2]
Make = Callable[[Path], SingleInstance]
SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.start.request import StartRequest
from app.start.single import SingleInstance
app = QCoreApplication([])
single = SingleInstance(Path(sys.argv[1]))
if sys.argv[2] == "listen":
    print(single.listen(), flush=True)
    sys.stdin.read()
elif sys.argv[2] == "race":
    if single.is_first(StartRequest(Path("/a.gguf"))):
        print("first", flush=True)
        single.asked.connect(app.quit)
        app.exec()
else:
    print(single.hand_over(StartRequest(Path(sys.argv[2]))))
"""


@pytest.fixture(autouse=True)
def _run_time_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))


@pytest.fixture
def make(qapp: object) -> Iterator[Make]:
    made: list[SingleInstance] = []

    def make(folder: Path) -> SingleInstance:
        made.append(SingleInstance(folder))
        return made[-1]

    yield make
    for each in made:
        each.close()


def second(folder: Path, argument: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SECOND, str(folder), argument],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def test_a_second_start_hands_its_file_over_and_ends(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    first = make(tmp_path)
    assert first.listen()
    with qtbot.waitSignal(first.asked, timeout=20_000) as asked:
        other = second(tmp_path, "/models/模型.gguf")
    assert asked.args == [StartRequest(Path("/models/模型.gguf"))]
    assert other.communicate(timeout=20)[0].strip() == "True"


def test_without_a_first_start_nothing_is_handed_over(make: Make, tmp_path: Path) -> None:
    assert not make(tmp_path).hand_over(StartRequest())


def test_two_data_folders_do_not_know_each_other(make: Make, tmp_path: Path) -> None:
    one, other = make(tmp_path / "one"), make(tmp_path / "other")
    assert one.listen()
    assert not other.hand_over(StartRequest())
    assert other.listen()


def test_one_folder_by_two_paths_is_one(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "one")
    assert socket_name(tmp_path / "one") == socket_name(tmp_path / "link")


def test_a_socket_left_by_a_kill_is_replaced(make: Make, tmp_path: Path) -> None:
    killed = second(tmp_path, "listen")
    assert killed.stdout is not None
    assert killed.stdout.readline().strip() == "True"
    killed.kill()
    killed.communicate(timeout=20)
    assert Path(socket_name(tmp_path)).exists()
    after = make(tmp_path)
    assert not after.hand_over(StartRequest())
    assert after.listen()


def test_one_that_lives_is_not_replaced(make: Make, tmp_path: Path) -> None:
    first = make(tmp_path)
    assert first.listen()
    assert not make(tmp_path).listen()
    assert first._server is not None
    assert first._server.isListening()


def test_of_two_starts_at_a_time_one_is_first(tmp_path: Path) -> None:
    """A double click too many."""
    both = [second(tmp_path, "race") for _ in range(2)]
    said = sorted(each.communicate(timeout=30)[0].strip() for each in both)
    assert said == ["", "first"]


def test_nonsense_is_not_answered_and_later_starts_are(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    first = make(tmp_path)
    assert first.listen()
    for nonsense in (b"GET / HTTP/1.1\n", b"x" * 100_000):
        socket = QLocalSocket()
        socket.connectToServer(first.name)
        assert socket.waitForConnected(1000)
        socket.write(nonsense)
        qtbot.waitUntil(
            lambda socket=socket: socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
        )
        assert socket.readAll().size() == 0
    with qtbot.waitSignal(first.asked, timeout=20_000):
        other = second(tmp_path, "/a.gguf")
    assert other.communicate(timeout=20)[0].strip() == "True"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no files")
def test_a_socket_of_another_user_gets_no_path(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make(tmp_path)
    assert first.listen()
    monkeypatch.setattr(os, "getuid", lambda: 99_999)
    other = make(tmp_path)
    other.name = first.name
    assert not other.hand_over(StartRequest(Path("/secret.gguf")))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the run-time folder is Linux's")
def test_without_a_run_time_folder_the_socket_lies_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    name = socket_name(tmp_path)
    assert "/" not in name
    assert len(f"{QDir.tempPath()}/{name}".encode()) < 100  # a socket's path has 107 bytes


def test_a_start_waits_until_the_one_before_has_saved(tmp_path: Path) -> None:
    path = tmp_path / "chats.db.lock"
    assert wait_for_end(path, 5)
    lock = InstanceLock(path)
    assert not wait_for_end(path, 0.01)
    timer = threading.Timer(0.1, lock.release)
    timer.start()
    assert wait_for_end(path, 20)
    timer.join()
