"""The small window for one quick question: it shows what it is told, and says what is wanted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button, Tool
from app.ui.look import Look
from app.ui.markdown_text import MarkdownText
from app.ui.message_field import MessageField
from app.ui.remote.mark import ServerMark
from app.ui.words import Elided, Plain, wrapped

_WIDE, _TALL = 560, 420  # px at 100 %


class QuickWindow(QWidget):
    """Stays above the other windows until Escape."""

    asked = Signal(str)
    stop_wanted = Signal()
    chat_wanted = Signal()
    left = Signal()  # Escape, or the system's own button

    def __init__(self, look: Look) -> None:
        super().__init__(None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)  # the program goes on
        self.setObjectName("paper")
        self._look, self._is_busy = look, False
        self.field = MessageField(look)
        self.field.send_requested.connect(self._on_send)
        self.field.textChanged.connect(self._refresh)
        self.field.focus_changed.connect(self._on_focus_changed)
        self.button = Tool(look, "arrow-up", "send", side=36, icon_size=18, kind="send")
        self.button.clicked.connect(self._on_button)
        self.mark = ServerMark(look)
        self.question = Elided("", "small2")
        self.answer = MarkdownText(look, "quick-answer")
        self.said = wrapped(Plain("", "small2"))
        self.open_as_chat = Button(look, "quick-open")
        self.open_as_chat.clicked.connect(self.chat_wanted)
        self._hint = wrapped(Plain("", "caption"))
        self._lay_out()
        self.resize(look.theme.px(_WIDE), look.theme.px(_TALL))
        look.follow(self._on_look_changed)
        self.begin()

    def begin(self) -> None:
        """Show an empty window for a new question."""
        self.field.clear()
        self.question.setText("")
        self.answer.show_text("")
        self.say("")
        self.set_busy(busy=False)
        self.open_as_chat.setEnabled(False)

    def ask(self, question: str) -> None:
        """Show that a question is being answered."""
        self.field.clear()
        self.question.setText(question)
        self.answer.show_text("")
        self.say("")

    def say(self, text: str) -> None:
        """Say a sentence under the answer; an empty one is none."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def set_busy(self, *, busy: bool) -> None:
        """Offer to stop while an answer comes, and to go on in a chat when it is there."""
        self._is_busy = busy
        if busy:
            self.button.show_as("stop-fill", "stop")
        else:
            self.button.show_as("arrow-up", "send")
        self.open_as_chat.setEnabled(not busy and bool(self.question.text()))
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave it to whoever listens: closing is the same as Escape."""
        event.ignore()
        self.left.emit()

    def _lay_out(self) -> None:
        box = self._box = QFrame()
        box.setObjectName("message-box")
        row = QHBoxLayout(box)
        row.setContentsMargins(13, 9, 9, 9)
        row.addWidget(self.field, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        foot = QHBoxLayout()
        foot.addWidget(self._hint, 1)
        foot.addWidget(self.open_as_chat)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 14)
        column.setSpacing(8)
        column.addWidget(box)
        column.addWidget(self.mark)
        column.addWidget(self.question)
        column.addWidget(self.answer, 1)
        column.addWidget(self.said)
        column.addLayout(foot)
        self.setFocusProxy(self.field)

    @Slot()
    def _on_send(self) -> None:
        if not self._is_busy and self.field.says_something():
            self.asked.emit(self.field.toPlainText())

    @Slot()
    def _on_button(self) -> None:
        if self._is_busy:
            self.stop_wanted.emit()
        else:
            self._on_send()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _refresh(self) -> None:
        self.button.setEnabled(self._is_busy or self.field.says_something())

    @Slot(bool)
    def _on_focus_changed(self, focused: bool) -> None:
        self._box.setProperty("active", focused)
        self._box.style().unpolish(self._box)
        self._box.style().polish(self._box)

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.setWindowTitle(text("quick-title"))
        self.field.setPlaceholderText(text("quick-placeholder"))
        self.field.setAccessibleName(text("quick-placeholder"))
        self._hint.setText(text("quick-hint"))
