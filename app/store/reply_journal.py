"""The text of replies that are being written now: a file that is only ever appended to.

Why not a table: SQLite writes whole pages, so a second's hundred bytes cost 4 kB in its log, and a
reply of 1,000 tokens at 20 a second costs 200 kB for 5 kB of text. Here it costs its own size.

A line is JSON: turn, run, channel, offset in the channel's text, text. The offset makes reading
idempotent: a line that was written twice counts once. The run tells a continued reply's lines from
older ones of the same turn. A line that a kill cut short is the last one, and is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Piece:
    """New text of one channel of a reply; ``offset`` is where it begins, in characters."""

    channel: str
    offset: int
    text: str


class ReplyJournal:
    """The journal of one store; every method but ``read`` runs on the thread that writes.

    Args:
        path: the file, or None for a store in memory, which has nothing to recover.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._size = 0
        self._running: set[int] = set()

    def append(self, turn: int, run: int, pieces: Iterable[Piece]) -> None:
        """Write pieces and wait until they are on the disk.

        Raises:
            OSError: the disk refused; what the file holds is as before, for the reader.
        """
        if self._path is None:
            return
        lines = (
            json.dumps([turn, run, piece.channel, piece.offset, piece.text]) for piece in pieces
        )
        raw = "".join(line + "\n" for line in lines).encode()
        if self._file is None:
            self._file = self._path.open("r+b" if self._path.exists() else "w+b", buffering=0)
        self._file.truncate(self._size)  # half a line that a full disk left
        self._file.seek(self._size)
        self._file.write(raw)
        os.fsync(self._file.fileno())
        self._size += len(raw)
        self._running.add(turn)

    def end(self, turn: int) -> None:
        """Forget a reply that is in its row now; the file is emptied when no other runs.

        Raises:
            OSError: the file stays as it is, which is harmless: its turns are not unfinished.
        """
        self._running.discard(turn)
        if self._file is not None and not self._running:
            self._file.truncate(0)
            self._size = 0

    def read(self) -> Mapping[int, list[Piece]]:
        """Return the pieces of each turn's last run, in order."""
        runs: dict[int, int] = {}
        pieces: dict[int, list[Piece]] = {}
        for turn, run, piece in self._lines():
            if runs.setdefault(turn, run) != run:
                runs[turn] = run
                pieces[turn] = []
            pieces.setdefault(turn, []).append(piece)
        return pieces

    def close(self, *, empty: bool = False) -> None:
        """Let go of the file; ``empty`` removes what was recovered from it."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if empty and self._path is not None:
            self._path.unlink(missing_ok=True)
            self._size = 0

    def _lines(self) -> Iterable[tuple[int, int, Piece]]:
        if self._path is None or not self._path.exists():
            return
        for line in self._path.read_bytes().splitlines():
            try:
                turn, run, channel, offset, text = json.loads(line)
            except (ValueError, TypeError):
                continue
            if isinstance(turn, int) and isinstance(offset, int) and isinstance(text, str):
                yield turn, run, Piece(str(channel), offset, text)


def extend(before: str, pieces: Iterable[Piece]) -> str:
    """Return a channel's text with its pieces put where they belong; a gap ends it."""
    text = before
    for piece in pieces:
        new = piece.text[len(text) - piece.offset :] if piece.offset < len(text) else piece.text
        if piece.offset > len(text):
            break
        text += new
    return text
