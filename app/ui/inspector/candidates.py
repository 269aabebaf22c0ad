"""The tokens that might have come instead: a row each, with score and odds before and after.

A click on a row, or Enter, continues from there.
"""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.inspector.cells import shown
from app.ui.inspector.odds import after, cut_by, percent, step_name
from app.ui.look import Look
from app.ui.model_rows import Index
from engine.contract import TokenChoice, TokenTrace

_ROW, _HEAD = 28, 22  # px
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_COLUMNS = (0.44, 0.57, 0.79)  # where score, odds and "after" end or begin, of the width
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class CandidateRole(IntEnum):
    """What a row can be asked besides its text."""

    CELLS = Qt.ItemDataRole.UserRole + 1  # (token, score, odds, after)
    SHARE = Qt.ItemDataRole.UserRole + 2  # the odds before, 0 to 1
    COLOR = Qt.ItemDataRole.UserRole + 3  # a colour of the palette
    CAME = Qt.ItemDataRole.UserRole + 4  # whether it is the one that came
    LEADS = Qt.ItemDataRole.UserRole + 5  # whether one can continue from it


class CandidateDelegate(QStyledItemDelegate):
    """Paints a row: a square in its colour, the token, figures, a bar."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; it grows with the text size."""
        return QSize(0, self._look.theme.px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        theme, place = self._look.theme, QRect(option.rect)
        came = bool(index.data(CandidateRole.CAME))
        state = option.state
        pointed = bool(state & QStyle.StateFlag.State_MouseOver) and index.data(CandidateRole.LEADS)
        focused = (
            state & QStyle.StateFlag.State_Selected and state & QStyle.StateFlag.State_HasFocus
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if pointed or focused:
            painter.setPen(theme.color("focus") if focused else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("stone2"))
            painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        else:
            painter.fillRect(place.x(), place.bottom(), place.width(), 1, theme.color("line"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(index.data(CandidateRole.COLOR)))
        middle = place.center().y()
        painter.drawRoundedRect(QRectF(place.x() + 4, middle - 4, 8, 8), 2, 2)
        self._paint_words(painter, place, index, came)
        painter.restore()

    def _paint_words(self, painter: QPainter, place: QRect, index: Index, came: bool) -> None:
        theme = self._look.theme
        token, score, odds, left = index.data(CandidateRole.CELLS)
        painter.setPen(theme.color("ink"))
        code = theme.font("code")
        code.setBold(came)
        painter.setFont(code)
        columns = [place.x() + round(share * place.width()) for share in _COLUMNS]
        room = QRect(place.x() + 18, place.y(), columns[0] - place.x() - 60, place.height())
        painter.drawText(room, _LEFT, _elided(painter, token, room.width()))
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink2"))
        painter.drawText(QRect(columns[0] - 40, place.y(), 40, place.height()), _RIGHT, score)
        bar = QRectF(columns[0] + 12, place.center().y() - 2.5, columns[1] - columns[0] - 16, 5)
        share, color = index.data(CandidateRole.SHARE), theme.color(index.data(CandidateRole.COLOR))
        _paint_bar(painter, bar, share, theme.color("stone3"), color)
        painter.setPen(theme.color("ink2"))
        width = columns[2] - columns[1]
        painter.drawText(QRect(columns[1], place.y(), width, place.height()), _LEFT, odds)
        painter.setFont(theme.font("small-bold" if came else "small"))
        painter.setPen(theme.color("ink" if came else "ink2"))
        end = QRect(columns[2], place.y(), place.right() - columns[2] - 3, place.height())
        painter.drawText(end, _RIGHT, left)


class CandidateHead(QWidget):
    """The names of the columns."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        look.follow(self._on_look_changed)

    def _on_look_changed(self) -> None:
        self.setFixedHeight(self._look.theme.px(_HEAD))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words where the columns are."""
        theme, text = self._look.theme, self._look.language.text
        painter = QPainter(self)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink3"))
        columns = [round(share * self.width()) for share in _COLUMNS]
        height = self.height()
        painter.drawText(QRect(0, 0, columns[0], height), _LEFT, text("inspector-token"))
        painter.drawText(QRect(0, 0, columns[0], height), _RIGHT, text("inspector-score"))
        before = QRect(columns[0] + 12, 0, columns[2], height)
        painter.drawText(before, _LEFT, text("inspector-before"))
        end = QRect(columns[2], 0, self.width() - columns[2] - 3, height)
        painter.drawText(end, _RIGHT, text("inspector-after"))
        painter.fillRect(0, height - 1, self.width(), 1, theme.color("edge"))


class CandidateList(QListView):
    """The rows; those that did not come can be continued from."""

    wanted = Signal(int)  # a candidate, by its place: continue from there

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._rows = QStandardItemModel(self)
        self._choice: TokenChoice | None = None
        self._can_branch = True
        self.setModel(self._rows)
        self.setItemDelegate(CandidateDelegate(look, self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.clicked.connect(self._on_clicked)
        look.follow(self._on_look_changed)

    def show_choice(self, choice: TokenChoice | None) -> None:
        """Show the candidates of a token."""
        self._choice = choice
        self._fill()

    def set_can_branch(self, can_branch: bool) -> None:
        """Say whether one can continue from a row: only the model that knows these tokens can."""
        if can_branch != self._can_branch:
            self._can_branch = can_branch
            self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Continue from the current row with Enter."""
        if event.key() in _ENTER and self.currentIndex().isValid():
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    @Slot(object)
    def _on_clicked(self, index: Index) -> None:
        if self._can_branch and not index.data(CandidateRole.CAME):
            self.wanted.emit(index.row())

    def _fill(self) -> None:
        self._rows.clear()
        choice, trace = self._choice, self._choice.trace if self._choice is not None else None
        if choice is not None and trace is not None:
            for place in range(len(trace.candidates)):
                self._rows.appendRow(self._row(choice, trace, place))
        rows = max(1, self._rows.rowCount())
        self.setFixedHeight(rows * self._look.theme.px(_ROW))

    def _row(self, choice: TokenChoice, trace: TokenTrace, place: int) -> QStandardItem:
        language, candidate = self._look.language, trace.candidates[place]
        came = candidate.id == choice.id
        share = trace.steps[0].probabilities[place]
        cells = (
            shown(candidate.raw),
            f"{candidate.logit:.1f}",
            percent(share),
            after(trace, place, language),
        )
        row = QStandardItem()
        row.setData(cells, CandidateRole.CELLS)
        row.setData(share, CandidateRole.SHARE)
        row.setData(candidate_color(choice, place), CandidateRole.COLOR)
        row.setData(came, CandidateRole.CAME)
        row.setData(self._can_branch and not came, CandidateRole.LEADS)
        said = language.text(
            "inspector-candidate", token=cells[0], score=cells[1], before=cells[2], after=cells[3]
        )
        row.setData(said, Qt.ItemDataRole.AccessibleTextRole)
        row.setToolTip(self._tip(trace, place, cells[0], came=came))
        return row

    def _tip(self, trace: TokenTrace, place: int, token: str, *, came: bool) -> str:
        language, cut = self._look.language, cut_by(trace, place)
        lines = (
            []
            if came or not self._can_branch
            else [language.text("inspector-continue", token=token)]
        )
        if cut is not None:
            name = step_name(cut, language)
            lines.append(language.text("inspector-cut-by", step=name))
        return "\n".join(lines)

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text("inspector-candidates"))
        self._fill()


def candidate_color(choice: TokenChoice, place: int) -> str:
    """Return the colour of a candidate: the one that came, the best of the others, the rest."""
    trace = choice.trace
    ids = [candidate.id for candidate in trace.candidates] if trace is not None else []
    if place < len(ids) and ids[place] == choice.id:
        return "accent"
    others = [number for number, id in enumerate(ids) if id != choice.id]
    return "ochre" if others and place == others[0] else "edge"


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)


def _paint_bar(painter: QPainter, bar: QRectF, share: float, track: QColor, fill: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(track)
    painter.drawRoundedRect(bar, 2, 2)
    if share > 0:
        painter.setBrush(fill)
        filled = QRectF(bar.x(), bar.y(), max(2.0, bar.width() * share), bar.height())
        painter.drawRoundedRect(filled, 2, 2)
