"""One quiet line on the models page: a GPU that computes nothing yet, or how far its runtime is."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.gpu_runtime import GpuRuntime
from app.store.settings import SettingsFile
from app.ui.buttons import Button, Tool
from app.ui.look import Look
from app.ui.runtime.words import Stand, offer_words, stand_of
from app.ui.status_items import StatusIcon
from app.ui.words import Plain, wrapped

_ALWAYS = {Stand.FETCHING, Stand.UNPACKING, Stand.PAUSED}  # what somebody began


class RuntimeOffer(QWidget):
    """Takes room only where there is something to say and the setting allows it."""

    open_wanted = Signal()
    hide_wanted = Signal()

    def __init__(self, look: Look, runtime: GpuRuntime, settings: SettingsFile) -> None:
        super().__init__()
        self._look, self._runtime, self._settings = look, runtime, settings
        self.words = wrapped(Plain("", "small2"))
        self.open = Button(look, "runtime-look", "link")
        self.no = Tool(look, "x", "runtime-not-now", side=24)
        self.open.clicked.connect(self.open_wanted)
        self.no.clicked.connect(self.hide_wanted)
        box = QFrame()
        box.setObjectName("chip")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(StatusIcon(look, "cpu", "ink2"))
        row.addWidget(self.words, 1)
        row.addWidget(self.open)
        row.addWidget(self.no)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.addWidget(box)
        runtime.changed.connect(self.refresh)
        look.follow(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Say what there is to say, or be away."""
        state = self._runtime.state
        stand = stand_of(state)
        is_begun = stand in _ALWAYS
        is_offered = stand in {Stand.OFFERED, Stand.SHORT} and self._settings.settings.offer_cuda
        if is_begun or is_offered:
            self.words.setText(offer_words(state, self._look.language))
        self.no.setVisible(not is_begun)
        self.setVisible(is_begun or is_offered)
