"""The files of a sent question that is being changed: some may go, others may come.

The changed question becomes a new version with the files that its box shows then; the old version
keeps its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.attachment import Attachment
from app.chat.text_count import TextCount
from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.draft_files import DraftFiles
from app.ui.background import Background

if TYPE_CHECKING:
    from app.ui.transcript.editing import EditBox


class EditedMessage:
    """Holds the files while the message is changed; nothing of it is on the disk."""

    def __init__(self, attachments: tuple[Attachment, ...]) -> None:
        self._attachments = attachments
        self._documents: dict[str, bytes] = {}

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files that the box shows."""
        return self._attachments

    def set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Take the files that the box shows from now on."""
        self._attachments = attachments

    def keep_document(self, packed: bytes) -> str:
        """Keep a whole file as long as the box is open."""
        name = str(len(self._documents) + 1)
        self._documents[name] = packed
        return name

    def document(self, name: str) -> bytes | None:
        """Return a file that was kept."""
        return self._documents.get(name)


class EditedFiles(QObject):
    """Answers what one box says of its files; lives as long as the box.

    Args:
        box: in which the question is changed.
        background: where files are read.
        counts: the engine's counting.
    """

    def __init__(self, box: EditBox, background: Background, counts: TextCount) -> None:
        super().__init__(box)
        self._box = box
        self.files = DraftFiles(EditedMessage(box.attachments), background, counts, self)
        box.field.files_pasted.connect(self.add)
        box.files.removed.connect(self._on_removed)
        self.files.changed.connect(self._on_changed)
        self._on_changed()

    @Slot(list)
    def add(self, paths: list[Path]) -> None:
        """Attach files to the question."""
        self.files.add(paths)

    def room(self, all_of_it: int) -> int:
        """Return how many tokens the files may take beside what is typed, of ``all_of_it``.

        What is typed is not counted with every key: two characters a token is cautious.
        """
        return max(0, all_of_it - len(self._box.field.toPlainText()) // 2)

    @Slot(object)
    def _on_removed(self, file: DraftFile) -> None:
        self.files.remove(file)
        self._box.field.setFocus()

    @Slot()
    def _on_changed(self) -> None:
        files = self.files
        self._box.show_files(files.files, files.holder.attachments, is_waiting=files.is_waiting)
