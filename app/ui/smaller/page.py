"""The page that makes smaller copies: what one trades, which size, the work, the report."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QWidget,
)

from app.chat.shrinking import Shrinking, ShrinkPhase, Wish
from app.ui.buttons import Button, Tool
from app.ui.header import Header
from app.ui.look import Look
from app.ui.page_frame import Page, scrolled_paper
from app.ui.smaller.cards import Cards, card
from app.ui.smaller.charts import TradeChart
from app.ui.smaller.empty import NoModel
from app.ui.smaller.options import CUSTOM, Options
from app.ui.smaller.places import free_bytes, free_name, label_of, plain_name
from app.ui.smaller.report_card import ReportCard
from app.ui.smaller.serve_card import ServeCard
from app.ui.smaller.trade import Known, sizes_of, trade_points
from app.ui.smaller.work_card import WorkCard
from app.ui.words import Elided, Plain, Words, in_a_row, wrapped
from engine.contract import ModelFacts
from engine.library.recipes import PRESETS, recommended
from engine.library.smaller import Quality, Shape
from engine.library.vllm_commands import serve_commands

_ABOVE_REPORT = 16  # px of the page that stay above a report that was gone to
_SPARE = 64 << 20  # bytes that the engine wants beside the weights


class SmallerPage(Page):
    """One source, the sizes it could have, and what came of them."""

    left = Signal()
    start_requested = Signal(object)  # Wish
    file_requested = Signal()
    folder_requested = Signal()
    model_chosen = Signal(object)  # Path of one that is here
    use_requested = Signal(object)  # Path
    where_requested = Signal(object)  # Path
    ask_requested = Signal(object, object, str, int)  # copy, its source or None, question, tokens
    copy_shown = Signal(object)  # Path

    def __init__(self, look: Look, shrinking: Shrinking) -> None:
        super().__init__()
        self._look, self._shrinking = look, shrinking
        self._shape: Shape | None = None
        self._folder = Path()
        self._known: Mapping[str, Known] = {}
        self._bandwidth = 0.0
        self._shown: Known | None = None  # whose report is shown
        self.back = Tool(look, "arrow-left", "smaller-back", side=36, icon_size=18)
        self._about = Elided("", "small2")
        self.chart, self.options = TradeChart(look), Options(look)
        self.start = Button(look, "smaller-start", "main", icon="arrows-in-simple", size="large")
        self._room = Plain("", "caption2")
        wrapped(self._room)
        self.work, self.report = WorkCard(look, shrinking), ReportCard(look)
        self.serve = ServeCard(look)
        self._empty = NoModel(look)
        self.file, self.folder = self._empty.file, self._empty.folder
        self._lay_out()
        self._connect()
        look.follow(self._on_changed)

    def show_source(self, shape: Shape, folder: Path, bandwidth: float) -> None:
        """Show what could be made of a model.

        Args:
            shape: of the model.
            folder: that copies go into.
            bandwidth: bytes a second of the memory; 0 where it was not measured.
        """
        self._shape, self._folder, self._bandwidth = shape, folder, bandwidth
        self._known = {}
        self.options.choose(recommended(shape.facts.parameters))
        self._show_copy(None)
        self._on_changed()

    def show_models(self, models: Sequence[ModelFacts], *, has_others: bool) -> None:
        """Offer the models of the library that can be made smaller; it may have others."""
        self._empty.show_models(models, has_others=has_others)

    def show_known(self, known: Sequence[Quality], wanted: Path | None = None) -> None:
        """Tell which copies of the source have a report already, and show one of them.

        Args:
            known: the copies; of two by the same preset the one that was made last counts.
            wanted: the copy whose report is to be shown; None: the latest.
        """
        told = [each for quality in known if (each := Known.of(quality))]
        told.sort(key=lambda each: (each.copy == wanted, each.quality.made_at))
        self._known = {each.key: each for each in told}
        if told and (wanted is not None or not self._shrinking.state.runs):
            if told[-1].copy == wanted:
                self.options.choose(told[-1].key)
                QTimer.singleShot(0, self, self._go_to_report)  # when all is laid out
            self._show_copy(told[-1])
        self._on_changed()

    def show_alone(self, known: Known) -> None:
        """Show the report of a copy whose source is not there any more."""
        self._shape, self._known = None, {}
        self._show_copy(known)
        self._on_changed()

    @property
    def copy(self) -> Path | None:
        """The copy whose report is shown."""
        return self._shown.copy if self._shown is not None else None

    def take_focus(self) -> None:
        """Put the focus on the way to begin."""
        target = self.start if self._shape is not None else self._empty.first
        if self._shape is None and self._shown is not None:
            target = self.report.use
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the cards in one column or two."""
        super().resizeEvent(event)
        self._place()

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        title = QWidget()
        head = QHBoxLayout(title)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(self.back)
        head.addWidget(Words(self._look, "smaller", "title"))
        head.addWidget(self._about, 1)
        self._inside, column = scrolled_paper()
        trade, choice = self._make_trade(), self._make_choice()
        self._cards = Cards(self._look, trade, choice, self.work, column)
        for widget in (self._cards, self._empty, self.report, self.serve):
            column.addWidget(widget)
        column.addStretch(1)
        self._scroll = self.lay_out(Header(title), self._inside)

    def _make_trade(self) -> QFrame:
        made, column = card()
        column.addWidget(Words(self._look, "smaller-trade", "body-bold"))
        column.addWidget(wrapped(Words(self._look, "smaller-trade-about", "caption2")))
        column.addSpacing(6)
        column.addWidget(self.chart)
        column.addWidget(wrapped(Words(self._look, "smaller-legend", "caption2")))
        column.addStretch(1)
        return made

    def _make_choice(self) -> QFrame:
        made, column = card()
        column.addWidget(Words(self._look, "smaller-choose", "body-bold"))
        column.addWidget(self.options)
        column.addStretch(1)
        column.addWidget(self._room)
        column.addWidget(self.start)
        return made

    def _connect(self) -> None:
        self.back.clicked.connect(self.left)
        self.options.chosen.connect(self._on_chosen)
        self.start.clicked.connect(self._on_start)
        self.file.clicked.connect(self.file_requested)
        self.folder.clicked.connect(self.folder_requested)
        self._empty.model_chosen.connect(self.model_chosen)
        self.report.use.clicked.connect(lambda: self.use_requested.emit(self.copy))
        self.report.where.clicked.connect(lambda: self.where_requested.emit(self.copy))
        self.report.side.ask_requested.connect(self._on_asked)
        self._shrinking.changed.connect(self._on_work_changed)

    def _place(self) -> None:
        self._cards.place(self.width(), is_worked=self.work.is_needed)
        self.report.place(self.width() - 84)

    # --- what it shows ------------------------------------------------------------------------

    @Slot()
    def _on_changed(self) -> None:
        shape, language = self._shape, self._look.language
        is_empty = shape is None and self._shown is None
        self._empty.setVisible(is_empty and not self.work.is_needed)
        self._place()
        self._cards.setVisible(shape is not None)
        self._about.setVisible(shape is not None)
        if shape is None:
            return
        facts = shape.facts
        size, bits = language.bytes_text(facts.size_bytes), f"{round(facts.bits_per_weight, 1):g}"
        self._about.setText(language.text("smaller-of", name=facts.name, bits=bits, size=size))
        recipes = {key: self.options.recipe_of(key) for key in (*PRESETS, CUSTOM)}
        sizes = sizes_of(shape, recipes, self._known)
        made = {key: language.text("smaller-made") for key in self._known}
        said = {key: language.bytes_text(each) for key, each in sizes.items()}
        self.options.show_sizes(said, made)
        chosen = self.options.key
        self.chart.show_points(
            trade_points(shape, recipes, self._known, chosen, self._bandwidth, language.text)
        )
        self._say_room(sizes[chosen])

    def _say_room(self, size: int) -> None:
        language = self._look.language
        free = free_bytes(self._folder)
        fits = free >= size + _SPARE
        sizes = {"size": size, "free": free}
        told = {name: language.bytes_text(count) for name, count in sizes.items()}
        names = told if fits else language.sizes(sizes)  # as the options tell it, or compared
        room = language.text("smaller-room" if fits else "smaller-no-room", **names)
        said = in_a_row(room, language.text("smaller-original-stays"))
        original = self._shape.facts.size_bytes if self._shape is not None else 0
        grows = size >= original > 0  # of a source that is rounded already
        if grows:
            text = language.text("smaller-grows", original=language.bytes_text(original))
            said = in_a_row(text, said)
        self._room.setText(said)
        self._room.set_kind("caption-warning" if grows or not fits else "caption2")
        self.start.setEnabled(fits and not self._shrinking.state.runs)

    @Slot()
    def _on_chosen(self) -> None:
        """Show the report of the size that is chosen, if there is a copy of it."""
        known = self._known.get(self.options.key)
        if known is not None and known is not self._shown:
            self._show_copy(known)
        self._on_changed()

    @Slot()
    def _on_work_changed(self) -> None:
        state = self._shrinking.state
        if state.phase is ShrinkPhase.DONE and state.wish is not None:
            wish = state.wish
            made = Quality(wish.target, dict(state.report), int(time.time()), wish.source)
            known = Known.of(made)
            if known is not None:
                self._known = {**self._known, known.key: known}
                self._show_copy(known)
            else:
                self._show_copy(None)
                self.serve.show_commands(serve_commands(wish.target))
        self._on_changed()

    def _show_copy(self, known: Known | None) -> None:
        self._shown = known
        if known is None:
            self.report.show_report({})
        else:
            self.report.show_report(known.report, known.quality.made_at, known.gone)
            self.copy_shown.emit(known.copy)
        self.serve.show_commands(serve_commands(known.copy) if known is not None else None)

    @Slot()
    def _go_to_report(self) -> None:
        """Bring the report to the top, and the cursor into its question."""
        top = self.report.mapTo(self._inside, QPoint()).y()
        self._scroll.verticalScrollBar().setValue(top - _ABOVE_REPORT)
        self.report.side.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str, int)
    def _on_asked(self, question: str, most: int) -> None:
        if (known := self._shown) is not None:
            source = None if known.gone is not None else known.quality.source
            self.ask_requested.emit(known.copy, source, question, most)

    @Slot()
    def _on_start(self) -> None:
        shape = self._shape
        if shape is not None:
            recipe, key = self.options.recipe, self.options.key
            text = self.options.calibration if key == CUSTOM else None
            target = free_name(
                self._folder, f"{plain_name(shape.facts.name)}-{label_of(key, recipe)}"
            )
            self.start_requested.emit(Wish(shape.facts.path, target, recipe, text))
