"""The panel beside the chat: head with three pages, what can be seen of the reply, and why not."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.chat.inspection import Inspection
from app.ui.buttons import Button, Tool
from app.ui.header import Header
from app.ui.inspector.answer_view import AnswerView
from app.ui.inspector.memory_view import MemoryView
from app.ui.inspector.prompt_view import PromptView
from app.ui.look import Look
from app.ui.pace import Spent
from app.ui.sidebar_parts import Grip
from app.ui.words import Elided, Plain, wrapped

USUAL, NARROWEST, WIDEST = 636, 480, 720  # px
_PAGES = ("inspector-answer", "inspector-prompt", "inspector-memory")


class Segments(QWidget):
    """The names of the pages, side by side; the open one in ink."""

    chosen = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for number, text_id in enumerate(_PAGES):
            button = QPushButton()
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            button.setProperty("place", ("first", "middle", "last")[number])
            button.setProperty("text_id", text_id)
            self._group.addButton(button, number)
            row.addWidget(button)
        self._group.button(0).setChecked(True)
        self._group.idClicked.connect(self.chosen)
        look.follow(self._on_look_changed)

    def choose(self, page: int) -> None:
        """Mark a page as the open one."""
        self._group.button(page).setChecked(True)

    def _on_look_changed(self) -> None:
        for button in self._group.buttons():
            button.setText(self._look.language.text(button.property("text_id")))


class Absence(QWidget):
    """Why there is nothing to see, and what can be done about it."""

    inspect_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._words = wrapped(Plain("", "body2"))
        self.look_back = Button(look, "inspector-look-back", "main")
        self.stop = Button(look, "inspector-stop")
        self.look_back.clicked.connect(self.inspect_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        row = QHBoxLayout()
        row.addWidget(self.look_back)
        row.addWidget(self.stop)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 12)
        column.setSpacing(14)
        column.addWidget(self._words)
        column.addLayout(row)

    def say(self, words: str, *, can_look_back: bool = False, can_stop: bool = False) -> None:
        """Say why, and offer to compute the figures, or to stop doing so."""
        self._words.setText(words)
        self.look_back.setVisible(can_look_back)
        self.stop.setVisible(can_stop)
        self.setVisible(bool(words))


class InspectorPanel(QFrame):
    """Everything about one reply. It decides nothing: its signals say what was asked for."""

    closed = Signal()
    save_wanted = Signal()
    look_back_wanted = Signal()
    stop_wanted = Signal()
    branch_wanted = Signal(int, int)  # a token's place, a candidate's
    prompt_page_wanted = Signal(int)
    dragged = Signal(int)  # this width is wanted

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self._look = look
        self.segments = Segments(look)
        close = Tool(look, "x", "inspector-close")
        self.save = Tool(look, "download-simple", "inspector-save")
        self.save.clicked.connect(self.save_wanted)
        self.answer, self.prompt = AnswerView(look), PromptView(look)
        self.memory = MemoryView(look)
        self.absence = Absence(look)
        self._pages = QStackedWidget()
        for page in (self.answer, self.prompt, self.memory):
            scrolled = QScrollArea()
            scrolled.setWidgetResizable(True)
            scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            scrolled.setWidget(page)
            page.setObjectName("paper")
            self._pages.addWidget(scrolled)
        self._title = Elided("", "title")
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Header(self._title, self.segments, self.save, close))
        column.addWidget(self.absence)
        column.addWidget(self._pages, 1)
        self.grip = Grip(self)
        close.clicked.connect(self.closed)
        self.segments.chosen.connect(self.open_page)
        self.grip.dragged.connect(self._on_dragged)
        self.absence.inspect_wanted.connect(self.look_back_wanted)
        self.absence.stop_wanted.connect(self.stop_wanted)
        self.answer.branch_wanted.connect(self.branch_wanted)
        self.prompt.page_wanted.connect(self.prompt_page_wanted)
        look.follow(self._on_look_changed)

    @Slot(int)
    def open_page(self, page: int) -> None:
        """Open the answer, the prompt or the memory: 0, 1, 2."""
        self.segments.choose(page)
        self._pages.setCurrentIndex(page)

    def show_reply(self, seen: Inspection | None, layouts: Spent | None = None) -> None:
        """Show a reply, or what of it is new; None where nothing is known."""
        for page in (self.answer, self.prompt):
            page.setVisible(seen is not None)
        self.save.setEnabled(seen is not None)
        self.answer.show_reply(seen, layouts)
        self.prompt.show_reply(seen)
        self.memory.show_reply(seen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the grip at the edge."""
        super().resizeEvent(event)
        self.grip.setGeometry(0, 0, 5, self.height())

    @Slot(int)
    def _on_dragged(self, x: int) -> None:
        self.dragged.emit(min(max(self.width() - x, NARROWEST), WIDEST))

    def _on_look_changed(self) -> None:
        self._title.setText(self._look.language.text("inspector-title"))
