"""How a reply ended, where it did not simply end: stopped, cut off, broken off, interrupted."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.chat.turn import Turn, TurnState
from app.ui.buttons import Button
from app.ui.faults import fault_text
from app.ui.transcript.paper import Paper
from app.ui.words import Plain, escaped, wrapped
from engine.library.advice.rules import ADVISED

_BADGE, _BUTTON, _APART = 20, 26, 8  # px, the heights at least: text may be larger
_ENDS = frozenset(".!?…。！？")


class Ending(QWidget):
    """A badge with what happened, and what can be done: go on, or answer again."""

    continue_requested = Signal()
    again_requested = Signal()

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._badge = Plain("", "badge", self)
        go_on = Button(paper.look, "transcript-continue", icon="play", size="small")
        go_on.clicked.connect(self.continue_requested)
        again = Button(
            paper.look, "transcript-again", kind="quiet", icon="arrows-clockwise", size="small"
        )
        again.clicked.connect(self.again_requested)
        self._buttons = (go_on, again)
        for button in self._buttons:
            button.setParent(self)

    def show_turn(self, turn: Turn) -> None:
        """Say how a reply ended."""
        tokens = turn.figures.generated_tokens if turn.figures is not None else 0
        words = {
            TurnState.STOPPED: "transcript-stopped",
            TurnState.CUT: "transcript-cut",
            TurnState.INTERRUPTED: "transcript-interrupted",
        }[turn.state]
        self._badge.setText(self._paper.look.language.text(words, count=tokens))

    def fit(self, width: int) -> int:
        """Place everything in one line, or the buttons below the badge; return the height."""
        badge = self._badge.sizeHint().width()
        sizes = [button.sizeHint().width() for button in self._buttons]
        one_line = badge + sum(sizes) + 2 * _APART <= width
        low = max(_BADGE, self._badge.sizeHint().height())
        tall = max(_BUTTON, *(button.sizeHint().height() for button in self._buttons))
        self._badge.setGeometry(0, (tall - low) // 2, min(badge, width), low)
        x, y = (badge + _APART, 0) if one_line else (0, low + 10)
        for button, wide in zip(self._buttons, sizes, strict=True):
            button.setGeometry(x, y, wide, tall)
            x += wide + _APART
        return y + tall


class Broken(QWidget):
    """The notice under a reply that broke off: what happened, what is kept, and the remedy."""

    remedy_requested = Signal(bool)  # whether the reason is to be looked for first
    again_requested = Signal()

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setProperty("kind", "small")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        wrapped(self._words)
        self._remedy = QPushButton()
        self._remedy.setProperty("kind", "main")
        self._remedy.setStyleSheet("min-height: 24px")
        self._remedy.clicked.connect(self._on_clicked)
        self._has_remedy = False
        self.advise = Button(paper.look, "advisor-open", "quiet", icon="lifebuoy", size="small")
        self.advise.clicked.connect(lambda: self.remedy_requested.emit(True))
        buttons = QVBoxLayout()
        buttons.setSpacing(_APART)
        buttons.addWidget(self._remedy)
        buttons.addWidget(self.advise)
        buttons.addStretch()
        row = QHBoxLayout(self)
        row.setContentsMargins(40, 9, 12, 9)
        row.setSpacing(16)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignTop)
        row.addLayout(buttons)
        self._buttons = buttons

    def show_turn(self, turn: Turn) -> None:
        """Say why a reply broke off."""
        language = self._paper.look.language
        if turn.fault is None:
            lead, rest, label = language.text("transcript-broken"), "", ""
        else:
            said = fault_text(turn.fault, language)
            lead, rest, label = said.lead, said.sentence[len(said.lead) :], said.action_label
        self.advise.setVisible(turn.fault is not None and turn.fault.kind in ADVISED)
        kept = language.text("transcript-kept") if turn.content or turn.reasoning else ""
        is_latin = lead[-1:].isascii()
        if kept and rest and rest[-1] not in _ENDS:  # a server's own words
            rest += "." if is_latin else "。"
        rest = f"{rest} {kept}".rstrip() if is_latin else f"{rest}{kept}"
        self._words.setText(f"<b>{escaped(lead)}</b>{escaped(rest)}")
        self.setAccessibleName(lead + rest)
        self._has_remedy = bool(label)
        self._remedy.setText(label or language.text("transcript-again"))
        self._remedy.setAccessibleName(self._remedy.text())

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        buttons = self._buttons.sizeHint()
        inner = width - 52 - 16 - buttons.width()
        return max(buttons.height(), self._words.heightForWidth(max(inner, 80))) + 18

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground and the sign."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("cinnabarWash"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        icon = theme.icon("warning-circle", "cinnabar")
        icon.paint(painter, 13, 11, 16, 16)

    @Slot()
    def _on_clicked(self) -> None:
        if self._has_remedy:
            self.remedy_requested.emit(False)
        else:
            self.again_requested.emit()
