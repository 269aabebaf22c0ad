"""What this computer is, on four tiles."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.computer import Computer
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, Words


@dataclass(frozen=True, slots=True)
class Machine:
    """What a measuring child told; zero or empty where nothing is known yet."""

    cores: int = 0
    instructions: str = ""
    gpus: tuple[str, ...] = ()
    bandwidth: float = 0.0  # bytes a second
    failed: bool = False


class Tile(QFrame):
    """An icon and a name, a figure, a line about it."""

    def __init__(self, look: Look, icon: str, name_id: str) -> None:
        super().__init__()
        self.setObjectName("choice")
        self._figure, self._about = Elided("", "name"), Elided("", "caption2")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(StatusIcon(look, icon))
        head.addWidget(Words(look, name_id, "small"), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._figure)
        column.addWidget(self._about)

    def show_figure(self, figure: str, about: str) -> None:
        """Show a figure and what it means."""
        self._figure.setText(figure)
        self._about.setText(about)


class Tiles(QWidget):
    """Memory, its speed, the processor, the disk."""

    def __init__(self, look: Look, folder: Path) -> None:
        super().__init__()
        self._look, self._folder = look, folder
        self.memory = Tile(look, "stack", "add-memory")
        self.speed = Tile(look, "gauge", "add-speed")
        self.processor = Tile(look, "cpu", "add-processor")
        self.disk = Tile(look, "hard-drives", "add-disk")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self.place(4)

    def place(self, columns: int) -> None:
        """Stand in so many columns."""
        for number, tile in enumerate((self.memory, self.speed, self.processor, self.disk)):
            self._grid.addWidget(tile, number // columns, number % columns)

    def show_machine(self, computer: Computer, machine: Machine) -> None:
        """Say what is known by now."""
        language, text = self._look.language, self._look.language.text
        free = text("add-memory-free", free=language.bytes_text(computer.free))
        self.memory.show_figure(language.bytes_text(computer.memory), free)
        if machine.bandwidth:
            rate = text("download-rate", rate=language.bytes_text(round(machine.bandwidth)))
            self.speed.show_figure(rate, text("add-speed-about"))
        else:
            unknown = "add-speed-unknown" if machine.failed else "add-speed-measuring"
            self.speed.show_figure("–", text(unknown))
        cores = text("add-cores", cores=machine.cores) if machine.cores else "–"
        self.processor.show_figure(cores, self._graphics(machine))
        parent = next(p for p in (self._folder, *self._folder.parents) if p.exists())
        space = language.bytes_text(shutil.disk_usage(parent).free)
        self.disk.show_figure(text("add-disk-free", free=space), text("add-disk-about"))

    def _graphics(self, machine: Machine) -> str:
        text = self._look.language.text
        if not machine.cores:
            return text("add-speed-unknown" if machine.failed else "add-speed-measuring")
        if machine.gpus:
            return ", ".join(machine.gpus)
        none = text("add-gpu-none")
        return f"{machine.instructions} · {none}" if machine.instructions else none
