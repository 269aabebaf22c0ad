"""A message being changed in its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.attachment import Attachment
from app.chat.turn import Turn
from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.strip import FileStrip
from app.ui.buttons import Button, Tool
from app.ui.model_drop import local_files
from app.ui.transcript.paper import Paper
from app.ui.words import Plain, wrapped

_TALLEST = 420  # px
_LEAST_BUTTON = 26  # px; text may be larger


class EditField(QPlainTextEdit):
    """The text that is changed; Escape gives up, Ctrl+Enter saves and answers."""

    given_up = Signal()
    finished = Signal()
    files_pasted = Signal(list)  # Path: pasted, or let go over it

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the two keys that end the editing."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take the plain text of whatever is pasted or let go here; files become attachments."""
        if files := local_files(source):
            self.files_pasted.emit(files)
        elif source.hasText():
            self.insertPlainText(source.text())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Allow what there is a use for."""
        return source.hasText() or bool(local_files(source))


class EditBox(QWidget):
    """The box: the files and the text, what saving does, and three buttons.

    Attributes:
        files: cards of the files, of a question.
        attachments: the files that the changed question will have; a reply has none.
    """

    submitted = Signal(str, bool)  # text, answer again (or go on with the reply)
    given_up = Signal()
    height_changed = Signal()

    def __init__(self, paper: Paper, turn: Turn, *, is_reply: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self.attachments = turn.attachments
        self.files = FileStrip(paper.look)
        self.field = EditField()
        self.field.setFrameShape(QFrame.Shape.NoFrame)
        self.field.setTabChangesFocus(True)
        self.field.setFont(paper.look.theme.font("question"))
        self.field.document().setDocumentMargin(0)
        self.field.setPlainText(turn.content)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)
        self.field.setAccessibleName(paper.look.language.text("transcript-edit-field"))
        self.field.given_up.connect(self.given_up)
        self.field.finished.connect(self._on_answer)
        self.field.document().documentLayout().documentSizeChanged.connect(self.height_changed)
        note = "transcript-edit-reply" if is_reply else "transcript-edit-question"
        self._note = Plain(paper.look.language.text(note, version=turn.versions + 1), "caption")
        wrapped(self._note)
        cancel = Button(paper.look, "transcript-cancel", kind="quiet", size="small")
        cancel.clicked.connect(self.given_up)
        keep = self._keep = Button(paper.look, "transcript-save-only", size="small")
        keep.clicked.connect(self._on_keep)
        answer = "transcript-save-continue" if is_reply else "transcript-save-answer"
        go = self._go = Button(paper.look, answer, kind="main", size="small")
        go.clicked.connect(self._on_answer)
        self.attach = Tool(paper.look, "paperclip", "file-attach", side=26, parent=self)
        self.attach.setVisible(not is_reply)
        self._buttons = (cancel, keep, go)
        self._lay_out()

    def _lay_out(self) -> None:
        """Put the note beside the buttons; ``fit`` puts it above them where they leave no room."""
        about, verbs = QHBoxLayout(), QHBoxLayout()
        for row in (about, verbs):
            row.setSpacing(8)
        about.addWidget(self.attach)
        about.addWidget(self._note, 1)
        verbs.addStretch(1)
        for button in self._buttons:
            verbs.addWidget(button)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._foot.setSpacing(8)
        self._foot.addLayout(about, 1)
        self._foot.addLayout(verbs)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 12, 16, 10)
        box.setSpacing(8)
        box.addWidget(self.files)
        box.addWidget(self.field)
        box.addLayout(self._foot)

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        self.field.document().setTextWidth(width - 32)
        line = self.field.fontMetrics().lineSpacing()
        lines = int(self.field.document().size().height())
        inner = max(line, min(_TALLEST, lines * line))
        self.field.setFixedHeight(inner + 4)
        files = self.files.fit_to(width - 32)
        return 12 + files + (8 if files else 0) + inner + 4 + 8 + self._fit_foot(width - 32) + 10

    def _fit_foot(self, width: int) -> int:
        """Give the buttons their heights and the note its line; return the height of both."""
        hints = [button.sizeHint() for button in self._buttons]
        tall = max(_LEAST_BUTTON, *(hint.height() for hint in hints))
        for button in self._buttons:
            button.setFixedHeight(tall)
        note = self._note.fontMetrics().horizontalAdvance(self._note.text())
        clip = 0 if self.attach.isHidden() else self.attach.width() + 8
        is_wide = clip + note + 8 + sum(hint.width() + 8 for hint in hints) <= width
        directions = QBoxLayout.Direction
        self._foot.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        if is_wide:
            return tall
        above = max(self._note.heightForWidth(width - clip), self.attach.height() if clip else 0)
        return above + 8 + tall

    def show_files(
        self,
        files: Sequence[DraftFile],
        attachments: tuple[Attachment, ...],
        *,
        is_waiting: bool,
    ) -> None:
        """Show the files that the changed question will have; it waits for what is being read."""
        self.attachments = attachments
        self.files.show_files(files)
        self._keep.setEnabled(not is_waiting)
        self._go.setEnabled(not is_waiting)
        self.height_changed.emit()

    def show_warning(self, text: str, *, can_answer: bool, can_fit: bool = True) -> None:
        """Say that the files do not fit; an empty text says that they do."""
        self.files.show_warning(text, can_fit=can_fit)
        self._go.setEnabled(can_answer and self._keep.isEnabled())
        self.height_changed.emit()

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
        if self._go.isEnabled():
            self.submitted.emit(self.field.toPlainText(), True)
