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
from pathlib import Path

from engine.library.downloads.order import DownloadState, Order, WantedFile, from_json, to_json

UNFINISHED = ".downloads"
_WHOLE = ".whole"


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

        Files that an interrupted move has brought there already are passed over. A file that no
        hub vouches for never takes the place of another one of its name: the next free folder is
        its own.

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
        return self.entry(order)

    def _placed(self, order: Order) -> Order:
        """The order in a folder where nothing of another origin lies."""
        number, placed = 1, order
        while any(self._would_replace(placed, file) for file in placed.files):
            number += 1
            placed = replace(order, folder=f"{order.folder} {number}")
        return placed

    def _would_replace(self, order: Order, file: WantedFile) -> bool:
        source, target = self.waiting(order, file), self.final(order, file)
        if file.is_verifiable or not (source.is_file() and target.is_file()):
            return False
        return not filecmp.cmp(source, target, shallow=False)

    def entry(self, order: Order) -> Path:
        """What to load of a finished order: a GGUF file (the first part), or the folder."""
        ggufs = [file for file in order.files if file.path.lower().endswith(".gguf")]
        return self.final(order, ggufs[0]) if ggufs else self._models / order.folder

    def discard(self, order: Order) -> None:
        """Remove what arrived of an order."""
        shutil.rmtree(self._staging(order), ignore_errors=True)

    def _staging(self, order: Order) -> Path:
        return self.folder / f"{self._name}-{short_name(order)}"


def short_name(order: Order) -> str:
    """A name for an order that any file system takes."""
    return hashlib.sha256(order.key.encode()).hexdigest()[:16]


def _is_entry(file: WantedFile) -> bool:
    """Whether this file makes a model of those beside it: the config, or a GGUF's first part."""
    name = file.path.rpartition("/")[2].lower()
    later = name.endswith(".gguf") and "-of-" in name and "-00001-of-" not in name
    return name == "config.json" or (name.endswith(".gguf") and not later)
