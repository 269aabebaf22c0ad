"""What a model would take of the memory here: the verdict, a bar of its parts, their figures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.look import Look
from app.ui.model_words import fit_kind, fit_words
from app.ui.parts_bar import PartsBar, Swatch
from app.ui.why_dialog import WhyButton
from app.ui.words import Plain, Words
from engine.library.fit import Fit, Place

_PARTS = (
    ("ink", "memory-model"),
    ("accent", "memory-context"),
    ("edge", "memory-workspace"),
    ("stone3", "memory-free"),
)


class ModelMemory(QWidget):
    """The badge with its reason, the bar, and the legend with an amount for each part."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._badge, self.why = Plain("", "badge"), WhyButton(look)
        self._bar = PartsBar(look)
        self._amounts = [_figure() for _ in _PARTS]
        verdict = QHBoxLayout()
        verdict.setSpacing(4)
        for each in (self._badge, self.why):
            verdict.addWidget(each, 0, Qt.AlignmentFlag.AlignVCenter)
        verdict.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(verdict)
        column.addWidget(self._bar)
        column.addLayout(self._legend())

    def show_fit(self, here: Fit, name: str) -> None:
        """Show how a model fits, or that nothing can be said of it."""
        language, need = self._look.language, here.need
        known = here.place is not Place.UNKNOWN
        self._badge.setText(fit_words(here, language))
        self._badge.set_kind(fit_kind(here))
        self.why.show_name(name)
        left = max(0, here.free - need.total)
        amounts = (need.weights, need.cache, need.workspace, left) if known else (0, 0, 0, 0)
        for label, amount in zip(self._amounts, amounts, strict=True):
            label.setText(language.bytes_text(amount) if known else "–")
        colors = (token for token, _ in _PARTS)
        self._bar.show_parts(tuple(zip(colors, amounts, strict=True)))
        self._bar.setVisible(known)

    def _legend(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, (token, text_id) in enumerate(_PARTS):
            grid.addWidget(Swatch(self._look, token), row, 0)
            grid.addWidget(Words(self._look, text_id, "caption2"), row, 1)
            grid.addWidget(self._amounts[row], row, 2)
        return grid


def _figure() -> Plain:
    label = Plain("", "caption2")
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label
