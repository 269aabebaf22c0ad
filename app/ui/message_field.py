"""The field in which a message is typed: Enter sends, Shift+Enter breaks, an input method rules.

A plain-text edit, not a rich one: 20,000 pasted lines take 34 ms and a key 1.4 ms in it, 853 ms
and 26 ms in a QTextEdit (measured, 2 cores). Its height follows the text up to a share of the
window.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QDragEnterEvent,
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout

from app.ui.look import Look
from app.ui.model_drop import local_files
from app.ui.plain_field import PlainField

_LONG = 10_000  # characters: so many are taken for words
_UNDO = QKeySequence.StandardKey.Undo
_SHARE = 0.4  # of the window's height, at most


class MessageField(PlainField):
    """A growing field for plain text."""

    send_requested = Signal()
    focus_changed = Signal(bool)
    edit_last_requested = Signal()  # Up, in an empty field
    files_pasted = Signal(list)  # Path
    image_pasted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._composing = False  # the input method shows text that is not committed
        self._just_committed = False  # …and has committed it within this turn of the event loop
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.document().clearUndoRedoStacks()  # the margin is no step of the person's
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        look.follow(self._on_look_changed)

    def say(self, text: str) -> None:
        """Replace what is typed, and put the cursor behind it."""
        if text != self.toPlainText():
            self.setPlainText(text)
            cursor = self.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            self.setTextCursor(cursor)

    def write(self, text: str) -> None:
        """Replace what is typed in a way that can be undone."""
        cursor = self.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def says_something(self) -> bool:
        """Say whether more than blanks is typed; of a long text only the length is looked at."""
        document = self.document()
        if document.characterCount() > _LONG:
            return True
        return bool(document.toPlainText().strip())

    def event(self, event: QEvent) -> bool:
        """Leave "undo" to the window where nothing was typed that could be taken back."""
        asks_first = event.type() == QEvent.Type.ShortcutOverride
        if asks_first and isinstance(event, QKeyEvent) and event.matches(_UNDO):
            event.setAccepted(self.document().isUndoAvailable())
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send on Enter, unless an input method owns the key or a modifier asks for a new line."""
        if event.key() == Qt.Key.Key_Up and self._is_blank() and not _modified(event):
            self.edit_last_requested.emit()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self._composing or self._just_committed:
            event.accept()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            self.send_requested.emit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether text is being composed; some systems deliver its Enter too."""
        was_composing = self._composing
        self._composing = bool(event.preeditString())
        if was_composing and event.commitString():
            self._just_committed = True
            QTimer.singleShot(0, self, self._on_commit_over)
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste the plain text of whatever is pasted; files become attachments."""
        if files := local_files(source):
            self.files_pasted.emit(files)
        elif source.hasImage() and not source.hasText():
            self.image_pasted.emit()
        elif source.hasText():
            self.insertPlainText(source.text())
            self.ensureCursorVisible()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Allow pasting whatever the field or the page has a use for."""
        return source.hasText() or source.hasImage() or bool(local_files(source))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Leave files to the page, which shows what letting go would do."""
        if local_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame that it is to show the focus."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame that the focus has gone."""
        super().focusOutEvent(event)
        self._composing = False
        self.focus_changed.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Count the lines anew for the new width."""
        super().resizeEvent(event)
        self._on_size_changed()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the height to a new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._on_size_changed()

    def fit(self) -> None:
        """Take the height that the text asks for, up to the share of the window."""
        self._on_size_changed()

    @property
    def is_composing(self) -> bool:
        """Whether an input method shows text that is not committed, or has this moment."""
        return self._composing or self._just_committed

    def _is_blank(self) -> bool:
        return not self._composing and self.document().isEmpty()

    @Slot()
    def _on_commit_over(self) -> None:
        self._just_committed = False

    @Slot()
    def _on_size_changed(self) -> None:
        line = self.fontMetrics().lineSpacing()
        most = max(3 * line, round(self.window().height() * _SHARE))
        needed = max(1, round(self._lines())) * line + 10
        height = min(needed, most)
        wanted = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if needed > most:
            wanted = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if self.verticalScrollBarPolicy() != wanted:
            self.setVerticalScrollBarPolicy(wanted)
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)

    def _lines(self) -> float:
        """Return the number of shown lines; a plain-text layout measures its height in them."""
        layout = self.document().documentLayout()
        if isinstance(layout, QPlainTextDocumentLayout):
            return float(layout.documentSize().height())
        return float(self.document().lineCount())

    def _on_look_changed(self) -> None:
        self.setFont(self._look.theme.font("reading"))
        self.setAccessibleName(self._look.language.text("message"))
        self._on_size_changed()


def _modified(event: QKeyEvent) -> bool:
    """Say whether a modifier is held; the keypad's arrows carry one of their own."""
    return bool(event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)
