"""The benchmark page: how fast the models here are, and what stands in the way of more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.chat.benchmarking import Benchmarking, thread_choices
from app.store.benchmarks import Speed
from app.ui.benchmark.against import Against
from app.ui.benchmark.chart import Chart, ChartCard, LegendKey
from app.ui.benchmark.facts import FactsRow
from app.ui.benchmark.limit_chart import LimitChart
from app.ui.benchmark.progress import ProgressStrip, failure_words
from app.ui.benchmark.reading_chart import ReadingChart
from app.ui.benchmark.waiting_chart import WaitingChart
from app.ui.benchmark.writing_chart import WritingChart
from app.ui.buttons import Button
from app.ui.header import Header
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.page_frame import Page, scrolled_paper
from app.ui.segments import Segments
from app.ui.words import Elided, Plain, Words, wrapped
from engine.contract import ModelFacts

_TWO_COLUMNS_FROM = 860  # px of the page


class BenchmarkPage(Page):
    """Charts of what was measured, and the buttons to measure and to save."""

    save_requested = Signal(object)  # tuple[Speed, ...]
    add_requested = Signal()  # there is no model that could be measured

    def __init__(self, look: Look, shelf: ModelShelf, benchmarking: Benchmarking) -> None:
        super().__init__()
        self._look, self._shelf, self._bench = look, shelf, benchmarking
        self._against, self._was_disturbed = Against(look, self), False
        self._left_out: set[str] = set()  # paths that are not to be measured
        self._summary = Elided("", "small2")
        self.save = Button(look, "benchmark-save", icon="export")
        self.choose = Button(look, "benchmark-choose", "quiet", icon="stack")
        self.run = Button(look, "benchmark-run", "main", icon="play")
        choices = thread_choices()
        self.threads = Segments(
            look, "setting-threads", {str(n): self._threads_text(n, choices[0]) for n in choices}
        )
        self.threads.show_value(str(choices[0]))
        self._charts: tuple[Chart, ...] = (
            WritingChart(look), LimitChart(look), WaitingChart(look), ReadingChart(look)
        )  # fmt: skip
        self._cards = self._make_cards()
        self.facts, self._strip = FactsRow(look, self.threads), ProgressStrip(look)
        self._failed, self._hint = wrapped(Plain("", "wrong")), Plain("", "small2")
        self._empty = QWidget()
        self.add = Button(look, "add-model", icon="plus")
        self._lay_out()
        self._connect()
        look.follow(self._on_changed)

    def take_focus(self) -> None:
        """Put the focus on the way to measure."""
        self.run.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the cards in one column or two."""
        super().resizeEvent(event)
        self._place_cards()

    # --- construction -------------------------------------------------------------------------

    def _threads_text(self, count: int, most: int) -> Callable[[], str]:
        def said() -> str:
            text = self._look.language.text
            return text("benchmark-threads", count=count) if count == most else str(count)

        return said

    def _make_cards(self) -> tuple[ChartCard, ...]:
        look, (writing, limit, waiting, reading) = self._look, self._charts
        legend = (
            LegendKey(look, "benchmark-measured", "ink"),
            LegendKey(look, "benchmark-room", "ink3", "hatched"),
            LegendKey(look, "benchmark-memory-limit", "accent", "line"),
            LegendKey(look, "benchmark-easy", "azurite", "dots"),
        )
        self._peer_key = LegendKey(look, "benchmark-peer-name", "ochre")
        read = LegendKey(look, "benchmark-read", "azurite")
        write = LegendKey(look, "benchmark-write", "ink")
        return (
            ChartCard(look, "benchmark-writing", writing, *legend, self._peer_key),
            ChartCard(look, "benchmark-limit", limit),
            ChartCard(look, "benchmark-waiting", waiting, read, write),
            ChartCard(look, "benchmark-reading", reading),
        )

    def _lay_out(self) -> None:
        title = QWidget()
        head = QHBoxLayout(title)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(Words(self._look, "benchmark", "title"))
        head.addWidget(self._summary, 1)
        inside, column = scrolled_paper()
        column.addWidget(self.facts)
        column.addWidget(self._strip)
        column.addWidget(self._failed)
        column.addWidget(wrapped(self._hint))
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        column.addLayout(self._grid)
        column.addWidget(self._fill_empty())
        column.addStretch(1)
        header = Header(title, self.choose, self.save, self.run)
        self.lay_out(header, inside)

    def _fill_empty(self) -> QWidget:
        column = QVBoxLayout(self._empty)
        column.setContentsMargins(0, 64, 0, 0)
        column.setSpacing(8)
        self._question = Words(self._look, "benchmark-nothing", "name")
        self._answer = Words(self._look, "benchmark-nothing-about", "body2")
        for words in (self._question, self._answer):
            words.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(wrapped(words))
        column.addSpacing(8)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignHCenter)
        return self._empty

    def _place_cards(self) -> None:
        wide = self.width() >= _TWO_COLUMNS_FROM
        for number, card in enumerate(self._cards):
            row, column = divmod(number, 2) if wide else (number, 0)
            self._grid.addWidget(card, row, column)
        self._grid.setColumnStretch(0, 3)
        self._grid.setColumnStretch(1, 2 if wide else 0)
        self.facts.place(wide=wide)

    # --- what it shows ------------------------------------------------------------------------

    def _connect(self) -> None:
        self._bench.changed.connect(self._on_changed)
        self._shelf.changed.connect(self._on_changed)
        self.threads.chosen.connect(self._on_changed)
        self._against.changed.connect(self._on_changed)
        self.run.clicked.connect(self._on_run)
        self.choose.clicked.connect(self._on_choose)
        self.add.clicked.connect(self.add_requested)
        self.save.clicked.connect(lambda: self.save_requested.emit(self._all()))

    def _all(self) -> tuple[Speed, ...]:
        return self._bench.benchmarks.speeds()

    def _to_measure(self) -> list[ModelFacts]:
        return [
            facts
            for facts in self._shelf.models
            if facts.support.runs_here and str(facts.path) not in self._left_out
        ]

    def show_disturbed(self, *, disturbed: bool) -> None:
        """Say whether an answer was written while models were measured."""
        if disturbed != self._was_disturbed:
            self._was_disturbed = disturbed
            self._say_hint()

    @Slot()
    def _on_changed(self) -> None:
        bench = self._bench
        speeds = self._believed(bench.benchmarks.speeds(int(self.threads.value)))
        now, measured = bench.now, bool(self._all())
        for chart in self._charts:
            chart.show_speeds(speeds)
        for card in self._cards:
            card.setVisible(bool(speeds))
        self._peer_key.setVisible(any(speed.peer for speed in speeds))
        self._cards[0].place_legend()
        self.facts.setVisible(measured)
        self._empty.setVisible(not speeds and now is None)
        self.save.setEnabled(measured)
        if now is None:
            self.run.say("benchmark-again" if measured else "benchmark-run", "play")
        else:
            self.run.say("benchmark-stop", "stop-fill")
        self.run.setEnabled(bool(self._to_measure()) if now is None else not now.stopping)
        self.choose.setEnabled(now is None and bool(self._shelf.models))
        self._say_facts()
        self._say_hint()
        self._strip.show_now(now)
        self._say_failures()

    def _believed(self, speeds: tuple[Speed, ...]) -> tuple[Speed, ...]:
        """Hold all speeds against one memory: the fastest that any measurement saw.

        What else ran made it look slower, and a model seem nearer to its limit than it is.
        """
        bandwidth = self._bench.benchmarks.bandwidth
        return tuple(replace(speed, bandwidth=bandwidth) for speed in speeds)

    def _say_facts(self) -> None:
        self._summary.setText(summary := self._summary_text())
        self._summary.setVisible(bool(summary))
        if known := self._all():
            latest = max(known, key=lambda speed: speed.measured_at)
            self.facts.show_measured(self._bench.benchmarks.bandwidth, latest.processor)

    def _say_hint(self) -> None:
        """Say why nothing can be measured."""
        can = [facts for facts in self._shelf.models if facts.support.runs_here]
        none = self._shelf.is_known and not can
        self.add.setVisible(none)
        self._question.say("benchmark-no-model" if none else "benchmark-nothing")
        self._answer.say("benchmark-no-model-about" if none else "benchmark-nothing-about")
        chosen_none = bool(can) and not self._to_measure() and self._bench.now is None
        text = self._look.language.text
        hint = text("benchmark-none-chosen") if chosen_none else self._against.hint()
        self._hint.setText(text("benchmark-disturbed") if self._was_disturbed else hint)
        self._hint.setVisible(bool(self._hint.text()))

    def _say_failures(self) -> None:
        bench, language = self._bench, self._look.language
        said = [
            f"{name}: {failure_words(fault, language, killed=name in bench.killed)}"
            for name, fault in bench.faults.items()
        ]
        self._failed.setVisible(bool(said))
        self._failed.setText("\n".join(said))

    def _summary_text(self) -> str:
        run, language = self._bench.benchmarks.last_run, self._look.language
        if run is None:
            return ""
        when = language.moment(run.ended_at)
        if datetime.now().astimezone().strftime("%Y-%m-%d") == when[:10]:
            when = language.text("benchmark-today", time=when[11:])
        took = language.seconds(run.seconds, whole=True)
        return language.text("benchmark-last-run", when=when, models=run.models, took=took)

    # --- what it does -------------------------------------------------------------------------

    @Slot()
    def _on_run(self) -> None:
        if self._bench.now is None:
            against = self._against.options()
            self._bench.run(self._to_measure(), int(self.threads.value), against)
        else:
            self._bench.stop()

    @Slot()
    def _on_choose(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for facts in self._shelf.models:
            path = str(facts.path)
            action = menu.addAction(facts.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(path not in self._left_out)
            action.setEnabled(facts.support.runs_here)
            action.toggled.connect(lambda on, path=path: self._set_chosen(path, chosen=on))
        self._against.offer(menu)
        menu.popup(self.choose.mapToGlobal(QPoint(0, self.choose.height() + 4)))

    def _set_chosen(self, path: str, *, chosen: bool) -> None:
        (self._left_out.discard if chosen else self._left_out.add)(path)
        self._on_changed()
