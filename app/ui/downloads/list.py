"""The list of downloads: a row each with its bar, its figures, and what can be done."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button, Tool
from app.ui.downloads.downloads import Downloads
from app.ui.downloads.words import state_words
from app.ui.faults import FaultAction, fault_text
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.settings.rows import rule
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, Plain, Words, wrapped
from engine.contract import Fault
from engine.library.downloads.order import DownloadState, Phase

_NAME, _BAR = 150, 120  # px
_BESIDE_FROM = 640  # px of a row at 100 %: its words have room beside its name
_ANY = 16_777_215  # what Qt takes for no limit
_ICONS = {
    Phase.WAITING: "clock", Phase.RUNNING: "arrow-down", Phase.PAUSED: "pause",
    Phase.FAILED: "warning", Phase.FINISHED: "check",
}  # fmt: skip


_REMEDIES = {FaultAction.OPEN_SETTINGS, FaultAction.OPEN_PAGE}


class DownloadRow(QWidget):
    """One download, and what can be done next with it."""

    load_wanted = Signal(object)  # Path
    folder_wanted = Signal(object)  # Path
    acted = Signal(object, object)  # FaultAction, Fault

    def __init__(self, look: Look, downloads: Downloads, state: DownloadState) -> None:
        super().__init__()
        self._look, self.key = look, state.order.key
        self._icons = {phase: StatusIcon(look, icon) for phase, icon in _ICONS.items()}
        self._name = Elided(state.order.name, "small-bold")
        self._bar = FillBar(look.theme, _BAR)
        self._words = wrapped(Plain("", "caption2"))  # a fault's whole sentence is read
        self._told = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.first = Tool(look, "arrow-up", "download-first")
        self.pause = Tool(look, "pause", "download-pause")
        self.resume = Tool(look, "play", "download-resume")
        self.remove = Tool(look, "x", "download-remove")
        self.folder = Tool(look, "folder-open", "download-open-folder")
        self.load = Button(look, "download-load", size="small")
        self.remedy = Button(look, "", size="small")
        self._state = state
        self.first.clicked.connect(lambda: downloads.move_first(self.key))
        self.pause.clicked.connect(lambda: downloads.pause(self.key))
        self.resume.clicked.connect(lambda: downloads.resume(self.key))
        self.remove.clicked.connect(lambda: downloads.remove(self.key))
        self.load.clicked.connect(lambda: self.load_wanted.emit(Path(self._state.path)))
        self.folder.clicked.connect(lambda: self.folder_wanted.emit(Path(self._state.path)))
        self.remedy.clicked.connect(self._on_remedy_clicked)
        self._lay_out()
        self.show_state(state)
        look.follow(self._place)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(10)
        for icon in self._icons.values():
            row.addWidget(icon)
        self._told.setSpacing(10)
        self._told.addWidget(self._name)
        self._told.addWidget(self._bar)
        self._told.addWidget(self._words, 1)
        row.addLayout(self._told, 1)
        for button in (self.remedy, self.load):
            row.addWidget(button)
        for tool in (self.folder, self.first, self.pause, self.resume, self.remove):
            row.addWidget(tool)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the words below the name where beside it neither could be read."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        px, ways = self._look.theme.px, QBoxLayout.Direction
        is_beside = self.width() >= px(_BESIDE_FROM)
        self._told.setDirection(ways.LeftToRight if is_beside else ways.TopToBottom)
        self._told.setSpacing(10 if is_beside else 4)
        self._name.setMinimumWidth(px(_NAME) if is_beside else 0)
        self._name.setMaximumWidth(px(_NAME) if is_beside else _ANY)

    @property
    def words(self) -> str:
        """What the row says of its download."""
        return self._words.text()

    def show_state(self, state: DownloadState) -> None:
        """Show how far it is; what has the focus keeps it, or hands it to its counterpart."""
        phase, self._state = state.phase, state
        for each, icon in self._icons.items():
            icon.setVisible(each is phase)
        self._bar.setVisible(phase is not Phase.FINISHED)
        token = "accent" if phase is Phase.RUNNING else "edge"
        self._bar.show_share(state.done / state.total if state.total else 0.0, token)
        said = state_words(state, self._look.language)
        self._words.setText(said)
        self._bar.setAccessibleName(said)
        self.setAccessibleName(f"{state.order.name}: {said}")
        self.load.setVisible(phase is Phase.FINISHED)
        self.load.setAccessibleName(f"{self.load.text()}: {state.order.name}")
        self.folder.setVisible(phase is Phase.FINISHED)
        self._show_remedy(state.fault)
        self.first.setVisible(phase is Phase.WAITING)
        active = phase in {Phase.WAITING, Phase.RUNNING}
        focused = self.pause.hasFocus() or self.resume.hasFocus()
        shown = self.pause if active else self.resume
        shown.setVisible(phase is not Phase.FINISHED)
        if focused:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        (self.resume if active or phase is Phase.FINISHED else self.pause).hide()
        if phase is Phase.FINISHED:
            self.pause.hide()

    def _show_remedy(self, fault: Fault | None) -> None:
        """Offer what mends a fault, where that is more than to go on."""
        said = fault_text(fault, self._look.language) if fault is not None else None
        offered = said is not None and said.action in _REMEDIES
        self.remedy.setVisible(offered)
        if said is not None and offered:
            self.remedy.setText(said.action_label)
            self.remedy.setAccessibleName(f"{said.action_label}: {self._state.order.name}")

    @Slot()
    def _on_remedy_clicked(self) -> None:
        if (fault := self._state.fault) is not None:
            self.acted.emit(fault_text(fault, self._look.language).action, fault)


class DownloadList(QWidget):
    """All of them below a title; nothing where there are none."""

    load_wanted = Signal(object)  # Path
    folder_wanted = Signal(object)  # Path
    acted = Signal(object, object)  # FaultAction, Fault

    def __init__(self, look: Look, downloads: Downloads) -> None:
        super().__init__()
        self._look, self._downloads = look, downloads
        self.rows: list[DownloadRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 12, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(Words(look, "downloads", "small-bold"))
        self._column.addSpacing(6)
        self._column.addWidget(rule())
        downloads.changed.connect(self._on_changed)
        look.follow(self._on_changed)

    @Slot()
    def _on_changed(self) -> None:
        states = self._downloads.states()
        keys = [state.order.key for state in states]
        if keys != [row.key for row in self.rows]:
            self._build(states)
        for row, state in zip(self.rows, states, strict=True):
            row.show_state(state)
        self.setVisible(bool(states))

    def _build(self, states: list[DownloadState]) -> None:
        for row in self.rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = [DownloadRow(self._look, self._downloads, state) for state in states]
        for row in self.rows:
            row.load_wanted.connect(self.load_wanted)
            row.folder_wanted.connect(self.folder_wanted)
            row.acted.connect(self.acted)
            self._column.addWidget(row)
