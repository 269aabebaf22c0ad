"""The answer: where its time went, its tokens, the whole of it in a strip, one token in detail."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.chat.inspection import Inspection, probability
from app.ui.inspector.cells import raw_of, reply_cells, shown
from app.ui.inspector.detail import TokenDetail
from app.ui.inspector.odds import percent
from app.ui.inspector.overview import Overview
from app.ui.inspector.stages import Stages, short_time, stages_of
from app.ui.inspector.token_view import TokenView
from app.ui.look import Look
from app.ui.pace import Spent
from app.ui.words import Plain, Words


class HeatLegend(QWidget):
    """What the grounds of the tokens mean."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        look.follow(self._on_look_changed)

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        metrics = QFontMetrics(self._look.theme.font("caption"))
        words = metrics.horizontalAdvance(text("inspector-sure") + text("inspector-unsure"))
        self.setFixedSize(words + 5 * 18 + 16, self._look.theme.px(18))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint five grounds between two words."""
        theme, text = self._look.theme, self._look.language.text
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink2"))
        centred = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), centred, text("inspector-sure"))
        painter.drawText(
            self.rect(), centred | Qt.AlignmentFlag.AlignRight, text("inspector-unsure")
        )
        right = painter.fontMetrics().horizontalAdvance(text("inspector-unsure"))
        left = self.width() - right - 8 - 5 * 18
        for heat in range(5):
            painter.setPen(theme.color("edge"))
            painter.setBrush(theme.color(f"heat{heat}" if heat else "paper"))
            box = QRectF(left + heat * 18 + 0.5, self.height() / 2 - 5.5, 15, 11)
            painter.drawRoundedRect(box, 3, 3)


class AnswerView(QWidget):
    """Shows the reply that it is told; follows it while it grows."""

    branch_wanted = Signal(int, int)  # a token's place, a candidate's

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._seen: Inspection | None = None
        self._shown = 0  # tokens
        self._layouts: Spent | None = None
        self.stages = Stages(look)
        self.tokens = TokenView(look, "inspector-tokens-of-answer", self.describe)
        self._overview = Overview(look)
        self._range = Plain("", "caption2")
        self._about = Plain("", "caption")  # a token's time, the seed
        self.detail = TokenDetail(look)
        self._lay_out()
        self.tokens.chosen.connect(self._on_chosen)
        self.tokens.opened.connect(self._on_opened)
        self.tokens.scrolled.connect(self._on_scrolled)
        self._overview.pointed.connect(self._on_pointed)
        self.detail.branch_wanted.connect(self._on_branch_wanted)
        look.follow(self._on_look_changed)

    def _lay_out(self) -> None:
        look = self._look
        head = QHBoxLayout()
        head.addWidget(Words(look, "inspector-answer-tokens", "small-bold"))
        head.addStretch(1)
        head.addWidget(HeatLegend(look))
        strip = QHBoxLayout()
        strip.addWidget(Words(look, "inspector-overview", "caption2"))
        strip.addStretch(1)
        strip.addWidget(self._range)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 14, 20, 14)
        column.setSpacing(8)
        column.addWidget(self.stages)
        column.addWidget(self._about)
        column.addSpacing(6)
        column.addLayout(head)
        column.addWidget(self.tokens, 1)
        column.addLayout(strip)
        column.addWidget(self._overview)
        column.addSpacing(6)
        column.addWidget(self.detail)

    def show_reply(self, seen: Inspection | None, layouts: Spent | None = None) -> None:
        """Show a reply, or what of it is new."""
        if seen is not self._seen:
            self._seen, self._shown = seen, 0
            self.tokens.show_cells(())
            self._overview.show_cells(())
            self.detail.hide()
        if seen is None:
            return
        self._layouts = layouts
        first = self._shown
        self._shown = len(seen.tokens)
        cells = reply_cells(seen.tokens[first:], seen.channels[first:])
        if cells:
            self.tokens.add_cells(cells)
            self._overview.add_cells(cells)
        self._show_stages(seen)
        if self.tokens.current >= 0:
            self._on_chosen(self.tokens.current)
        self._on_scrolled()

    def _show_stages(self, seen: Inspection) -> None:
        language = self._look.language
        self.stages.show_stages(stages_of(seen, self._layouts, language))
        said = []
        timings = seen.timings
        if timings is not None and timings.tokens_per_second and not seen.is_again:
            each = short_time(1 / timings.tokens_per_second, language)
            said.append(language.text("inspector-each-token", time=each))
        if seen.seed is None:
            said.append(language.text("inspector-seed-drawn"))
        else:
            said.append(language.text("inspector-seed", seed=str(seen.seed)))
        self._about.setText(" · ".join(said))

    def describe(self, place: int) -> str:
        """Say everything about a token in words."""
        if self._seen is None or not 0 <= place < len(self._seen.tokens):
            return ""
        choice, language = self._seen.tokens[place], self._look.language
        lead = language.text("inspector-place", place=place + 1, count=len(self._seen.tokens))
        odds = percent(probability(choice))
        return language.text("inspector-odds", lead=lead, token=shown(raw_of(choice)), odds=odds)

    @Slot(int)
    def _on_chosen(self, place: int) -> None:
        if self._seen is not None and place < len(self._seen.tokens):
            self.detail.show_choice(self._seen.tokens[place], place, len(self._seen.tokens))
        self._on_scrolled()

    @Slot(int)
    def _on_opened(self, place: int) -> None:
        """Go to the candidates of a token, at the likeliest one that did not come."""
        self._on_chosen(place)
        rows = self.detail.candidates
        rows.setFocus(Qt.FocusReason.ShortcutFocusReason)
        rows.setCurrentIndex(rows.model().index(0, 0))

    @Slot(int)
    def _on_pointed(self, place: int) -> None:
        self.tokens.choose(place)
        self._on_chosen(place)

    @Slot(int)
    def _on_branch_wanted(self, candidate: int) -> None:
        if self.tokens.current >= 0:
            self.branch_wanted.emit(self.tokens.current, candidate)

    @Slot()
    def _on_scrolled(self) -> None:
        first, end = self.tokens.in_view()
        self._overview.show_view((first, end), self.tokens.current)
        text = self._look.language.text
        number = self._look.language.number
        words = text("inspector-range", first=number(first + 1), last=number(end))
        self._range.setText(words if end else "")

    def _on_look_changed(self) -> None:
        seen = self._seen
        if seen is not None:
            self._show_stages(seen)
        self._on_scrolled()
