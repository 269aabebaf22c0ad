"""What the models take of the disk, by whose they are, and what is still free."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.attachments.flow import Flow
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.parts_bar import PartsBar, Swatch
from app.ui.words import Plain
from engine.library.sources import SourceKind

_COLORS = {
    SourceKind.OWN: "ink",
    SourceKind.OLLAMA: "accent",
    SourceKind.LM_STUDIO: "azurite",
    SourceKind.HUGGING_FACE: "ochre",
    SourceKind.JAN: "rouge",
    SourceKind.GPT4ALL: "cinnabar",
    SourceKind.ADDED: "edge",
    SourceKind.INCLUDED: "ink3",
}


class DiskBar(QWidget):
    """A line of figures, a bar and its legend, in as many rows as the width asks for."""

    def __init__(self, look: Look, shelf: ModelShelf, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._shelf = look, shelf
        self._used, self._free = Plain("", "small-bold"), Plain("", "caption2")
        self._bar = PartsBar(look)
        self._legend = Flow(gap=6)
        head = QHBoxLayout()
        head.addWidget(self._used, 1)
        head.addWidget(self._free)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 12, 18)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._bar)
        column.addWidget(self._legend)
        shelf.changed.connect(self._on_changed)
        look.follow(self._on_changed)

    def sizes(self) -> dict[SourceKind, int]:
        """Return bytes by whose they are; the same weights in two files count twice."""
        sizes: dict[SourceKind, int] = {}
        for found in self._shelf.found:
            if found.facts is not None:
                sizes[found.source] = sizes.get(found.source, 0) + found.facts.size_bytes
        return {kind: sizes[kind] for kind in _COLORS if kind in sizes}

    def _on_changed(self) -> None:
        sizes, language = self.sizes(), self._look.language
        self.setVisible(bool(sizes))
        free = _free(self._shelf.folders[0])
        used = language.bytes_text(sum(sizes.values()))
        self._used.setText(language.text("disk-used", size=used))
        self._free.setText(language.text("disk-free", size=language.bytes_text(free)))
        parts = [(_COLORS[kind], size) for kind, size in sizes.items()]
        self._bar.show_parts((*parts, ("stone3", free)))
        self._legend.show_widgets([self._entry(kind, size) for kind, size in sizes.items()])

    def _entry(self, kind: SourceKind, size: int) -> QWidget:
        """A square and whose it stands for."""
        language, entry = self._look.language, QWidget()
        name = language.text(f"source-{kind.value}")
        words = Plain(f"{name} {language.bytes_text(size)}", "caption2")
        words.ensurePolished()  # it is placed by its size before it is shown
        row = QHBoxLayout(entry)
        row.setContentsMargins(0, 0, 10, 0)
        row.setSpacing(6)
        row.addWidget(Swatch(self._look, _COLORS[kind]))
        row.addWidget(words)
        return entry


def _free(folder: Path) -> int:
    """Return the bytes that are free on a folder's disk, of the nearest one that is there."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return shutil.disk_usage(place).free
    return 0
