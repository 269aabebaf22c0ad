"""All questions of a chat in a list over the page; of thousands only what is seen is made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout, QWidget

from app.chat.turn import Turn
from app.ui.look import Look

_WIDE, _ROWS = 380, 14  # px; rows that are seen at once
_LONGEST = 200  # characters of a question
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Questions(QAbstractListModel):
    """The questions, each on one line.

    Args:
        turns: from the first to the last.
        nameless: what is shown of a question that is files alone.
    """

    def __init__(self, turns: Sequence[Turn], nameless: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._turns, self._nameless = turns, nameless

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """Return the number of questions."""
        return 0 if parent is not None and parent.isValid() else len(self._turns)

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the words of a question."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        turn = self._turns[index.row()]
        words = " ".join(turn.content[: 2 * _LONGEST].split())[:_LONGEST]
        return words or ", ".join(file.name for file in turn.attachments) or self._nameless

    def turn(self, row: int) -> int:
        """Return the number of the turn in a row."""
        return self._turns[row].id


class QuestionPopup(QFrame):
    """The list as a popup: a click or Enter goes to a question, Escape closes it."""

    chosen = Signal(int)  # turn

    def __init__(self, look: Look, turns: Sequence[Turn], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("questions")
        self.questions = Questions(turns, look.language.text("chat-untitled"), self)
        self.list = QListView(self)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for widget in (self, self.list):
            widget.setAccessibleName(look.language.text("transcript-questions"))
        self.list.setModel(self.questions)
        self.list.clicked.connect(self._on_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.list)
        self.setFocusProxy(self.list)
        rows = min(_ROWS, self.questions.rowCount())
        high = max(look.theme.high(30), self.list.sizeHintForRow(0))
        self.resize(look.theme.px(_WIDE), rows * high + 10)

    def open_below(self, button: QWidget) -> None:
        """Open at a button, its right edge at the button's, with the newest question chosen."""
        corner = button.mapToGlobal(button.rect().bottomRight())
        self.move(corner.x() - self.width() + 1, corner.y() + 1)
        self.show()
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)  # first: a row is only read then
        last = self.questions.index(self.questions.rowCount() - 1)
        self.list.setCurrentIndex(last)
        self.list.scrollTo(last)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the current question on Enter, close on Escape."""
        if event.key() in _ENTER:
            self._on_chosen(self.list.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            turn = self.questions.turn(index.row())
            self.close()
            self.chosen.emit(turn)
