"""The latest requests, a line each, with their speeds. Never what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.language import Language
from app.ui.look import Look
from app.ui.words import Elided, Plain, Words
from engine.server import RequestRecord

MOST_ROWS = 20
_COLUMNS = ("time", "path", "status", "tokens", "first", "speed")
_RIGHT_FROM = 2  # figures stand at the right


class RequestTable(QWidget):
    """Rows that are filled, never made anew: requests may come many a second."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        self._heads = [Words(look, f"server-column-{name}", "caption2") for name in _COLUMNS]
        self._rows = [[_cell(column) for column in range(len(_COLUMNS))] for _ in range(MOST_ROWS)]
        self._nothing = Words(look, "server-requests-none", "small2")
        for column, head in enumerate(self._heads):
            grid.addWidget(head, 0, column, _side(column))
        for number, cells in enumerate(self._rows, 1):
            for column, cell in enumerate(cells):
                side = _side(column) if column != 1 else Qt.AlignmentFlag(0)
                grid.addWidget(cell, number, column, side)
        grid.addWidget(self._nothing, MOST_ROWS + 1, 0, 1, len(_COLUMNS))

    def show_records(self, records: Sequence[RequestRecord]) -> None:
        """Show the latest, the newest first."""
        shown = list(records)[:MOST_ROWS]
        for head in self._heads:
            head.setVisible(bool(shown))
        self._nothing.setVisible(not shown)
        for number, cells in enumerate(self._rows):
            texts = _texts(shown[number], self._look.language) if number < len(shown) else ()
            for column, cell in enumerate(cells):
                cell.setVisible(bool(texts))
                if texts:
                    cell.setText(texts[column])


def _cell(column: int) -> Plain:
    return Elided("", "small") if column == 1 else Plain("", "small")


def _side(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column >= _RIGHT_FROM else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _texts(record: RequestRecord, language: Language) -> tuple[str, ...]:
    first, speed = record.first_token_s, record.tokens_per_second
    return (
        datetime.fromtimestamp(record.at).astimezone().strftime("%H:%M:%S"),
        record.path,
        language.text("server-left") if record.status == 499 else str(record.status),
        f"{record.prompt_tokens} + {record.generated_tokens}" if record.generated_tokens else "",
        language.seconds(first) if first is not None and record.generated_tokens else "",
        f"{speed:.1f}" if speed is not None else "",
    )
