"""The reader's process as seen from the window's: started for one file, ended with it.

A file may be made to crash or to starve its reader; here it costs a process that nobody misses.
"""

from __future__ import annotations

import pickle
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from app.documents.document import Document, DocumentFault, DocumentFaultKind
from app.documents.limits import LIMITS, Limits
from engine.service.program import environment, program

_LOOK_S = 0.05  # how often the wish to cancel is looked at
_REASON = 200  # characters of a library's last words


def read_document(
    path: Path,
    password: str = "",
    is_cancelled: Callable[[], bool] = lambda: False,
    limits: Limits = LIMITS,
) -> Document | DocumentFault:
    """Read a file in a process of its own; blocks until it is read, so never on the GUI thread.

    Args:
        path: the file.
        password: for an encrypted PDF.
        is_cancelled: asked some twenty times a second; True ends the process.
        limits: what it may cost.
    """
    process = subprocess.Popen(
        program("app.documents"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    end = time.monotonic() + limits.seconds
    asked: bytes | None = pickle.dumps((path, limits, password))
    while True:
        try:
            answer, said = process.communicate(asked, timeout=_LOOK_S)
            return _result(answer, said, process.returncode, path.name)
        except subprocess.TimeoutExpired:
            asked = None
        if is_cancelled() or time.monotonic() > end:
            process.kill()
            process.communicate()
            if is_cancelled():
                return DocumentFault(DocumentFaultKind.CANCELLED, path.name)
            return DocumentFault(DocumentFaultKind.TOO_SLOW, path.name, {"seconds": limits.seconds})


def _result(answer: bytes, said: bytes, status: int, name: str) -> Document | DocumentFault:
    """Return what the process answered; where it ended without, its last words are the reason."""
    try:
        result: Document | DocumentFault = pickle.loads(answer)
    except (EOFError, pickle.UnpicklingError):
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        if last.startswith("MemoryError"):
            return DocumentFault(DocumentFaultKind.OUT_OF_MEMORY, name)
        reason = last[:_REASON] or f"the reader ended with status {status}"
        return DocumentFault(DocumentFaultKind.DAMAGED, name, {"reason": reason})
    return result
