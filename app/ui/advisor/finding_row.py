"""One finding: a sign, what was found in bold, what it means, and its remedies as buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.attachments.flow import Flow
from app.ui.faults import FaultText
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain, wrapped

_SIGNS = {
    "cause": ("warning", "ochre"),
    "nature": ("info", "azurite"),
    "fine": ("check-circle", "accent"),
    "unknown": ("info", "ink3"),
}


class FindingRow(QWidget):
    """A row of the sheet.

    Args:
        look: theme and language.
        said: in words.
        kind: "cause", "nature", "fine" or "unknown".
    """

    def __init__(self, look: Look, said: FaultText, kind: str) -> None:
        super().__init__()
        self.kind, self.sentence = kind, said.sentence
        self.buttons: list[QPushButton] = []
        icon, color = _SIGNS[kind]
        sign = StatusIcon(look, icon, color, 16, tall=look.theme.line_height("body"))
        self._flow = Flow(gap=8)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(wrapped(Plain(said.lead, "body-bold")))
        if said.rest:
            words.addWidget(wrapped(Plain(said.rest, "small2")))
        words.addSpacing(4)
        words.addWidget(self._flow)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 8)
        row.setSpacing(12)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.setAccessibleName(said.sentence)

    def offer(self, text: str, act: Callable[[], object]) -> None:
        """Add a remedy; the first is the best."""
        button = QPushButton(text)
        button.setAccessibleName(text)
        button.setProperty("scale", "small")
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: act())
        self.buttons.append(button)
        self._flow.show_widgets(self.buttons)
