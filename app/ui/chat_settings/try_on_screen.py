"""The strip "Try it" between the open chat's options and the model."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.chat.trying import Trying
from app.ui.chat_settings.bar import ChatOptionsBar
from app.ui.chat_settings.try_strip import TryStrip
from app.ui.look import Look


class TryOnScreen(QObject):
    """Has the model asked while the strip is in sight, at every change of the options."""

    def __init__(self, look: Look, strip: TryStrip, trying: Trying, bar: ChatOptionsBar) -> None:
        super().__init__(strip)
        self._look, self._strip, self._trying, self._bar = look, strip, trying, bar
        trying.changed.connect(self._on_tried)
        strip.watched.connect(self._refresh)
        bar.shown.connect(self._refresh)
        look.language.changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        if self._strip.isVisible():
            beginning = self._look.language.text("try-beginning")
            self._trying.look(beginning, self._bar.options.sampling)
        else:
            self._trying.stop()

    @Slot()
    def _on_tried(self) -> None:
        trying = self._trying
        self._strip.show_state(trying.phase, trying.words, trying.model_name)
