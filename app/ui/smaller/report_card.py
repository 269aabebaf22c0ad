"""The quality report of a copy: figures with what they mean, layers, and both answers."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.smaller.charts import LayersChart
from app.ui.smaller.drift_chart import DriftChart
from app.ui.words import Elided, Plain, Words, wrapped

_CLOSE, _NEAR = 0.05, 0.25  # nats: below, "very close"; below, "close"
_SIDE_BY_SIDE_FROM = 640  # px of the card


class Answer(QTextEdit):
    """A reply to read; words that the other one has not are marked."""

    def __init__(self, look: Look, name_id: str) -> None:
        super().__init__()
        self._look, self._name_id = look, name_id
        self._words: list[tuple[str, bool]] = []
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        look.follow(self._on_look_changed)

    def show_words(self, words: list[tuple[str, bool]]) -> None:
        """Show words, each with whether it is marked."""
        self._words = words
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        theme = self._look.theme
        self.setAccessibleName(self._look.language.text(self._name_id))
        self.setFont(theme.font("body"))
        self.setFixedHeight(theme.px(124))
        self.clear()
        cursor = QTextCursor(self.document())
        plain = QTextCharFormat()
        before = False
        for number, (word, marked) in enumerate(self._words):
            kind = QTextCharFormat()
            kind.setForeground(theme.color("ink"))
            if marked:
                kind.setBackground(QColor(theme.color("heat2")))
            cursor.insertText(" " * (number > 0), kind if marked and before else plain)
            cursor.insertText(word, kind)
            before = marked


class ReportCard(QFrame):
    """What was found of the copy that was made last, or that the page was opened for."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look = look
        self._report: Mapping[str, Any] = {}
        self._title, self._verdict = Elided("", "body-bold"), Plain("", "small-bold")
        self._about = wrapped(Plain("", "caption2"))
        self._values = [Plain("", "figure-large") for _ in range(5)]
        self._notes = [wrapped(Plain("", "caption2")) for _ in range(5)]
        self.layers, self.drift = LayersChart(look), DriftChart(look)
        self._question = wrapped(Plain("", "small2"))
        self._heads = (Elided("", "small-bold"), Elided("", "small-bold"))
        self.answers = (Answer(look, "smaller-answer-source"), Answer(look, "smaller-answer-copy"))
        self._same = Plain("", "caption2")
        self.use = Button(look, "smaller-use", "main", icon="chat-teardrop-text")
        self.where = Button(look, "smaller-where", icon="folder-open")
        self._lay_out()
        look.follow(self._on_look_changed)

    def show_report(self, report: Mapping[str, Any]) -> None:
        """Show a report as ``python -m engine evaluate`` tells it."""
        self._report = report
        self._on_look_changed()

    def _lay_out(self) -> None:
        head, buttons = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._verdict)
        buttons.setSpacing(8)
        buttons.addWidget(self.use)
        buttons.addWidget(self.where)
        buttons.addStretch(1)
        self._figures, self._charts, self._both = QGridLayout(), QGridLayout(), QGridLayout()
        self._figures.setHorizontalSpacing(16)
        self._charts.setHorizontalSpacing(24)
        self._both.setHorizontalSpacing(16)
        self._titles = (
            Words(self._look, "smaller-layers", "small2"),
            Words(self._look, "smaller-drift", "small2"),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addSpacing(4)
        column.addLayout(self._figures)
        column.addSpacing(8)
        column.addLayout(self._charts)
        column.addSpacing(8)
        column.addWidget(Words(self._look, "smaller-side-by-side", "body-bold"))
        column.addWidget(self._question)
        column.addLayout(self._both)
        column.addWidget(self._same)
        column.addSpacing(6)
        column.addLayout(buttons)
        self.place(_SIDE_BY_SIDE_FROM)

    def place(self, width: int) -> None:
        """Put figures and answers beside each other where the page is wide enough."""
        wide = width >= _SIDE_BY_SIDE_FROM
        for number, (value, note) in enumerate(zip(self._values, self._notes, strict=True)):
            row, column = divmod(number, 5 if wide else 2)
            self._figures.addWidget(value, 2 * row, column)
            self._figures.addWidget(note, 2 * row + 1, column, Qt.AlignmentFlag.AlignTop)
        for column in range(5):
            self._figures.setColumnStretch(column, 1 if column < (5 if wide else 2) else 0)
        charts: tuple[QWidget, ...] = (self.layers, self.drift)
        for grid, pairs in (
            (self._charts, zip(self._titles, charts, strict=True)),
            (self._both, zip(self._heads, self.answers, strict=True)),
        ):
            for number, (head, body) in enumerate(pairs):
                row, column = (0, number) if wide else (number, 0)
                grid.addWidget(head, 2 * row, column)
                grid.addWidget(body, 2 * row + 1, column)
            grid.setColumnStretch(1, 1 if wide else 0)
            grid.setColumnStretch(0, 1)

    def _on_look_changed(self) -> None:
        report, language = self._report, self._look.language
        self.setVisible(bool(report))
        if not report:
            return
        text, like, copy, source = (
            language.text, report["likeness"], report["copy"], report["source"]
        )  # fmt: skip
        self._title.setText(text("smaller-report", name=copy["name"]))
        self._verdict.setText(text(f"smaller-verdict-{verdict(like['divergence'])}"))
        self._about.setText(text("smaller-report-about", tokens=like["tokens"]))
        original = language.bytes_text(source["size"])
        pairs = (
            (f"{like['divergence']:.3f}", text("smaller-kl")),
            (f"{like['same_top'] * 100:.1f} %", text("smaller-same")),
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
        told = bool(errors), bool(like.get("drift"))
        for title, chart, shown in zip(self._titles, (self.layers, self.drift), told, strict=True):
            title.setVisible(shown)
            chart.setVisible(shown)
        self._show_answers(report["question"], source, copy)

    def _show_answers(
        self, question: str, source: Mapping[str, Any], copy: Mapping[str, Any]
    ) -> None:
        text = self._look.language.text
        self._question.setText(question)
        names = f"{text('smaller-original')} · {source['name']}", copy["name"]
        for head, name, one in zip(self._heads, names, (source, copy), strict=True):
            speed = self._look.language.speed(one["tokens_per_second"])
            head.setText(f"{name} · {text('smaller-rate', speed=speed)}")
        theirs, ours, same = marked(source["reply"], copy["reply"])
        self.answers[0].show_words(theirs)
        self.answers[1].show_words(ours)
        self._same.setText(
            text("smaller-words-same", same=same, words=len(source["reply"].split()))
        )


def verdict(divergence: float) -> str:
    """Return how like its source a copy is, in a word: "very", "close" or "other"."""
    return "very" if divergence < _CLOSE else "close" if divergence < _NEAR else "other"


def marked(source: str, copy: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]], int]:
    """Return the words of two replies, each with whether the other lacks it, and how many agree."""
    theirs, ours = source.strip().split(), copy.strip().split()
    blocks = difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
    left = {block.a + step for block in blocks for step in range(block.size)}
    right = {block.b + step for block in blocks for step in range(block.size)}
    return (
        [(word, at not in left) for at, word in enumerate(theirs)],
        [(word, at not in right) for at, word in enumerate(ours)],
        len(left),
    )
