"""Where the time of an answer went: a bar in proportion, and a figure for each stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.inspection import Inspection
from app.language import Language
from app.ui.look import Look
from app.ui.pace import Spent
from app.ui.words import Plain

_BAR, _TILE, _GAP = 16, 104, 2  # px: the bar's height, the narrowest tile, between two parts
_MOST_SAVED = 0.4  # of the bar, for what was not needed: it is longer than all the rest, often


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, as it is shown.

    Attributes:
        name: a text of the language.
        color: of the palette; empty for what is hatched.
        seconds: its share of the bar; 0 has none.
        figure: the main figure.
        more: a second line.
    """

    name: str
    color: str
    seconds: float
    figure: str
    more: str


def stages_of(seen: Inspection, layouts: Spent | None, language: Language) -> list[Stage]:
    """Return the stages of a reply whose timings are known; none of one computed once more."""
    timings, usage, text = seen.timings, seen.usage, language.text
    if timings is None or usage is None or seen.is_again:
        return []

    def brief(value: float) -> str:
        return short_time(value, language)

    seconds, speed = language.seconds, timings.prefill_tokens_per_second
    kept, read = usage.reused_tokens, usage.prompt_tokens - usage.reused_tokens
    saved = kept / speed if speed else 0.0
    rate = timings.tokens_per_second
    stages = [
        Stage("inspector-split", "rouge", timings.tokenize_s, brief(timings.tokenize_s),
              text("inspector-tokens", count=usage.prompt_tokens)),
        Stage("inspector-reuse", "", saved,
              text("inspector-saved", time=seconds(saved)) if saved else "–",
              text("inspector-kept", count=kept)),
        Stage("inspector-read", "azurite", timings.prefill_s, seconds(timings.prefill_s),
              text("inspector-speed", speed=language.speed(speed)) if speed
              else text("inspector-tokens", count=read)),
        Stage("inspector-write", "ink", timings.decode_s, seconds(timings.decode_s),
              text("inspector-speed", speed=language.speed(rate)) if rate
              else text("inspector-tokens", count=usage.generated_tokens)),
        Stage("inspector-choose", "ochre", 0.0,
              brief(timings.sample_s),
              text("inspector-spell", time=brief(timings.detokenize_s))),
    ]  # fmt: skip
    if layouts is not None and layouts.times:
        each = text("inspector-each", time=brief(layouts.seconds / layouts.times))
        stages.append(Stage("inspector-show", "accent", 0.0, brief(layouts.seconds), each))
    return stages


def short_time(seconds: float, language: Language) -> str:
    """Return a time that may be very short: 0.4 ms, 3.2 ms, 76 ms, 1.2 s."""
    if seconds >= 1:
        return language.seconds(seconds)
    figure = f"{seconds * 1000:.{1 if seconds < 0.01 else 0}f}"
    return language.text("inspector-milliseconds", count=figure)


class StageBar(QWidget):
    """The stages that follow one another, each as long as it took; what was saved is hatched."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._stages: list[Stage] = []
        self.setFixedHeight(_BAR)
        look.theme.changed.connect(self.update)

    def show_stages(self, stages: Sequence[Stage]) -> None:
        """Show other stages."""
        self._stages = [stage for stage in stages if stage.seconds > 0]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the parts side by side."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shares = self._shares()
        room, x = self.width() - _GAP * max(0, len(shares) - 1), 0.0
        for stage, share in zip(self._stages, shares, strict=True):
            part = QRectF(x, 0, max(3.0, share * room), self.height())
            if stage.color:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color(stage.color))
                painter.drawRoundedRect(part, 2, 2)
            else:
                painter.setPen(QPen(theme.color("edge"), 1))
                painter.setBrush(QBrush(theme.color("edge"), Qt.BrushStyle.BDiagPattern))
                painter.drawRoundedRect(part.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            x += part.width() + _GAP

    def _shares(self) -> list[float]:
        spent = sum(stage.seconds for stage in self._stages if stage.color)
        saved = sum(stage.seconds for stage in self._stages if not stage.color)
        whole = spent + saved
        given = min(saved / whole, _MOST_SAVED) if whole else 0.0
        return [
            given if not stage.color else stage.seconds / max(spent, 1e-9) * (1 - given)
            for stage in self._stages
        ]


class Swatch(QWidget):
    """A square in a stage's colour."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look, self._color = look, ""
        self.setFixedSize(9, 9)

    def show_color(self, color: str) -> None:
        """Take another colour; none is hatched."""
        self._color = color
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square."""
        painter, theme = QPainter(self), self._look.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("edge") if not self._color else Qt.PenStyle.NoPen)
        hatched = QBrush(theme.color("edge"), Qt.BrushStyle.BDiagPattern)
        painter.setBrush(theme.color(self._color) if self._color else hatched)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)


class StageTile(QWidget):
    """A stage: its name, its figure, a second line."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._swatch = Swatch(look)
        self._name, self._figure = Plain("", "caption2"), Plain("", "small-bold")
        self._more = Plain("", "caption")
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._swatch)
        head.addWidget(self._name, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._figure)
        column.addWidget(self._more)

    def show_stage(self, stage: Stage, language: Language) -> None:
        """Show another stage."""
        self._swatch.show_color(stage.color)
        self._name.setText(language.text(stage.name))
        self._figure.setText(stage.figure)
        self._more.setText(stage.more)
        self.setAccessibleName(f"{self._name.text()}: {stage.figure}, {stage.more}")


class Stages(QWidget):
    """The bar with its tiles below; the tiles stand in two rows where it is narrow."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._bar = StageBar(look)
        self._tiles = [StageTile(look, self) for _ in range(6)]
        self._used = 0
        self._columns = 0
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(10)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._bar)
        column.addLayout(self._grid)

    def show_stages(self, stages: Sequence[Stage]) -> None:
        """Show other stages; none hides them all."""
        self.setVisible(bool(stages))
        self._bar.show_stages(stages)
        for tile, stage in zip(self._tiles, stages, strict=False):
            tile.show_stage(stage, self._look.language)
        if len(stages) != self._used:
            self._used, self._columns = len(stages), 0
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the tiles in one row or in two."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        fitting = max(1, self.width() // self._look.theme.px(_TILE))
        columns = 6 if fitting >= self._used else 3
        if columns == self._columns:
            return
        self._columns = columns
        for number, tile in enumerate(self._tiles):
            self._grid.removeWidget(tile)
            tile.setVisible(number < self._used)
            if number < self._used:
                self._grid.addWidget(tile, number // columns, number % columns)
