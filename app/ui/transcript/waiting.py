"""Before the first word: the question is being read, and how far that is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chat.activity import Activity
from app.ui.transcript.paper import Paper

HEIGHT = 28  # px
_BAR = 5  # px
_NAME = 260  # px: of a file's name, at most
_RATE_AFTER_S = 0.7  # a rate from a shorter time says nothing


class Waiting(QWidget):
    """A line that says what is being done, with a bar once the engine counts tokens.

    The bar: grey for what was reused, accent for what was read, stone for what is left.
    """

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._activity = Activity.READING
        self._done = self._total = self._reused = 0
        self._since: float | None = None
        self._files: Sequence[str] = ()
        self.restyle()

    def show_files(self, names: Sequence[str]) -> None:
        """Name the files that are read with the question."""
        self._files = [" ".join(name.split()) for name in names]
        self.restyle()

    def show_activity(self, activity: Activity) -> None:
        """Say what is waited for: a model that loads, or the question being read."""
        if activity is not self._activity:
            self._activity = activity
            self.restyle()

    def show_prefill(self, done: int, total: int, reused: int) -> None:
        """Show how much of the prompt has been read."""
        if self._since is None:
            self._since = time.monotonic()
        self._done, self._total, self._reused = done, total, reused
        self.restyle()

    def restyle(self) -> None:
        """Say everything again."""
        self.setAccessibleName(f"{self._lead()} {self._figures()}".strip())
        self.update()

    def _lead(self) -> str:
        text = self._paper.look.language.text
        if self._activity is Activity.WAITING_FOR_MODEL:
            return text("transcript-loading")
        if not self._files:
            return text("transcript-reading")
        if len(self._files) > 1:
            return text("transcript-reading-files", count=len(self._files))
        metrics = QFontMetrics(self._paper.look.theme.font("small"))
        name = metrics.elidedText(self._files[0], Qt.TextElideMode.ElideMiddle, _NAME)
        return text("transcript-reading-file", name=name)

    def _figures(self) -> str:
        if not self._total:
            return ""
        language = self._paper.look.language
        parts = []
        if self._reused:
            parts.append(language.text("transcript-read-reused", count=self._reused))
        done, total = language.number(self._done), language.number(self._total)
        parts.append(language.text("transcript-read-of", done=done, total=total))
        left = self._seconds_left()
        if left is not None:
            seconds = language.seconds(left, whole=True)
            parts.append(language.text("transcript-read-left", seconds=seconds))
        return " · ".join(parts)

    def _seconds_left(self) -> float | None:
        """Return the time that the rest takes at the rate so far, None while that is unknown."""
        read = self._done - self._reused
        spent = time.monotonic() - self._since if self._since is not None else 0.0
        if read <= 0 or spent < _RATE_AFTER_S or self._done >= self._total:
            return None
        return (self._total - self._done) * spent / read

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the sign, the words, the bar and the figures."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        for index, (token, tall) in enumerate((("accent", 16), ("edge", 10), ("stone3", 6))):
            painter.setBrush(theme.color(token))
            painter.drawRoundedRect(QRectF(1 + 11 * index, middle - tall / 2, 3, tall), 1.5, 1.5)
        words, captions = theme.font("small"), theme.font("caption")
        lead, figures = self._lead(), self._figures()
        left = 38 + QFontMetrics(words).horizontalAdvance(lead) + 12
        right = self.width() - QFontMetrics(captions).horizontalAdvance(figures) - 12
        centred = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(words)
        painter.setPen(theme.color("ink2"))
        painter.drawText(self.rect().adjusted(38, 0, 0, 0), centred, lead)
        if self._total and right - left > 60:
            self._bar(painter, QRectF(left, middle - _BAR / 2, right - left, _BAR))
        if right > left:
            painter.setFont(captions)
            painter.setPen(theme.color("ink2"))
            painter.drawText(self.rect(), centred | Qt.AlignmentFlag.AlignRight, figures)

    def _bar(self, painter: QPainter, area: QRectF) -> None:
        theme = self._paper.look.theme
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        for share, token in (
            (1.0, "stone3"),
            (self._done / self._total, "accent"),
            (self._reused / self._total, "edge"),
        ):
            part = QRectF(area)
            part.setWidth(area.width() * min(1.0, share))
            painter.setBrush(theme.color(token))
            painter.drawRoundedRect(part, 2, 2)
        painter.restore()


class WaitingPlace:
    """Where a reply says what it waits for, as long as it has no word.

    Attributes:
        widget: what says it; None where nothing has to be said.
    """

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        self._paper, self._parent = paper, parent
        self._files: Sequence[str] = ()
        self._activity = Activity.READING
        self.widget: Waiting | None = None

    def show_files(self, names: Sequence[str]) -> None:
        """Name the files that go with the question."""
        self._files = names
        if self.widget is not None:
            self.widget.show_files(names)

    def show_activity(self, activity: Activity) -> None:
        """Say what the reply waits for."""
        self._activity = activity
        if self.widget is not None:
            self.widget.show_activity(activity)

    def show_prefill(self, done: int, total: int, reused: int) -> None:
        """Show how much of the prompt has been read."""
        if self.widget is not None:
            self.widget.show_prefill(done, total, reused)

    def restyle(self) -> None:
        """Say everything again."""
        if self.widget is not None:
            self.widget.restyle()

    def need(self, needed: bool) -> None:
        """Say it from now on, or no longer."""
        if needed and self.widget is None:
            self.widget = Waiting(self._paper, self._parent)
            self.widget.show_activity(self._activity)
            self.widget.show_files(self._files)
        elif not needed and self.widget is not None:
            self.widget.hide()
            self.widget.deleteLater()
            self.widget = None
