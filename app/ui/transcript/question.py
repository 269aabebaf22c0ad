"""A question: what a person wrote, as it was typed, on a ground of stone."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chat.turn import Turn
from app.rendering.plain import plain_blocks
from app.store.turn_text import Where
from app.ui.attachments.cards import SentCard
from app.ui.attachments.flow import Flow
from app.ui.transcript import actions
from app.ui.transcript.column import Column
from app.ui.transcript.paper import QUESTION, Measure, Paper
from app.ui.transcript.search import Marking
from app.ui.transcript.spacing import text_lines
from app.ui.transcript.turn_widget import TurnWidget

SIDE, TOP = 16, 11  # px around the text
_FILES_GAP, _CARDS = 8, 38  # px below the cards of files; of a row of them
_ACTIONS_GAP, BELOW = 2, 2  # px between the frame and the actions, and below them


class QuestionTurn(TurnWidget):
    """One question."""

    def __init__(self, paper: Paper, turn: Turn, parent: QWidget) -> None:
        super().__init__(paper, turn, Column(paper, QUESTION, parent, spaced=False), parent)
        self._frame = QRect()
        self._files = Flow()
        self._found_file = -1
        self._files.setParent(self)
        self.column.set_blocks(plain_blocks(turn.content))
        self.show_turn(turn)

    def show_turn(self, turn: Turn) -> None:
        """Show another state: the count of versions, or another text."""
        if turn.content != self.turn.content:
            self.column.set_blocks(plain_blocks(turn.content))
        self.turn = turn
        self._show_files()
        self.actions_row.show_turn(turn)
        self.setAccessibleName(self.name())

    def _show_files(self) -> None:
        cards = [SentCard(self.paper.look, each) for each in self.turn.attachments]
        for card in cards:
            card.opened.connect(self.paper.preview)
        self._files.show_widgets(cards)
        self._mark_files()

    def lay_out(self, measure: Measure) -> int:
        """Lay the frame and the actions out."""
        self.measure = measure
        files = self._place_files(measure)
        if self.edit_box is not None:
            tall = files + self.edit_box.fit(measure.width)
            self.edit_box.setGeometry(measure.left, files, measure.width, tall - files)
            self._frame = QRect()
        else:
            self.column.set_width(measure.width - 2 * SIDE)
            self.column.move(measure.left + SIDE, TOP + files)
            words = self.column.full_height() if self.turn.content else -_FILES_GAP
            tall = files + words + 2 * TOP
            self._frame = QRect(measure.left, 0, measure.width, tall)
        self.column.setVisible(self.edit_box is None)
        self.actions_row.setVisible(self.edit_box is None)
        row = QRect(measure.left, tall + _ACTIONS_GAP, measure.width, actions.HEIGHT)
        self.actions_row.setGeometry(row)
        self.update()
        return tall + _ACTIONS_GAP + actions.HEIGHT + BELOW

    def _place_files(self, measure: Measure) -> int:
        """Place the cards above the words, and return what they take with the gap below."""
        self._files.setVisible(bool(self.turn.attachments) and self.edit_box is None)
        if not self._files.isVisibleTo(self):
            return 0
        width = measure.width - 2 * SIDE
        tall = self._files.fit(width)
        self._files.setGeometry(measure.left + SIDE, TOP, width, tall)
        return tall + _FILES_GAP

    def mark(self, marking: Marking) -> None:
        """Mark the card of the file whose text holds what is shown, too."""
        super().mark(marking)
        self._found_file, _ = marking.place(self.turn.id, Where.FILE)
        self._mark_files()

    def _mark_files(self) -> None:
        for number, card in enumerate(self._files.shown):
            if isinstance(card, SentCard):
                card.set_found(number == self._found_file)

    def plain_text(self) -> str:
        """Return the question as it was typed."""
        return self.turn.content

    def name(self) -> str:
        """Return the beginning of the question."""
        names = [" ".join(each.name.split()) for each in self.turn.attachments]
        words = " ".join(self.turn.content.split())[:80]
        said = ", ".join(filter(None, (words, *names)))
        return self.paper.look.language.text("transcript-question", words=said)

    def restyle(self) -> None:
        """The theme or the language has changed."""
        self.column.restyle()
        self.show_turn(self.turn)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.paper.look.theme.color("stone2"))
        painter.drawRoundedRect(QRectF(self._frame), 10, 10)


def estimate_height(turn: Turn, measure: Measure, line: int) -> int:
    """Return about how tall a question will be."""
    text = text_lines(turn.content, measure.width - 2 * SIDE) * line
    files = _CARDS if turn.attachments else 0
    return text + files + 2 * TOP + _ACTIONS_GAP + actions.HEIGHT + BELOW
