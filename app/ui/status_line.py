"""The status line: model, speed, first word, context, memory, device, and what leaves the machine.

Every figure comes from the engine. When the window is narrow, items give way in this order: device,
memory, first word, the words after "Offline", the way to the advisor, which the monitor has too,
the badge's last words. Model, speed, context and the badge's sign always stay.
"""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.ui.buttons import Tool
from app.ui.ink_level import NEARLY_FULL
from app.ui.look import Look
from app.ui.meters import FillBar, SpeedBars
from app.ui.network_badge import NetworkBadge
from app.ui.status_items import Phrase, StatusIcon, StatusItem, held
from app.ui.words import Elided, Plain
from engine.contract import Loaded, Metrics

_HEIGHT = 30
_TOOL = 26
_EVERY_S = 0.45  # figures change twice a second at most: faster cannot be read


class StatusLine(QFrame):
    """Shows what it is told; remembers the last figures, so that another language can say them."""

    advice_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("status")
        self._look, self._memory_total = look, 0
        self._loaded: Loaded | None = None
        self._loading = self._called = self._resting = ""
        self._speed: float | None = None
        self._first_word_s: float | None = None
        self._used = 0
        self._answering = False
        self._memory = 0
        self._shown_at = 0.0
        self.network = NetworkBadge(look)
        self.network.changed.connect(self._fit)
        self._build()
        look.follow(self._on_look_changed)

    # --- what it is told ----------------------------------------------------------------------

    def show_memory_total(self, count: int) -> None:
        """Say how much memory this computer has, in bytes."""
        self._memory_total = count
        self._on_look_changed()

    def show_model(self, loaded: Loaded | None) -> None:
        """Show another model, or that none is loaded; figures of the last one are dropped.

        What the open chat takes stays: it is there before its model, at a start.
        """
        self._loaded = loaded
        self.network.show_server(loaded.model.server if loaded is not None else "")
        self._speed = self._first_word_s = None
        self._memory = held(loaded.memory) if loaded else 0
        self._bars.clear()
        self._on_look_changed()

    def show_loading(self, name: str, server: str = "") -> None:
        """Show the name of a model that is on its way, or none; a ``server``'s is asked for it."""
        self._loading = name
        if name:
            self.network.show_server(server)
        self._on_look_changed()

    def show_resting(self, name: str) -> None:
        """Show the name of the model that rests, or none."""
        self._resting = name
        self._on_look_changed()

    def show_name(self, name: str) -> None:
        """Show the name that the window has for the loaded model; the file's with an empty one."""
        self._called = name
        self._on_look_changed()

    def show_context(self, used: int) -> None:
        """Show how much of the context the open chat takes."""
        self._used = used
        self._on_look_changed()

    def set_answering(self, answering: bool) -> None:
        """Show that a reply begins or has ended; its last speed stays."""
        if answering and not self._answering:
            self._bars.clear()
            self._speed = None
            self._first_word_s = None
        self._answering = answering
        self._on_look_changed()

    def show_metrics(self, metrics: Metrics, *, at_once: bool = False) -> bool:
        """Show the figures of the running reply, at most twice a second; False: it is too soon."""
        now = time.monotonic()
        if not at_once and now - self._shown_at < _EVERY_S:
            return False
        self._shown_at = now
        if metrics.tokens_per_second is not None:
            self._speed = metrics.tokens_per_second
            self._bars.push(metrics.tokens_per_second)
        self._first_word_s = metrics.time_to_first_token_s
        self._used = metrics.context_used
        self._memory = held(metrics.memory)
        self._say_memory()
        self._say_speed()
        self._say_context()
        self._fit()
        return True

    def show_end(self, speed: float | None, first_word_s: float, used: int) -> None:
        """Show the figures of a finished reply."""
        if speed is not None:
            self._speed = speed
        self._first_word_s = first_word_s
        self._used = used
        self._on_look_changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the least important items give way."""
        super().resizeEvent(event)
        self._fit()

    # --- construction -------------------------------------------------------------------------

    def _build(self) -> None:
        look = self._look
        self._name = Elided("", "figure")
        self._name.setMaximumWidth(260)
        self._model = StatusItem(StatusIcon(look, "stack"), self._name, gap=7)
        self._bars = SpeedBars(look.theme)
        self._check = StatusIcon(look, "check")
        self._speed_words = Phrase()
        self._speed_item = StatusItem(self._bars, self._check, self._speed_words)
        self._first_words = Phrase()
        self._first = StatusItem(self._first_words)
        self._context_label, self._context_bar = Plain(), FillBar(look.theme, 64)
        self._context_words = Phrase()
        self._context = StatusItem(self._context_label, self._context_bar, self._context_words)
        self._memory_words = Phrase()
        self._memory_item = StatusItem(self._memory_words)
        self._device_words = Plain()
        self._device = StatusItem(StatusIcon(look, "cpu"), self._device_words)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(12)
        self._items = (
            self._model,
            self._speed_item,
            self._first,
            self._context,
            self._memory_item,
            self._device,
        )
        for item in self._items:
            row.addWidget(item)
        self.advise = Tool(look, "lifebuoy", "advisor-open", side=_TOOL)
        self.advise.clicked.connect(self.advice_wanted)
        row.addWidget(self.advise)
        row.addStretch(1)
        row.addWidget(self.network, 0, Qt.AlignmentFlag.AlignVCenter)

    # --- saying it ----------------------------------------------------------------------------

    def _on_look_changed(self) -> None:
        self._say_model()
        self._say_speed()
        self._say_context()
        self._fit()

    def _say_model(self) -> None:
        text = self._look.language.text
        loaded = self._loaded
        name = self._called or loaded.model.name if loaded else self._loading or self._resting
        self._name.setText(name or text("status-no-model"))
        self._name.set_kind("figure" if name else "caption2")
        self._say_memory()
        if loaded is not None:
            key = "status-processor" if loaded.device == "cpu" else "status-device"
            self._device_words.setText(text(key, threads=loaded.threads, device=loaded.device))

    def _say_memory(self) -> None:
        language, total = self._look.language, f"{self._memory_total / 1e9:.0f}"
        self._memory_words.say(
            language.text("status-memory"),
            language.gigabytes(self._memory),
            language.text("status-of-gigabytes", total=total),
        )

    def _say_speed(self) -> None:
        language, speed = self._look.language, self._speed
        unit = language.text("tokens-a-second")
        self._bars.setVisible(self._answering)
        self._check.setVisible(not self._answering)
        figure = "–" if speed is None else language.speed(speed)
        if self._loaded is None and (self._loading or self._resting):
            doing = "status-loading" if self._loading else "model-rests"
            self._speed_words.say(language.text(doing))
            self._check.hide()
            return
        if self._answering:
            self._speed_words.say("", figure, unit)
        elif speed is None:
            self._speed_words.say(language.text("status-idle"))
        else:
            self._speed_words.say(language.text("status-idle-last"), figure, unit)
        first = self._first_word_s
        if first is not None:
            self._first_words.say(language.text("status-first-word"), language.seconds(first))

    def _say_context(self) -> None:
        text = self._look.language.text
        size = self._loaded.context if self._loaded else 0
        self._context_label.setText(text("status-context"))
        share = self._used / size if size else 0.0
        self._context_bar.show_share(share, "ochre" if share >= NEARLY_FULL else "accent")
        number = self._look.language.number
        self._context_words.say("", number(self._used), text("status-of", total=number(size)))

    def _fit(self) -> None:
        """Show what there is to say, then hide from the least important on until it fits."""
        ready = self._loaded is not None
        self._model.setVisible(True)
        self._speed_item.setVisible(ready or bool(self._loading or self._resting))
        self._first.setVisible(ready and self._first_word_s is not None)
        self._context.setVisible(self._loaded is not None and self._loaded.context > 0)
        self._memory_item.setVisible(self._memory_total > 0 and ready and self._memory > 0)
        self._device.setVisible(self._loaded is not None and not self._loaded.model.server)
        high = self._look.theme.high(_HEIGHT)
        self.setFixedHeight(high)
        self.network.setFixedHeight(min(high - 2, self._look.theme.px(20)))
        self.network.say(full=True)
        self.advise.show()
        for item in (self._device, self._memory_item, self._first):
            if self._needed() > self.width():
                item.hide()
        if self._needed() > self.width():
            self.network.say(full=False)
        self.advise.setVisible(self._needed() <= self.width())
        if self._needed() > self.width():
            self.network.say(full=False, is_sign=True)
        shown = [item for item in self._items if not item.isHidden()]
        for item in shown:
            item.set_last(item is shown[-1])

    def _needed(self) -> int:
        widths = [item.sizeHint().width() for item in self._items if not item.isHidden()]
        advise = 0 if self.advise.isHidden() else _TOOL + 12
        return sum(widths) + 12 * len(widths) + advise + self.network.sizeHint().width() + 36
