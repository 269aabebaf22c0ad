"""What was done to a question or a reply: blackened by the safety layer, left out by a server."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.chat.turn import Turn
from app.ui.faults import notice_text
from app.ui.transcript.paper import Paper
from app.ui.words import escaped, wrapped
from engine.contract import NoticeKind

_SIDES = 52  # px: the sign's place and the padding

_OF_SERVERS = frozenset(
    {NoticeKind.SETTINGS_LEFT_OUT, NoticeKind.SERVER_CUT, NoticeKind.SERVER_FILTERED}
)


class Checked(QWidget):
    """A quiet notice under a reply, a sentence for each thing that was done."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._icon = "shield-check"
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setProperty("kind", "small")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        wrapped(self._words)
        row = QHBoxLayout(self)
        row.setContentsMargins(40, 9, 12, 9)
        row.addWidget(self._words, 1)

    def show_turn(self, turn: Turn) -> None:
        """Say what was done."""
        notices = turn.figures.checked if turn.figures is not None else ()
        is_server = all(notice.kind in _OF_SERVERS for notice in notices)
        self._icon = "globe" if is_server else "shield-check"
        said = [notice_text(notice, self._paper.look.language) for notice in notices]
        lines = [
            f"<b>{escaped(each.lead)}</b>{escaped(each.sentence[len(each.lead) :])}"
            for each in said
        ]
        self._words.setText("<br>".join(lines))
        self.setAccessibleName(" ".join(each.sentence for each in said))

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        return max(36, self._words.heightForWidth(max(width - _SIDES, 80)) + 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground and the sign."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ochreWash"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        theme.icon(self._icon, "ochre").paint(painter, 13, 11, 16, 16)


def shown_checked(
    shown: Checked | None, turn: Turn, paper: Paper, parent: QWidget
) -> Checked | None:
    """Return the notice of a turn, made or taken away as its figures want it."""
    if turn.figures is None or not turn.figures.checked:
        if shown is not None:
            shown.hide()
            shown.deleteLater()
        return None
    checked = shown or Checked(paper, parent)
    checked.show_turn(turn)
    return checked
