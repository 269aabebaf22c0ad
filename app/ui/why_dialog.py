"""Why a model fits or does not, and how fast it should be: the figures behind a badge."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.page_frame import lay_out_dialog
from app.ui.reckoning import Reckoning, Row, memory_rows, pace_rows, pace_sentence, verdict
from app.ui.settings.rows import rule
from app.ui.spoken import speak
from app.ui.words import Plain, Words, wrapped
from engine.library.fit import Place

_STEP = 256  # tokens: a context that is offered is a round number
_AROUND = 168  # px: title, sentence and buttons
_LEAST = 512  # tokens: with less nobody can talk


class WhyButton(Button):
    """The link beside a verdict; which verdict, a screen reader is told."""

    _whose = ""  # it is asked for before there is one

    def __init__(self, look: Look) -> None:
        super().__init__(look, "why", "link", size="line")

    def show_name(self, name: str) -> None:
        """Say whose verdict it explains."""
        self._whose = name
        self._dress()

    def _dress(self) -> None:
        super()._dress()
        self.setAccessibleName(self._look.language.text("why-of", name=self._whose))


class WhyDialog(QDialog):
    """A verdict in a sentence, and below it every figure that it follows from.

    Args:
        look: theme and language.
        of: the verdict.
        parent: the page.
        can_shorten: whether a shorter context can be set from here.
    """

    context_wanted = Signal(int)  # tokens

    def __init__(
        self, look: Look, of: Reckoning, parent: QWidget, *, can_shorten: bool = False
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._of, self._window = look, of, parent.window()
        language = look.language
        self.setWindowTitle(language.text("why-title", name=of.name))
        self.sentence = verdict(of, language)
        self.rows: list[Row] = []
        self._column = QVBoxLayout()
        self._column.setContentsMargins(24, 4, 24, 16)
        self._column.setSpacing(6)
        for remark in of.remarks:
            self._column.addWidget(wrapped(Plain(remark, "small2")))
        needed, there = memory_rows(of, language)
        self._add_rows("why-needed", needed, sums=len(needed) > 1)
        self._add_rows("why-there", there, sums=of.fit.place is not Place.UNKNOWN)
        self._add_rows("why-how-fast", pace_rows(of, language))
        self._column.addWidget(wrapped(Plain(pace_sentence(of, language), "caption2")))
        self._column.addStretch(1)
        self.shorter = self._shorter() if can_shorten else 0
        self._lay_out()
        self.setAccessibleDescription(self.sentence)
        speak(self, self.sentence)

    def _shorter(self) -> int:
        """The round context that would fit where the one that is set does not; 0 for none."""
        how = self._of.fit
        longest = how.longest // _STEP * _STEP
        return longest if how.place is Place.NOWHERE and longest >= _LEAST else 0

    def _lay_out(self) -> None:
        paper = QWidget()
        paper.setObjectName("paper")
        paper.setLayout(self._column)
        foot = QHBoxLayout()
        if self.shorter:
            count = self._look.language.number(self.shorter)
            use = Button(self._look, "")
            use.setText(self._look.language.text("why-use-context", context=count))
            use.setAccessibleName(use.text())
            use.clicked.connect(partial(self._on_use, self.shorter))
            foot.addWidget(use)
        foot.addStretch()
        close = Button(self._look, "close", "main")
        close.clicked.connect(self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        lay_out_dialog(self, wrapped(Plain(self.sentence, "body")), paper, foot)
        wide, most = self._look.theme.px(480), self._window.height() - 40
        tall = self._column.totalHeightForWidth(wide) + self._look.theme.px(_AROUND)
        self.resize(wide, min(tall, most))
        close.setFocus()

    def _add_rows(self, heading: str, rows: list[Row], *, sums: bool = False) -> None:
        """Add a heading and its figures, the last of which may be the sum of those above."""
        self._column.addSpacing(6)
        self._column.addWidget(Words(self._look, heading, "small-bold"))
        self._column.addWidget(rule())
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        for number, (name, figure) in enumerate(rows):
            is_sum = sums and number == len(rows) - 1
            label = wrapped(Plain(name, "small-bold" if is_sum else "small2"))
            value = Plain(figure, "small-bold" if is_sum else "small")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            value.setAccessibleName(f"{name}: {figure}")
            grid.addWidget(label, number, 0)
            grid.addWidget(value, number, 1)
        self.rows += rows
        self._column.addLayout(grid)

    @Slot(int)
    def _on_use(self, tokens: int) -> None:
        self.context_wanted.emit(tokens)
        self.accept()
