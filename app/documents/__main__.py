"""The reader's process: one file's path on standard input, its document on standard output.

``python -m app.documents``; only ``process`` starts it. Both are pickled. What a library prints
goes to the errors, whose last line is the reason where no document comes.
"""

from __future__ import annotations

import os
import pickle
import sys

from app.documents.limits import Limits
from app.documents.reading import read


def main() -> int:
    """Read one file; the exit status."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    path, limits, password = pickle.load(sys.stdin.buffer)
    _limit_memory(limits)
    pickle.dump(read(path, limits, password), answers)
    answers.flush()
    return 0


def _limit_memory(limits: Limits) -> None:
    """Limit the address space, where the system can: a bomb then ends as a fault of this file."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = limits.memory_bytes if hard == resource.RLIM_INFINITY else min(hard, limits.memory_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    sys.exit(main())
