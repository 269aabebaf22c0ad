"""The user's own chats as a text that rounding is measured on."""

from __future__ import annotations

from pathlib import Path

from app.store.chats import ChatStore
from app.store.settings import write_atomically
from engine.contract import EngineError, FaultKind

_MOST = 200_000  # characters: far more than is read


def write_own_text(store: ChatStore, path: Path) -> int:
    """Write what was said in the latest chats into a file; how many characters.

    Raises:
        EngineError: ``FILE_UNREADABLE`` where it cannot be written.
    """
    pieces: list[str] = []
    length = 0
    for chat in store.chats():
        for row in store.turns([turn for turn, _ in store.links(chat.id)]):
            pieces.append(row.content)
            length += len(row.content)
        if length > _MOST:
            break
    text = "\n\n".join(piece for piece in pieces if piece.strip())[:_MOST]
    if text:
        try:
            write_atomically(path, text.encode("utf-8", "replace"))
        except OSError as error:
            reason = error.strerror or str(error)
            raise EngineError(FaultKind.FILE_UNREADABLE, path=str(path), reason=reason) from error
    return len(text)
