"""Where the cards of the page of smaller copies stand: side by side as far as there is room."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from app.ui.look import Look

_TWO_COLUMNS_FROM, _THREE_COLUMNS_FROM = 860, 1100  # px of the page at 100 %
_GAP = 12  # px


class Cards(QWidget):
    """What one trades, the sizes, and the work at their right.

    Args:
        look: its text size decides from which width on three columns have room.
        trade: the chart.
        choice: the sizes.
        work: the copy that is made; without room it stands first in ``column``.
        column: of the page.
    """

    def __init__(
        self, look: Look, trade: QFrame, choice: QFrame, work: QFrame, column: QVBoxLayout
    ) -> None:
        super().__init__()
        self._look, self._trade, self._choice, self._work = look, trade, choice, work
        self._column = column
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)

    def place(self, width: int, *, is_worked: bool) -> None:
        """Place the cards for a page of so many pixels.

        Args:
            width: of the page.
            is_worked: whether the work has something to say; without cards it stands alone.
        """
        wide = width >= _TWO_COLUMNS_FROM
        three = not self.isHidden() and width >= self._look.theme.px(_THREE_COLUMNS_FROM)
        self._grid.addWidget(self._trade, 0, 0)
        self._grid.addWidget(self._choice, *((0, 1) if wide else (1, 0)))
        if three:
            self._grid.addWidget(self._work, 0, 2)
        elif self._column.indexOf(self._work) < 0:
            self._column.insertWidget(0, self._work)
        beside = three and is_worked
        for number, share in enumerate((3, 2 if wide else 0, 3 if beside else 0)):
            self._grid.setColumnStretch(number, share)


def card() -> tuple[QFrame, QVBoxLayout]:
    """Return an empty card and the column of what it holds."""
    frame = QFrame()
    frame.setObjectName("chart-card")
    column = QVBoxLayout(frame)
    column.setContentsMargins(18, 16, 18, 16)
    column.setSpacing(4)
    return frame, column
