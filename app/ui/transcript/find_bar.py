"""The field in which words are looked for in the open chat, and what was found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.spoken import speak
from app.ui.words import Plain

WIDTH, HEIGHT = 380, 44  # px


class FindBar(QWidget):
    """Floats at the top right of the transcript."""

    words_changed = Signal(str)
    step_requested = Signal(int)  # 1 or -1
    closed = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.field = QLineEdit()
        self.field.setProperty("kind", "soft")
        self.field.textChanged.connect(self.words_changed)
        self.field.installEventFilter(self)
        self._count = Plain("", "caption2")
        before = Tool(look, "caret-up", "transcript-find-before", "Shift+Return")
        before.clicked.connect(self._on_before)
        after = Tool(look, "caret-down", "transcript-find-after", "Return")
        after.clicked.connect(self._on_after)
        close = Tool(look, "x", "transcript-find-close", "Escape")
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 6, 6, 6)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        row.addSpacing(6)
        row.addWidget(self._count)
        row.addSpacing(4)
        for tool in (before, after, close):
            row.addWidget(tool)
        self.hide()
        look.follow(self._on_look_changed)

    def say(self, current: int, total: int, *, is_running: bool) -> None:
        """Show which hit is shown and how many there are."""
        text = self._look.language.text
        if not self.field.text():
            words = ""
        elif not total:
            words = "" if is_running else text("transcript-find-none")
        else:
            words = text("transcript-find-count", current=current, total=total)
        if words != self._count.text() and self.isVisible():
            speak(self, words)
        self._count.setText(words)
        self._count.setAccessibleName(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that step and close while the words are typed."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step_requested.emit(-1 if back else 1)
                return True
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar: paper with the border of a control."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.theme.color("edge"), 1))
        painter.setBrush(self._look.theme.color("paper"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    @Slot()
    def _on_before(self) -> None:
        self.step_requested.emit(-1)

    @Slot()
    def _on_after(self) -> None:
        self.step_requested.emit(1)

    @Slot()
    def _on_look_changed(self) -> None:
        hint = self._look.language.text("transcript-find-hint")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.update()
