"""The dialog of the CUDA runtime: it shows where it stands, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.gpu_runtime import Deed, GpuRuntime
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.runtime.words import Stand, runtime_words, stand_of
from app.ui.spoken import speak
from app.ui.words import Plain, Words, wrapped

_WIDE, _TALL = 560, 270  # px at 100 %
_AT_WORK = {Stand.FETCHING, Stand.UNPACKING}


class RuntimeDialog(QDialog):
    """One step at a time; a download goes on when it is closed."""

    install_wanted = Signal()

    def __init__(self, look: Look, runtime: GpuRuntime, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._runtime = look, runtime
        self.words = wrapped(Plain("", "small2"))
        self.bar = FillBar(look.theme, 0)
        self.later = Button(look, "close", "quiet")
        self.remove = Button(look, "runtime-remove", "danger")
        self.discard = Button(look, "runtime-discard", "danger")
        self.pause = Button(look, "runtime-pause")
        self.install = Button(look, "runtime-install", "main")
        self.go_on = Button(look, "runtime-go-on", "main")
        self._deeds = (self.remove, self.discard, self.pause, self.install, self.go_on)
        self.later.clicked.connect(self.reject)
        self.remove.clicked.connect(runtime.remove)
        self.discard.clicked.connect(runtime.remove)
        self.pause.clicked.connect(runtime.pause)
        self.install.clicked.connect(self.install_wanted)
        self.go_on.clicked.connect(self.install_wanted)
        runtime.changed.connect(self.show_state)
        look.language.changed.connect(self.show_state)
        self._lay_out()
        room = window.size() - QSize(40, 40)
        self.resize(QSize(look.theme.px(_WIDE), look.theme.px(_TALL)).boundedTo(room))
        self.show_state()

    @Slot()
    def show_state(self) -> None:
        """Show where the runtime stands."""
        state = self._runtime.state
        stand, before = stand_of(state), self.words.text()
        language = self._look.language
        self.setWindowTitle(language.text("runtime"))
        self.words.setText(runtime_words(state, language))
        self.bar.setVisible(stand in _AT_WORK | {Stand.PAUSED})
        total = state.total or (state.outlook.variant.download if state.outlook.variant else 0)
        self.bar.show_share(state.done / total if total else 0.0)
        self.bar.setAccessibleName(self.words.text())
        shown = {
            self.remove: stand in {Stand.HERE, Stand.BROKEN},
            self.discard: stand in _AT_WORK | {Stand.PAUSED},
            self.pause: stand in _AT_WORK,
            self.install: stand is Stand.OFFERED,
            self.go_on: stand is Stand.PAUSED,
        }
        had_focus = any(button.hasFocus() for button in self._deeds)
        for button, visible in shown.items():
            button.setVisible(visible)
        main = next((each for each in (self.install, self.go_on) if shown[each]), self.later)
        main.setDefault(True)
        if had_focus and not any(button.hasFocus() for button in self._deeds):
            main.setFocus(Qt.FocusReason.OtherFocusReason)
        if state.deed is not Deed.FETCHING and self.words.text() != before:
            speak(self, self.words.text())

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.remove)
        foot.addWidget(self.discard)
        foot.addStretch()
        for button in (self.later, self.pause, self.install, self.go_on):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(self._look, "runtime", "title"))
        column.addWidget(self.words)
        column.addWidget(self.bar)
        column.addStretch()
        column.addLayout(foot)
