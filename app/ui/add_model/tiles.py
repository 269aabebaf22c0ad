"""What this computer is, on four tiles."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.measuring import Machine
from app.ui.buttons import Tool
from app.ui.computer import Computer
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, Words

_BAR = 56  # px


class Tile(QFrame):
    """An icon and a name, a figure, a line about it."""

    def __init__(self, look: Look, icon: str, name_id: str, bar: FillBar | None = None) -> None:
        super().__init__()
        self.setObjectName("choice")
        self._figure, self._about = Elided("", "name"), Elided("", "caption2")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(StatusIcon(look, icon))
        head.addWidget(Words(look, name_id, "small"), 1)
        self.head = head
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._figure)
        about = QHBoxLayout()
        about.setSpacing(8)
        if bar is not None:
            about.addWidget(bar)
        about.addWidget(self._about, 1)
        column.addLayout(about)

    def show_figure(self, figure: str, about: str) -> None:
        """Show a figure and what it means."""
        self._figure.setText(figure)
        self._about.setText(about)


class Tiles(QWidget):
    """Memory, its speed, the processor, the disk."""

    def __init__(self, look: Look, folder: Path) -> None:
        super().__init__()
        self._look, self._folder = look, folder
        self._taken = FillBar(look.theme, _BAR)
        self.memory = Tile(look, "stack", "add-memory", self._taken)
        self.speed = Tile(look, "gauge", "add-speed")
        self.again = Tool(look, "arrows-clockwise", "add-speed-again", side=20, icon_size=14)
        self.speed.head.addWidget(self.again)
        self.processor = Tile(look, "cpu", "add-processor")
        self.disk = Tile(look, "hard-drives", "add-disk")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self.place(4)

    @property
    def space(self) -> int:
        """Bytes that are free where models lie."""
        parent = next(p for p in (self._folder, *self._folder.parents) if p.exists())
        return shutil.disk_usage(parent).free

    def place(self, columns: int) -> None:
        """Stand in so many columns."""
        for number, tile in enumerate((self.memory, self.speed, self.processor, self.disk)):
            self._grid.addWidget(tile, number // columns, number % columns)

    def show_machine(self, computer: Computer, machine: Machine) -> None:
        """Say what is known by now."""
        language, text = self._look.language, self._look.language.text
        free = text("add-memory-free", free=language.bytes_text(computer.free))
        self.memory.show_figure(language.bytes_text(computer.memory), free)
        taken = 1 - computer.free / computer.memory if computer.memory else 0.0
        self._taken.show_share(taken, "ink")
        self.again.setVisible(bool(machine.cores) or machine.failed)
        if machine.bandwidth:
            rate = text("download-rate", rate=language.bytes_text(round(machine.bandwidth)))
            known = "add-speed-about" if machine.cores else "add-speed-before"
            self.speed.show_figure(rate, text(known))
        else:
            unknown = "add-speed-unknown" if machine.failed else "add-speed-measuring"
            self.speed.show_figure("–", text(unknown))
        cores = text("add-cores", cores=machine.cores) if machine.cores else "–"
        self.processor.show_figure(cores, self._graphics(machine))
        space = language.bytes_text(self.space)
        self.disk.show_figure(text("add-disk-free", free=space), text("add-disk-about"))

    def _graphics(self, machine: Machine) -> str:
        text = self._look.language.text
        if not machine.cores:
            return text("add-speed-unknown" if machine.failed else "add-speed-measuring")
        if machine.gpus:
            return ", ".join(machine.gpus)
        none = text("add-gpu-none")
        return f"{machine.instructions} · {none}" if machine.instructions else none
