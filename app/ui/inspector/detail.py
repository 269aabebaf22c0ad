"""One token: what it is, what might have come instead, and what the sampler did."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.inspector.candidates import CandidateHead, CandidateList
from app.ui.inspector.cells import raw_of, shown
from app.ui.inspector.steps import StepRows
from app.ui.look import Look
from app.ui.words import Elided, Plain
from engine.contract import TokenChoice

_GAP = 12  # px between a token, the words about it and the button
_SIDE, _BESIDE = 36, 520  # px: the square, and the width from which two columns stand side by side
_LONGEST = 14  # characters of a token in the words of a button


class TokenSquare(QWidget):
    """The token itself, framed as it is in the text."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look, self._text = look, ""
        self.setFixedHeight(_SIDE)

    def show_text(self, text: str) -> None:
        """Show another token."""
        self._text = text
        metrics_font = self._look.theme.font("code")
        self.setFont(metrics_font)
        width = self.fontMetrics().horizontalAdvance(text) + 16
        self.setFixedWidth(min(max(_SIDE, width), 160))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame and the token, elided where it is long."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("accent"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        font = theme.font("code")
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        elided = painter.fontMetrics().elidedText(
            self._text, Qt.TextElideMode.ElideRight, self.width() - 10
        )
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, elided)


class TokenDetail(QWidget):
    """Everything about the chosen token."""

    branch_wanted = Signal(int)  # a candidate, by its place

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._choice: TokenChoice | None = None
        self._place = self._count = 0
        self._can_branch = True
        self._square = TokenSquare(look)
        self._lead, self._more = Plain("", "body-bold"), Elided("", "caption2")
        self.instead = Button(look, "", icon="git-branch")
        self.candidates = CandidateList(look)
        self._steps = StepRows(look)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lay_out()
        self.instead.clicked.connect(self._on_instead)
        self.candidates.wanted.connect(self.branch_wanted)
        look.follow(self._on_look_changed)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._lead)
        words.addWidget(self._more)
        token = QHBoxLayout()
        token.setSpacing(_GAP)
        token.addWidget(self._square)
        token.addLayout(words, 1)
        self._head.setSpacing(_GAP)
        self._head.addLayout(token, 1)
        self._head.addWidget(self.instead)
        table = QVBoxLayout()
        table.setSpacing(0)
        table.addWidget(CandidateHead(self._look))
        table.addWidget(self.candidates)
        table.addStretch(1)
        self._columns.setSpacing(20)
        self._columns.addLayout(table, 6)
        self._columns.addWidget(self._steps, 5, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(self._head)
        column.addLayout(self._columns)

    def show_choice(self, choice: TokenChoice, place: int, count: int) -> None:
        """Show a token, the ``place``-th (from 0) of ``count``."""
        same = choice is self._choice
        self._choice, self._place, self._count = choice, place, count
        if not same:
            self.candidates.show_choice(choice)
            self._steps.show_choice(choice)
        self._on_look_changed()

    def set_can_branch(self, can_branch: bool) -> None:
        """Say whether one can continue with another token."""
        self.candidates.set_can_branch(can_branch)
        if can_branch != self._can_branch:
            self._can_branch = can_branch
            self._on_look_changed()

    def minimumSizeHint(self) -> QSize:
        """Return the height that its two columns need now."""
        return QSize(300, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the columns below each other where it is narrow."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Put beside each other what has room there."""
        words = self._lead.sizeHint().width() + self.instead.sizeHint().width()
        head = self._square.width() + words + 2 * _GAP
        direction = QBoxLayout.Direction
        for layout, needed in (
            (self._head, head),
            (self._columns, self._look.theme.px(_BESIDE)),
        ):
            beside = self.width() >= needed
            layout.setDirection(direction.LeftToRight if beside else direction.TopToBottom)

    def _best_other(self) -> int | None:
        """Return the likeliest candidate that did not come."""
        choice = self._choice
        candidates = choice.trace.candidates if choice is not None and choice.trace else ()
        others = (n for n, each in enumerate(candidates) if choice and each.id != choice.id)
        return next(others, None)

    @Slot()
    def _on_instead(self) -> None:
        other = self._best_other()
        if other is not None:
            self.branch_wanted.emit(other)

    def _on_look_changed(self) -> None:
        choice, language = self._choice, self._look.language
        self.setVisible(choice is not None)
        if choice is None:
            return
        self._square.show_text(shown(raw_of(choice)))
        number, count = self._place + 1, self._count
        self._lead.setText(language.text("inspector-place", place=number, count=count))
        self._more.setText(language.text("inspector-number", id=language.number(choice.id)))
        other = self._best_other()
        self.instead.setVisible(other is not None and self._can_branch)
        if other is not None and choice.trace is not None:
            token = shown(choice.trace.candidates[other].raw)
            short = token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…"
            words = language.text("inspector-continue", token=short)
            self.instead.setText(f"\u2002{words}")
            self.instead.setAccessibleName(words)
        self._fit()
