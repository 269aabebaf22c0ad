"""What the measured speeds depend on: memory, processor, graphics card, power, threads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.ui.attachments.flow import Flow
from app.ui.computer import processor_words
from app.ui.look import Look
from app.ui.segments import Segments
from app.ui.status_items import StatusIcon
from app.ui.words import Plain, Words

_APART = 24  # px


class FactsRow(QWidget):
    """The facts in as many rows as they take; the threads at the right where there is room."""

    def __init__(self, look: Look, threads: Segments) -> None:
        super().__init__()
        self._look, self._threads = look, threads
        self.speed, self._processor = Plain("", "figure-large"), Plain("", "small2")
        self._graphics, self._power = Plain("", "small2"), Plain("", "small2")
        self._gpus: tuple[str, ...] | None = None
        self._plugged: bool | None = None
        memory = _in_a_row(self.speed, Words(look, "benchmark-bandwidth", "small2"))
        processor = _in_a_row(StatusIcon(look, "cpu", "ink2", 18), self._processor)
        self._of_graphics = _in_a_row(StatusIcon(look, "monitor", "ink2", 18), self._graphics)
        self._of_power = _in_a_row(StatusIcon(look, "lightning", "ink2", 18), self._power)
        self._known = Flow(_APART)
        self._known.show_widgets([memory, processor, self._of_graphics, self._of_power])
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(self._known, 0, 0)
        look.follow(self._on_look_changed)

    def place(self, *, wide: bool) -> None:
        """Put the threads beside the facts, or below them."""
        left = Qt.AlignmentFlag.AlignLeft  # else the row would be no wider than they are
        self._grid.addWidget(self._threads, *((0, 1) if wide else (1, 0)), left)

    def show_measured(self, bandwidth: float, processor: str) -> None:
        """Say how many bytes a second the memory delivers, and what computes."""
        self.speed.setText(f"{bandwidth / 1e9:.1f} GB/s")
        self._processor.setText(processor_words(self._look.language, processor))

    def show_surroundings(self, gpus: tuple[str, ...], plugged: bool | None) -> None:
        """Say what else decides the speed.

        Args:
            gpus: the names of graphics cards.
            plugged: whether a computer with a battery has its power from outside; None: it has
                no battery, or none that tells.
        """
        self._gpus, self._plugged = gpus, plugged
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self._graphics.setText(", ".join(self._gpus or ()) or text("benchmark-no-graphics"))
        self._power.setText(text("benchmark-plugged" if self._plugged else "benchmark-battery"))
        self._of_graphics.setVisible(self._gpus is not None)
        self._of_power.setVisible(self._plugged is not None)
        self._known.look_again()


def _in_a_row(*parts: QWidget) -> QWidget:
    """Return widgets beside each other as one."""
    whole = QWidget()
    row = QHBoxLayout(whole)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for part in parts:
        row.addWidget(part)
    return whole
