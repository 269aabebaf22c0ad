"""The prompt that the model saw, token by token, a page at a time."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.chat.inspection import PAGE, Inspection
from app.ui.buttons import Tool
from app.ui.inspector.cells import Mark, prompt_cells, shown
from app.ui.inspector.token_view import TokenView
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped


class MarkLegend(QWidget):
    """What the lines below the tokens mean."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        look.follow(self._on_look_changed)

    def _parts(self) -> tuple[tuple[Mark, str], ...]:
        text = self._look.language.text
        return (Mark.REUSED, text("inspector-reused")), (Mark.READ, text("inspector-read-now"))

    def _on_look_changed(self) -> None:
        metrics = QFontMetrics(self._look.theme.font("caption"))
        words = sum(metrics.horizontalAdvance(word) + 36 for _, word in self._parts())
        self.setFixedSize(words - 14, self._look.theme.px(18))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a short line before each word."""
        theme, painter, x = self._look.theme, QPainter(self), 0
        painter.setFont(theme.font("caption"))
        for mark, word in self._parts():
            reused = mark is Mark.REUSED
            style = Qt.PenStyle.DotLine if reused else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.color("ink3" if reused else "azurite"), 2, style))
            painter.drawLine(x, self.height() // 2, x + 16, self.height() // 2)
            painter.setPen(theme.color("ink2"))
            place = self.rect().adjusted(x + 22, 0, 0, 0)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, word)
            x += 36 + painter.fontMetrics().horizontalAdvance(word)


class PromptView(QWidget):
    """A page of the prompt; asks for those that it does not have."""

    page_wanted = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._seen: Inspection | None = None
        self._page = -1  # -1: the last one, where the question stands
        self._shows: tuple[int, int] | None = None  # (page, reused) that the tokens show
        self.tokens = TokenView(look, "inspector-tokens-of-prompt", self.describe)
        self._range = Plain("", "small2")
        self.before = Tool(look, "caret-left", "inspector-page-before")
        self.after = Tool(look, "caret-right", "inspector-page-after")
        self._explains = wrapped(Words(look, "inspector-prompt-explains", "caption"))
        self._one = Plain("", "small")
        self._lay_out()
        self.before.clicked.connect(self._on_before)
        self.after.clicked.connect(self._on_after)
        self.tokens.chosen.connect(self._on_chosen)
        look.follow(self._on_look_changed)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.before)
        head.addWidget(self._range)
        head.addWidget(self.after)
        head.addStretch(1)
        head.addWidget(MarkLegend(self._look))
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 14, 20, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.tokens, 1)
        column.addWidget(self._one)
        column.addWidget(self._explains)

    def show_reply(self, seen: Inspection | None) -> None:
        """Show the prompt of a reply, or what of it is known by now."""
        if seen is not self._seen:
            self._seen, self._page, self._shows = seen, -1, None
            self.tokens.show_cells(())
            self._one.setText("")
        self._refresh()

    @property
    def page(self) -> int:
        """The page that is open, from 0."""
        last = max(0, self._seen.page_count - 1) if self._seen is not None else 0
        return last if self._page < 0 else min(self._page, last)

    def describe(self, cell: int) -> str:
        """Say everything about a token in words."""
        seen = self._seen
        tokens = seen.pages.get(self.page, ()) if seen is not None else ()
        if seen is None or not 0 <= cell < len(tokens):
            return ""
        place = self.page * PAGE + cell
        text = self._look.language.text
        origin = "inspector-reused" if place < (seen.reused or 0) else "inspector-read-now"
        lead = text("inspector-place", place=place + 1, count=seen.total)
        return text("inspector-origin", lead=lead, token=shown(tokens[cell].raw),
                    id=tokens[cell].id, origin=text(origin))  # fmt: skip

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the page that is to be seen now."""
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        seen = self._seen
        if seen is None or not self.isVisible():
            return
        page = self.page
        tokens = seen.pages.get(page)
        if tokens is None:
            if seen.total and seen.reused is not None:
                self.page_wanted.emit(page)
        elif self._shows != (page, seen.reused or 0):
            self._shows = (page, seen.reused or 0)
            self.tokens.show_cells(prompt_cells(tokens, page * PAGE, seen.reused or 0))
            if self._page < 0:
                self.tokens.bring_up(len(tokens) - 1)  # the question stands at the end
        self._say()

    def _say(self) -> None:
        seen, language = self._seen, self._look.language
        if seen is None:
            return
        first, last = self.page * PAGE + 1, min((self.page + 1) * PAGE, seen.total)
        number = language.number
        words = language.text(
            "inspector-page", first=number(first), last=number(last), total=number(seen.total)
        )
        is_gone = not seen.request and self.page not in seen.pages
        self._range.setText(language.text("inspector-prompt-gone") if is_gone else words)
        self.before.setEnabled(self.page > 0)
        self.after.setEnabled(self.page + 1 < seen.page_count)

    @Slot()
    def _on_before(self) -> None:
        self._page = self.page - 1
        self._refresh()

    @Slot()
    def _on_after(self) -> None:
        self._page = self.page + 1
        self._refresh()

    @Slot(int)
    def _on_chosen(self, cell: int) -> None:
        self._one.setText(self.describe(cell))

    def _on_look_changed(self) -> None:
        self._say()
        self._one.setText(self.describe(self.tokens.current))
