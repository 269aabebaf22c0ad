"""The quality report of a copy: figures with what they mean, layers, and both answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.smaller.charts import LayersChart
from app.ui.smaller.drift_chart import DriftChart
from app.ui.smaller.side_by_side import SideBySide
from app.ui.words import Elided, Plain, Words, in_a_row, wrapped

_CLOSE, _NEAR = 0.05, 0.25  # nats: below, "very close"; below, "close"
_BESIDE_FROM = 940  # px of the card: both answers stand at the right of the figures
_WIDE_FROM = 640  # px: the answers stand beside one another
_BADGES = {"very": "badge-fits", "close": "badge", "other": "badge-tight"}


class ReportCard(QFrame):
    """What was found of the copy that was made last, or that the page was opened for."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look = look
        self._report: Mapping[str, Any] = {}
        self._made_at = 0
        self._title, self._verdict = Elided("", "body-bold"), Plain("", "badge-fits")
        self._about = wrapped(Plain("", "caption2"))
        self._values = [Plain("", "figure-large") for _ in range(5)]
        self._notes = [wrapped(Plain("", "caption2")) for _ in range(5)]
        self.layers, self.drift = LayersChart(look), DriftChart(look)
        self.side = SideBySide(look)
        self.use = Button(look, "smaller-use", "main", icon="chat-teardrop-text")
        self.where = Button(look, "smaller-where", icon="folder-open")
        self._lay_out()
        look.follow(self._on_look_changed)

    def show_report(
        self, report: Mapping[str, Any], made_at: int = 0, gone: Path | None = None
    ) -> None:
        """Show a report as ``python -m engine evaluate`` tells it.

        Args:
            report: empty shows nothing.
            made_at: when it was made, in Unix seconds; 0 leaves that out.
            gone: where the source was, if it is not there any more.
        """
        self._report, self._made_at = report, made_at
        if report:
            names = {side: str(report[side]["name"]) for side in ("source", "copy")}
            self.side.show_report(report, names, str(gone or ""))
        self._on_look_changed()

    def _lay_out(self) -> None:
        head, buttons = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._verdict)
        buttons.setSpacing(8)
        buttons.addWidget(self.use)
        buttons.addWidget(self.where)
        buttons.addStretch(1)
        self._figures, self._charts, self._parts = QGridLayout(), QGridLayout(), QGridLayout()
        self._figures.setHorizontalSpacing(16)
        self._charts.setHorizontalSpacing(24)
        self._titles = (
            Words(self._look, "smaller-drift", "small2"),
            Words(self._look, "smaller-layers", "small2"),
        )
        self._pictures: tuple[QWidget, QWidget] = (self.drift, self.layers)
        self._found = QWidget()
        column = QVBoxLayout(self._found)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addSpacing(4)
        column.addLayout(self._figures)
        column.addSpacing(8)
        column.addLayout(self._charts)
        column.addSpacing(6)
        column.addLayout(buttons)
        column.addStretch(1)
        self._parts.setContentsMargins(18, 16, 18, 16)
        self._parts.setHorizontalSpacing(28)
        self._parts.setVerticalSpacing(20)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(self._parts)
        self.place(_WIDE_FROM)

    def place(self, width: int) -> None:
        """Put figures, charts and answers beside each other as far as the page is wide enough."""
        beside, wide = width >= _BESIDE_FROM, width >= _WIDE_FROM
        across = 3 if beside else 5 if wide else 2
        for number, (value, note) in enumerate(zip(self._values, self._notes, strict=True)):
            row, column = divmod(number, across)
            self._figures.addWidget(value, 2 * row, column)
            self._figures.addWidget(note, 2 * row + 1, column, Qt.AlignmentFlag.AlignTop)
        for column in range(5):
            self._figures.setColumnStretch(column, 1 if column < across else 0)
        two = wide and not beside
        for number, (title, chart) in enumerate(zip(self._titles, self._pictures, strict=True)):
            row, column = (0, number) if two else (number, 0)
            self._charts.addWidget(title, 2 * row, column)
            self._charts.addWidget(chart, 2 * row + 1, column)
        self._charts.setColumnStretch(0, 1)
        self._charts.setColumnStretch(1, 1 if two else 0)
        self._parts.addWidget(self._found, 0, 0)
        self._parts.addWidget(self.side, *((0, 1) if beside else (1, 0)))
        self._parts.setColumnStretch(0, 4)
        self._parts.setColumnStretch(1, 7 if beside else 0)
        self.side.place(wide=wide)

    def _on_look_changed(self) -> None:
        report, language = self._report, self._look.language
        self.setVisible(bool(report))
        if not report:
            return
        text, like, copy, source = (
            language.text, report["likeness"], report["copy"], report["source"]
        )  # fmt: skip
        self._title.setText(text("smaller-report", name=copy["name"]))
        found = verdict(like["divergence"])
        self._verdict.setText(text(f"smaller-verdict-{found}"))
        self._verdict.set_kind(_BADGES[found])
        about = text("smaller-report-about", tokens=like["tokens"])
        made = text("smaller-report-made", time=language.moment(self._made_at))
        self._about.setText(in_a_row(about, made) if self._made_at else about)
        original = language.bytes_text(source["size"])
        pairs = (
            (f"{like['divergence']:.3f}", text("smaller-kl")),
            (f"{like['same_top'] * 100:.1f} %", self._same_words(like)),
            (
                f"{like['perplexity']:.2f}",
                text("smaller-perplexity", value=f"{like['source_perplexity']:.2f}"),
            ),
            (language.bytes_text(copy["size"]), text("smaller-size", value=original)),
            (
                text("smaller-rate", speed=language.speed(copy["tokens_per_second"])),
                text("smaller-speed", value=language.speed(source["tokens_per_second"])),
            ),
        )
        for value, note, (figure, words) in zip(self._values, self._notes, pairs, strict=True):
            value.setText(figure)
            note.setText(words)
        errors = [float(each) for each in report.get("errors", ())]
        self.layers.show_errors(errors, len(errors))
        self.drift.show_likeness(like)
        told = bool(like.get("drift")), bool(errors)
        for title, chart, shown in zip(self._titles, self._pictures, told, strict=True):
            title.setVisible(shown)
            chart.setVisible(shown)

    def _same_words(self, like: Mapping[str, Any]) -> str:
        tokens = int(like["tokens"])
        same = round(float(like["same_top"]) * tokens)
        number = self._look.language.number
        return self._look.language.text("smaller-same", same=number(same), tokens=number(tokens))


def verdict(divergence: float) -> str:
    """Return how like its source a copy is, in a word: "very", "close" or "other"."""
    return "very" if divergence < _CLOSE else "close" if divergence < _NEAR else "other"
