"""A model's file let go anywhere over the window is opened; the chat page says so beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

_DRAGS = {QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop}


def local_files(data: QMimeData) -> list[Path]:
    """Return the files of this computer that are dragged or pasted."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def only_model(paths: Sequence[Path]) -> Path | None:
    """Return the model's file where the paths are one such file and nothing else."""
    if len(paths) == 1 and paths[0].suffix.lower() == ".gguf":
        return paths[0]
    return None


class ModelDrop(QObject):
    """Takes a model's file that is dragged over a window and let go there.

    Pages that take files themselves are asked by Qt before their window.
    """

    dropped = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept the drag, and say which file was let go."""
        if event.type() not in _DRAGS or not isinstance(event, QDropEvent):
            return False
        model = only_model(local_files(event.mimeData()))
        if model is None:
            return False
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if event.type() == QEvent.Type.Drop:
            self.dropped.emit(str(model))
        return True
