"""The cards above what is typed, and the line that says when they do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.attachments.cards import FileCard
from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.flow import Flow
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain, wrapped

_BELOW = 8  # px


class FileStrip(QWidget):
    """Shows files and says which of them is wanted; decides nothing."""

    opened = Signal(object)  # DraftFile
    removed = Signal(object)  # DraftFile
    fit_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._flow = Flow()
        self._warning = QFrame()
        self._warning.setObjectName("notice")
        self._warning.setProperty("tone", "warning")
        self._words = Plain("", "small")
        wrapped(self._words)
        self.fit = Button(look, "file-fit", size="small")
        self.fit.clicked.connect(self.fit_wanted)
        row = QHBoxLayout(self._warning)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(StatusIcon(look, "warning", "ochre", 16))
        row.addWidget(self._words, 1)
        row.addWidget(self.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, _BELOW)
        column.setSpacing(_BELOW)
        column.addWidget(self._flow)
        column.addWidget(self._warning)
        self._warning.hide()
        self.hide()

    def show_files(self, files: Sequence[DraftFile]) -> None:
        """Show a card for each file."""
        self._flow.show_widgets([self._card(each) for each in files])
        self.setVisible(bool(files))

    def show_warning(self, text: str, *, can_fit: bool = True) -> None:
        """Say that the files do not fit; an empty text says that they do.

        ``can_fit`` offers the choice of what is to be kept.
        """
        self._words.setText(text)
        self.fit.setVisible(can_fit)
        self._warning.setVisible(bool(text))

    @property
    def warns(self) -> bool:
        """Say whether the warning stands."""
        return self._warning.isVisibleTo(self)

    def fit_to(self, width: int) -> int:
        """Place everything for a width, and return the height; 0 while there is nothing."""
        if self.isHidden():
            return 0
        tall = self._flow.fit(width) + _BELOW
        if self.warns:
            tall += _BELOW + max(40, self._warning.heightForWidth(width))
        return tall

    @property
    def cards(self) -> list[FileCard]:
        """The cards that are shown."""
        return [each for each in self._flow.shown if isinstance(each, FileCard)]

    def _card(self, file: DraftFile) -> FileCard:
        card = FileCard(self._look, file.name, file.attachment)
        card.opened.connect(lambda: self.opened.emit(file))
        card.removed.connect(lambda: self.removed.emit(file))
        return card
