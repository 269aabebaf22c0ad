"""The queue on disk, and where unfinished files lie.

Everything unfinished lies under ``.downloads`` in the model folder, each file with an ending that
no scan takes for a model, until the whole download is there and verified. Then the files move to
their place, the one that makes a model of them last.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from pathlib import Path

from engine.library.downloads.disk import sha256_of
from engine.library.downloads.order import DownloadState, Order, WantedFile, from_json, to_json

UNFINISHED = ".downloads"
_WHOLE = ".whole"


class _Standing(Enum):
    """What there is where a file of an order would lie."""

    FREE = "free"
    SAME = "same"  # the file itself
    ANOTHER = "another"  # something else of its name
    ELSEWHERE = "elsewhere"  # nothing, and the file has been moved to another folder


class Record:
    """What there is on disk of a queue of one model folder.

    Args:
        models: the model folder.
        name: tells queues of one folder apart: programs that run at once share none.
    """

    def __init__(self, models: Path, name: str) -> None:
        self._models, self._name = models, name
        self.folder = models / UNFINISHED
        self._file = self.folder / f"{name}.json"

    def read(self) -> list[DownloadState]:
        """The queue as it was; entries that cannot be read are left out."""
        try:
            entries = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return []
        states = []
        for entry in entries if isinstance(entries, list) else []:
            try:
                states.append(from_json(entry))
            except (KeyError, TypeError, ValueError):
                continue
        return states

    def write(self, states: Iterable[DownloadState]) -> None:
        """Replace what is kept of the queue, all or nothing.

        Raises:
            OSError: the folder cannot be written.
        """
        kept = [to_json(state) for state in states]
        if not kept:
            self._file.unlink(missing_ok=True)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(kept, indent=1), "utf-8")
        os.replace(new, self._file)

    def waiting(self, order: Order, file: WantedFile) -> Path:
        """Where a file lies when it is whole and the others are not."""
        return self._staging(order) / (file.path + _WHOLE)

    def final(self, order: Order, file: WantedFile) -> Path:
        """Where a file will lie."""
        return self._models / order.folder / file.path

    def here(self, order: Order, file: WantedFile) -> int:
        """How many of the file's bytes are here."""
        whole = self.waiting(order, file)
        for path in (whole, whole.with_name(whole.name + ".part")):
            if path.is_file():
                return path.stat().st_size
        return 0

    def publish(self, order: Order) -> Path:
        """Move everything to its place; what to load.

        Files that an interrupted move has brought there already are passed over. No file takes the
        place of a different one of its name, which may be somebody's own or an older version that
        is in use: the next free folder is the order's own. That may read files of many gigabytes.

        Raises:
            OSError: a file cannot be moved.
        """
        order = self._placed(order)
        for file in sorted(order.files, key=_is_entry):
            source, target = self.waiting(order, file), self.final(order, file)
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(source, target)
        shutil.rmtree(self._staging(order), ignore_errors=True)
        return self._models / order.folder / order.entry

    def _placed(self, order: Order) -> Order:
        """The order in a folder where it takes nothing's place, and where what has moved lies."""
        free, number, placed = None, 1, order
        while free is None or (self._models / placed.folder).exists():
            stands = {self._standing(placed, file) for file in placed.files}
            if stands <= {_Standing.FREE, _Standing.SAME}:
                return placed
            if free is None and _Standing.ANOTHER not in stands:
                free = placed
            number += 1
            placed = replace(order, folder=f"{order.folder} {number}")
        return free

    def _standing(self, order: Order, file: WantedFile) -> _Standing:
        source, target = self.waiting(order, file), self.final(order, file)
        if not source.is_file():
            return _Standing.SAME if _is(file, target) else _Standing.ELSEWHERE
        if not os.path.lexists(target):
            return _Standing.FREE
        same = target.is_file() and filecmp.cmp(source, target, shallow=False)
        return _Standing.SAME if same else _Standing.ANOTHER

    def discard(self, order: Order) -> None:
        """Remove what arrived of an order."""
        shutil.rmtree(self._staging(order), ignore_errors=True)

    def _staging(self, order: Order) -> Path:
        return self.folder / f"{self._name}-{short_name(order)}"


def _is(file: WantedFile, target: Path) -> bool:
    """Whether a file of an order lies here: moved before the program ended."""
    if not target.is_file() or (file.size and target.stat().st_size != file.size):
        return False
    return not file.sha256 or sha256_of(target) == file.sha256


def short_name(order: Order) -> str:
    """A name for an order that any file system takes."""
    return hashlib.sha256(order.key.encode()).hexdigest()[:16]


def _is_entry(file: WantedFile) -> bool:
    """Whether this file makes a model of those beside it: the config, or a GGUF's first part."""
    name = file.path.rpartition("/")[2].lower()
    later = name.endswith(".gguf") and "-of-" in name and "-00001-of-" not in name
    return name == "config.json" or (name.endswith(".gguf") and not later)
