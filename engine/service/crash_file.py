"""A file that a crash in native code, or an error that nobody caught, leaves its place in.

One file a process, open from its start: after a crash nothing can be opened any more. A process
that ends well takes its empty file away. No file ever holds what was said in a chat: it has the
names of functions and lines.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType

FOLDER_VARIABLE = "INKSTONE_CRASHES"
_KEPT = 10  # reports


class CrashFile:
    """Watches this process until ``close``.

    Args:
        folder: where reports lie; made if need be.
        part: of the program: "window", "engine".

    Raises:
        OSError: nothing can be written there.
    """

    def __init__(self, folder: Path, part: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self.path = folder / f"{stamp}-{part}-{os.getpid()}.txt"
        self._file = self.path.open("w", encoding="utf-8", buffering=1)
        faulthandler.enable(self._file)
        self._hook, sys.excepthook = sys.excepthook, self._on_error

    def close(self) -> None:
        """Stop watching; an empty file goes."""
        sys.excepthook = self._hook
        faulthandler.disable()
        self._file.close()
        if self.path.exists() and not self.path.stat().st_size:
            self.path.unlink()

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Note where an error came from, without its message: that may hold anything."""
        for frame in traceback.extract_tb(trace):
            self._file.write(f'  File "{frame.filename}", line {frame.lineno} in {frame.name}\n')
        self._file.write(f"{kind.__name__}\n")
        self._hook(kind, error, trace)


def watch_as_told() -> None:
    """Watch this process until its end, where the one that started it wants reports."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        try:
            report = CrashFile(Path(folder), "engine")
        except OSError:
            return  # reports are a help, no need
        import atexit  # noqa: PLC0415 - of use here alone

        atexit.register(report.close)


def take_reports(folder: Path) -> list[Path]:
    """Return the reports that are new since the last call; the oldest of more than ten go.

    Files of processes that were killed are empty, and go as well. What is open stays: this
    process's own file, and those that were begun after it, which its children have.
    """
    new: list[Path] = []
    try:
        paths = sorted(folder.glob("*.txt"))
        own = next((p for p in paths if p.name.endswith(f"-{os.getpid()}.txt")), None)
        for path in paths if own is None else paths[: paths.index(own)]:
            if not path.stat().st_size:
                path.unlink()
            elif not path.name.endswith(".seen.txt"):
                new.append(path.rename(path.with_suffix(".seen.txt")))
        for path in sorted(folder.glob("*.seen.txt"))[:-_KEPT]:
            path.unlink()
    except OSError:
        return new
    return new
