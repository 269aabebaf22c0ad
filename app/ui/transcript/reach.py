"""How far beyond the view blocks are made: little at once, more while there is nothing else to do.

What comes into view must be there in the same frame; what may come next is made ahead in small
steps, so that scrolling finds it ready.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

_LEAST, _MOST, _STEP = 40, 1_000, 120  # px; a step is some four blocks on each side
_PAUSE_MS = 8


class Reach(QObject):
    """Grows by itself to its most; a movement of the view eats it up.

    Args:
        work: makes what has come into reach.
    """

    def __init__(self, work: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self.px = _LEAST
        self._work = work
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._on_time)
        self._timer.start()

    def move(self, distance: int) -> None:
        """The view has moved: on one side so much less has been made ahead."""
        if distance:
            self.px = max(_LEAST, self.px - abs(distance))
            self._timer.start()

    @Slot()
    def _on_time(self) -> None:
        if self.px >= _MOST:
            self._timer.stop()
            return
        self.px += _STEP
        self._work()
