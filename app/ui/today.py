"""The day that it is, for as long as the window is open: told when another one begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

_AFTER_MIDNIGHT_MS = 500  # a timer may come a little early
_LONGEST_WAIT_MS = 3_600_000  # timers stand still while a computer sleeps, and clocks are put right


class Today(QObject):
    """Today's date where the user is.

    A window stays open for days, and what was written "today" is of yesterday in the morning. The
    day is looked at just after midnight, at least once an hour, and when the program comes to the
    front again.
    """

    changed = Signal()

    def __init__(
        self, parent: QObject | None = None, read: Callable[[], date] | None = None
    ) -> None:
        super().__init__(parent)
        self._read = read or _date_here
        self._date = self._read()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.look)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._on_state)
        self._wait()

    @property
    def date(self) -> date:
        """The date that was last told."""
        return self._date

    def look(self) -> None:
        """Read the clock, and tell if another day has begun."""
        now = self._read()
        if now != self._date:
            self._date = now
            self.changed.emit()
        self._wait()

    def _wait(self) -> None:
        now = datetime.now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time())
        left = int((midnight - now).total_seconds() * 1000) + _AFTER_MIDNIGHT_MS
        self._timer.start(min(left, _LONGEST_WAIT_MS))

    def _on_state(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.look()


def _date_here() -> date:
    return datetime.now().astimezone().date()
