"""A message being changed in its place."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.transcript.paper import Paper
from app.ui.words import Plain, wrapped

_TALLEST = 420  # px


class EditField(QPlainTextEdit):
    """The text that is changed; Escape gives up, Ctrl+Enter saves and answers."""

    given_up = Signal()
    finished = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the two keys that end the editing."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        else:
            super().keyPressEvent(event)


class EditBox(QWidget):
    """The box: the text, what saving does, and three buttons."""

    submitted = Signal(str, bool)  # text, answer again (or go on with the reply)
    given_up = Signal()
    height_changed = Signal()

    def __init__(
        self, paper: Paper, text: str, *, is_reply: bool, next_version: int, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._paper = paper
        self.field = EditField()
        self.field.setFrameShape(QFrame.Shape.NoFrame)
        self.field.setTabChangesFocus(True)
        self.field.setFont(paper.look.theme.font("question"))
        self.field.document().setDocumentMargin(0)
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)
        self.field.setAccessibleName(paper.look.language.text("transcript-edit-field"))
        self.field.given_up.connect(self.given_up)
        self.field.finished.connect(self._on_answer)
        self.field.document().documentLayout().documentSizeChanged.connect(self.height_changed)
        note = "transcript-edit-reply" if is_reply else "transcript-edit-question"
        self._note = Plain(paper.look.language.text(note, version=next_version), "caption")
        wrapped(self._note)
        cancel = Button(paper.look, "transcript-cancel", kind="quiet", size="small")
        cancel.clicked.connect(self.given_up)
        keep = Button(paper.look, "transcript-save-only", size="small")
        keep.clicked.connect(self._on_keep)
        answer = "transcript-save-continue" if is_reply else "transcript-save-answer"
        go = Button(paper.look, answer, kind="main", size="small")
        go.clicked.connect(self._on_answer)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._note, 1)
        for button in (cancel, keep, go):
            button.setFixedHeight(26)
            foot.addWidget(button)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 12, 16, 10)
        box.setSpacing(8)
        box.addWidget(self.field)
        box.addLayout(foot)

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        self.field.document().setTextWidth(width - 32)
        line = self.field.fontMetrics().lineSpacing()
        lines = int(self.field.document().size().height())
        inner = max(line, min(_TALLEST, lines * line))
        self.field.setFixedHeight(inner + 4)
        return 12 + inner + 4 + 8 + 26 + 10

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box with its border of focus."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("accent"), 2))
        painter.setBrush(theme.color("paper"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 10, 10)

    @Slot()
    def _on_keep(self) -> None:
        self.submitted.emit(self.field.toPlainText(), False)

    @Slot()
    def _on_answer(self) -> None:
        self.submitted.emit(self.field.toPlainText(), True)
