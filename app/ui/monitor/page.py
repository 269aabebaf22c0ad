"""The monitor: what requests take now and took before, of the window and of the local server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout

from app.chat.monitoring import Monitoring
from app.store.monitor import Measured
from app.ui.buttons import Button
from app.ui.header import Header
from app.ui.look import Look
from app.ui.monitor.charts import Charts
from app.ui.page_frame import Page, scrolled_paper
from app.ui.segments import Segments
from app.ui.words import Plain, Words, wrapped

_SHOWN_AFTER_MS = 250  # figures change four times a second at most
_TWO_COLUMNS_FROM = 860  # px of the page
_FIGURES = ("speed", "first", "token", "reuse", "requests", "memory", "load")
_SPANS = {"hour": 3_600.0, "day": 86_400.0, "all": float("inf")}


class MonitorPage(Page):
    """Figures of now, and charts of what was."""

    save_requested = Signal()
    advice_wanted = Signal()

    def __init__(self, look: Look, monitoring: Monitoring) -> None:
        super().__init__()
        self._look, self._monitoring = look, monitoring
        self.save = Button(look, "monitor-save", icon="export")
        self.save.clicked.connect(self.save_requested)
        self.advise = Button(look, "advisor-open", icon="lifebuoy")
        self.advise.clicked.connect(self.advice_wanted)
        spans = {name: self._span_text(name) for name in _SPANS}
        self.span = Segments(look, "monitor-span", spans)
        self.span.show_value("hour")
        self.span.chosen.connect(self.show_figures)
        self.figures = {name: wrapped(Plain("", "body-bold")) for name in _FIGURES}
        self.charts = Charts(look)
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_AFTER_MS)
        self._timer.timeout.connect(self.show_figures)
        self._lay_out()
        monitoring.changed.connect(self._on_changed)
        look.follow(self._on_look_changed)

    def take_focus(self) -> None:
        """Put the focus on what is scrolled: the arrow keys go through the charts."""
        self._scroll.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Sample the load while somebody looks."""
        super().showEvent(event)
        self._monitoring.watch(watched=True)
        self.show_figures()

    def hideEvent(self, event: QHideEvent) -> None:
        """Sample it no more."""
        super().hideEvent(event)
        self._monitoring.watch(watched=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the charts in one column or two."""
        super().resizeEvent(event)
        self._place_cards()

    @Slot()
    def show_figures(self) -> None:
        """Show what is known now."""
        now = time.time()
        begin = now - _SPANS[self.span.value]
        kept = [each for each in self._monitoring.log.kept if each.at >= begin]
        self.save.setEnabled(bool(self._monitoring.log.kept))
        texts = {**self._of_now(kept), **self._of_span(kept), **self._of_gpus()}
        for name, text in texts.items():
            self.figures[name].setText(text)
        samples = [each for each in self._monitoring.samples if each.at >= begin]
        self.charts.show(kept, samples, now)
        if self._grid.count() < len(self.charts.cards):
            self._place_cards()

    # --- construction -------------------------------------------------------------------------

    def _span_text(self, name: str) -> Callable[[], str]:
        return lambda: self._look.language.text(f"monitor-span-{name}")

    def _lay_out(self) -> None:
        inside, column = scrolled_paper()
        column.addWidget(wrapped(Words(self._look, "monitor-about", "small2")))
        column.addWidget(self._now())
        column.addWidget(self.span, 0, Qt.AlignmentFlag.AlignLeft)
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        column.addLayout(self._grid)
        column.addStretch(1)
        head = Header(Words(self._look, "monitor", "title"), self.advise, self.save)
        self._scroll = self.lay_out(head, inside)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _now(self) -> QFrame:
        card = QFrame()
        card.setObjectName("chart-card")
        form = self._form = QGridLayout(card)
        form.setContentsMargins(18, 14, 18, 14)
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(4)
        form.setColumnStretch(0, 1)
        form.setColumnStretch(1, 2)
        for name in self.figures:
            self._add_row(name)
        return card

    def _add_row(self, name: str) -> None:
        row = self._form.rowCount()
        self._form.addWidget(wrapped(Words(self._look, f"monitor-now-{name}", "small2")), row, 0)
        self._form.addWidget(self.figures[name], row, 1)

    def _place_cards(self) -> None:
        columns = 2 if self.width() >= _TWO_COLUMNS_FROM else 1
        for number, card in enumerate(self.charts.cards):
            self._grid.addWidget(card, number // columns, number % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)

    # --- figures ------------------------------------------------------------------------------

    def _of_now(self, kept: Sequence[Measured]) -> dict[str, str]:
        """The running reply's figures in words, else the last one's; memory and load."""
        language, live = self._look.language, self._monitoring.live
        done = next((each for each in reversed(kept) if each.first_token_s is not None), None)
        speed = done.tokens_per_second if done else None
        first = done.first_token_s if done else None
        if live is not None:
            speed, first = live.tokens_per_second, live.time_to_first_token_s
        none, memory = language.text("monitor-none"), self._monitoring.memory
        samples = self._monitoring.samples
        texts = dict.fromkeys(("speed", "first", "token", "memory", "load"), none)
        if speed:
            texts["speed"] = language.text("monitor-speed-value", speed=language.speed(speed))
            texts["token"] = self.charts.milliseconds(1 / speed)
        if first is not None:
            texts["first"] = language.seconds(first)
        if memory is not None:
            texts["memory"] = language.text(
                "monitor-memory-parts",
                weights=language.bytes_text(memory.weights),
                cache=language.bytes_text(memory.cache),
                workspace=language.bytes_text(memory.workspace),
            )
        if samples:
            texts["load"] = self.charts.percent(samples[-1].processor)
        return texts

    def _of_gpus(self) -> dict[str, str]:
        """Each GPU in words; its row is there from the first reading on."""
        samples, language = self._monitoring.samples, self._look.language
        gpus = samples[-1].gpus if samples else ()
        if "gpu" not in self.figures:
            if not gpus:
                return {}
            self.figures["gpu"] = wrapped(Plain("", "body-bold"))
            self._add_row("gpu")
        said = [
            language.text(
                "monitor-gpu-value", name=each.name, load=self.charts.percent(each.load),
                **language.sizes({"used": each.used, "total": each.total}),
            )
            for each in gpus
        ]  # fmt: skip
        return {"gpu": "\n".join(said) or language.text("monitor-none")}

    def _of_span(self, kept: Sequence[Measured]) -> dict[str, str]:
        text, read = self._look.language.text, sum(each.prompt_tokens for each in kept)
        reused = sum(each.reused_tokens for each in kept)
        return {
            "reuse": self.charts.percent(reused / read) if read else text("monitor-none"),
            "requests": text(
                "monitor-requests-value",
                count=sum(each.requests for each in kept),
                failed=sum(each.failed for each in kept),
                server=sum(each.requests for each in kept if each.asker == "server"),
            ),
        }

    @Slot()
    def _on_look_changed(self) -> None:
        self._scroll.setAccessibleName(self._look.language.text("monitor"))
        self.show_figures()

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()
