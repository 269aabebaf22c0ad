"""What the sampler did to the odds of one token: a bar for each step, and where the draw fell."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.inspector.candidates import candidate_color
from app.ui.inspector.cells import raw_of, shown
from app.ui.inspector.odds import step_name
from app.ui.look import Look
from engine.contract import StepTrace, TokenChoice

_ROW, _HEAD = 28, 22  # px
_NAME, _LEFT = 0.45, 0.71  # where the bar begins and ends, of the width
_VCENTER = Qt.AlignmentFlag.AlignVCenter


class StepRows(QWidget):
    """Painted rows; all of it is in the accessible description, too."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._choice: TokenChoice | None = None
        look.follow(self._on_look_changed)

    def show_choice(self, choice: TokenChoice | None) -> None:
        """Show the steps of a token."""
        self._choice = choice
        self._on_look_changed()

    def sizeHint(self) -> QSize:
        """Return the height of all rows."""
        rows = len(self._steps()) + (self._draw() is not None)
        return QSize(200, self._look.theme.px(_HEAD) + rows * self._look.theme.px(_ROW))

    def _steps(self) -> tuple[StepTrace, ...]:
        trace = self._choice.trace if self._choice is not None else None
        return trace.steps if trace is not None else ()

    def _draw(self) -> float | None:
        trace = self._choice.trace if self._choice is not None else None
        return trace.draw if trace is not None else None

    def _on_look_changed(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        text = self._look.language.text
        self.setAccessibleName(text("inspector-steps"))
        rows = [f"{name}: {left}" for name, left in map(self._words, self._steps())]
        self.setAccessibleDescription("; ".join(rows))
        self.updateGeometry()
        self.update()

    def _words(self, step: StepTrace) -> tuple[str, str]:
        language = self._look.language
        left = language.text("inspector-left", count=step.left)
        return step_name(step, language), left

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the head, a row for each step, and the draw."""
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head, row = theme.px(_HEAD), theme.px(_ROW)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink3"))
        painter.drawText(
            QRect(0, 0, self.width(), head), _VCENTER, self._look.language.text("inspector-steps")
        )
        painter.fillRect(0, head - 1, self.width(), 1, theme.color("edge"))
        top = head
        for step in self._steps():
            self._paint_step(painter, QRect(0, top, self.width(), row), step)
            top += row
        self._paint_draw(painter, QRect(0, top, self.width(), row))

    def _paint_step(self, painter: QPainter, place: QRect, step: StepTrace) -> None:
        theme = self._look.theme
        name, left = self._words(step)
        start, end = round(_NAME * place.width()), round(_LEFT * place.width())
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink"))
        room = place.adjusted(0, 0, start - place.width() - 6, 0)
        elided = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _VCENTER, elided)
        painter.setPen(theme.color("ink2"))
        painter.drawText(place, _VCENTER | Qt.AlignmentFlag.AlignRight, left)
        self._paint_shares(painter, QRectF(start, place.center().y() - 4, end - start, 9), step)

    def _paint_shares(self, painter: QPainter, bar: QRectF, step: StepTrace) -> None:
        """Paint the odds of the candidates, the likeliest first: the draw counts in this order."""
        if self._choice is None:
            return
        theme, x = self._look.theme, bar.x()
        painter.fillRect(bar, theme.color("stone3"))
        for place in _by_share(step):
            width = step.probabilities[place] * bar.width()
            color = theme.color(candidate_color(self._choice, place))
            if width >= 0.5:
                painter.fillRect(QRectF(x, bar.y(), max(1.0, width - 1), bar.height()), color)
            x += width

    def _paint_draw(self, painter: QPainter, place: QRect) -> None:
        draw, choice, theme = self._draw(), self._choice, self._look.theme
        if draw is None or choice is None:
            return
        text = self._look.language.text
        start, end = round(_NAME * place.width()), round(_LEFT * place.width())
        painter.setFont(theme.font("small-bold"))
        painter.setPen(theme.color("ink"))
        painter.drawText(place, _VCENTER, text("inspector-draw", number=f"{draw:.2f}"))
        picks = text("inspector-picks", token=shown(raw_of(choice)))
        painter.drawText(
            place.adjusted(end + 4, 0, 0, 0), _VCENTER | Qt.AlignmentFlag.AlignRight,
            painter.fontMetrics().elidedText(
                picks, Qt.TextElideMode.ElideRight, place.width() - end - 4
            ),
        )  # fmt: skip
        middle = place.center().y()
        painter.fillRect(start, middle, end - start, 1, theme.color("edge"))
        x = start
        last = self._steps()[-1]
        for candidate in _by_share(last):
            x += round(last.probabilities[candidate] * (end - start))
            painter.fillRect(min(x, end) - 1, middle - 4, 1, 9, theme.color("edge"))
        painter.fillRect(start + round(draw * (end - start)) - 1, middle - 7, 3, 15,
                         theme.color("accent"))  # fmt: skip


def _by_share(step: StepTrace) -> list[int]:
    return sorted(range(len(step.probabilities)), key=lambda place: -step.probabilities[place])
