"""What the engine measured for a reply, in a quiet row under it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.chat.turn import TurnFigures
from app.language import Language
from app.ui.transcript.paper import Paper

HEIGHT = 36  # px, the hairline above included
_APART = 28


class FiguresRow(QWidget):
    """Speed, first word, length, time and reused tokens; what does not fit is left out."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._labels: list[QLabel] = []

    def show_figures(self, figures: TurnFigures) -> None:
        """Show a reply's figures."""
        for label in self._labels:
            label.hide()
            label.deleteLater()
        self._labels = [
            self._label(text) for text in figure_texts(figures, self._paper.look.language)
        ]
        self._place()

    def _label(self, text: str) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setProperty("kind", "caption")
        ink = self._paper.look.theme.color("ink").name()
        rich = text.replace("<b>", f"<b style='color:{ink}'>")
        label.setText(rich)
        label.setAccessibleName(text.replace("<b>", "").replace("</b>", ""))
        return label

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place what fits."""
        self._place()

    def _place(self) -> None:
        x = 0
        for label in self._labels:
            size = label.sizeHint()
            label.setGeometry(x, 9, size.width(), HEIGHT - 9)
            label.setVisible(x + size.width() <= self.width())
            x += size.width() + _APART

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the hairline above."""
        painter = QPainter(self)
        painter.fillRect(0, 6, self.width(), 1, self._paper.look.theme.color("line"))


def figure_texts(figures: TurnFigures, language: Language) -> list[str]:
    """Return a reply's figures as words, the value of each in bold."""
    texts: list[str] = []

    def say(what: str, value: str, count: int = 0) -> None:
        bold = f"<b>{value}</b>"
        texts.append(language.text(f"transcript-figure-{what}", value=bold, count=count))

    def count(what: str, number: int) -> None:
        say(what, language.number(number), number)

    if figures.tokens_per_second is not None:
        say("speed", language.speed(figures.tokens_per_second))
    say("first", language.seconds(figures.time_to_first_token_s))
    count("length", figures.generated_tokens)
    say("time", language.seconds(figures.total_s))
    if figures.reused_tokens:
        count("reused", figures.reused_tokens)
    if figures.left_out_turns:
        count("left-out", figures.left_out_turns)
    if figures.beside_server:
        texts.append(language.text("transcript-measured-here"))
    return texts


def compact(figures: TurnFigures | None, model: str, language: Language) -> str:
    """Return the figures of an older reply in one short line: model, speed, length."""
    parts = [model] if model else []
    if figures is not None:
        if figures.tokens_per_second is not None:
            speed = language.speed(figures.tokens_per_second)
            parts.append(language.text("transcript-speed", speed=speed))
        tokens = language.text("transcript-tokens", count=figures.generated_tokens)
        parts.append(tokens)
    return " · ".join(parts)
