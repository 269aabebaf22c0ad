"""What the model takes of the memory: weights, cache and what this conversation uses of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.chat.inspection import Inspection
from app.ui.inspector.stages import Swatch
from app.ui.look import Look
from app.ui.model_words import parameters
from app.ui.words import Plain, Words, wrapped
from engine.contract import Loaded

_BAR = 16  # px
_PARTS = ("weights", "used", "free", "workspace")
_COLORS = {"weights": "ink", "used": "accent", "free": "stone3", "workspace": "ochre"}


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the memory: its bytes, and a line about it."""

    count: int
    more: str


class MemoryBar(QWidget):
    """The parts beside each other."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shares: dict[str, Share] = {}
        self.setFixedHeight(_BAR)
        look.theme.changed.connect(self.update)

    def show_shares(self, shares: dict[str, Share]) -> None:
        """Show other parts."""
        self._shares = shares
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint each part as wide as it is large."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = sum(share.count for share in self._shares.values()) or 1
        x = 0.0
        for part, share in self._shares.items():
            width = share.count / whole * (self.width() - 2 * (len(self._shares) - 1))
            painter.setBrush(self._look.theme.color(_COLORS[part]))
            painter.drawRoundedRect(QRectF(x, 0, max(width, 2.0), self.height()), 2, 2)
            x += max(width, 2.0) + 2


class MemoryView(QWidget):
    """The figures that the engine told with the last reply, or with the load."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._loaded: Loaded | None = None
        self._seen: Inspection | None = None
        self._bar = MemoryBar(look)
        self._figures = {part: Plain("", "small-bold") for part in _PARTS}
        self._mores = {part: Plain("", "caption2") for part in _PARTS}
        self._peak = Plain("", "small2")
        self._lay_out()
        look.follow(self._on_look_changed)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(1, 1)
        for row, part in enumerate(_PARTS):
            swatch = Swatch(self._look)
            swatch.show_color(_COLORS[part])
            words = QVBoxLayout()
            words.setSpacing(0)
            words.addWidget(Words(self._look, f"inspector-memory-{part}", "small"))
            words.addWidget(self._mores[part])
            grid.addWidget(swatch, row, 0)
            grid.addLayout(words, row, 1)
            grid.addWidget(self._figures[part], row, 2, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 14)
        column.setSpacing(16)
        column.addWidget(self._bar)
        column.addLayout(grid)
        column.addWidget(self._peak)
        column.addStretch(1)
        column.addWidget(wrapped(Words(self._look, "inspector-memory-only", "caption")))

    def show_model(self, loaded: Loaded | None) -> None:
        """Show the memory of another model."""
        self._loaded = loaded
        self._on_look_changed()

    def show_reply(self, seen: Inspection | None) -> None:
        """Show how much of the cache a conversation uses."""
        self._seen = seen
        self._on_look_changed()

    def _on_look_changed(self) -> None:
        loaded, language = self._loaded, self._look.language
        self.setEnabled(loaded is not None)
        if loaded is None:
            return
        shares = self._shares(loaded)
        self._bar.show_shares(shares)
        for part, share in shares.items():
            self._figures[part].setText(language.bytes_text(share.count))
            self._mores[part].setText(share.more)
        peak = self._seen.memory.peak if self._seen and self._seen.memory else loaded.memory.peak
        self._peak.setText(language.text("inspector-memory-peak", size=language.bytes_text(peak)))

    def _shares(self, loaded: Loaded) -> dict[str, Share]:
        text = self._look.language.text
        memory, facts, usage = loaded.memory, loaded.model, self._seen and self._seen.usage
        used = usage.context_used if usage else 0
        # layers with a window keep less than others: the share of the context, not a product
        taken = min(memory.cache, round(memory.cache * used / max(1, loaded.context)))
        bits = f"{facts.bits_per_weight:.2f}"
        count = parameters(facts.parameters, self._look.language)
        weights = text("inspector-memory-weights.more", parameters=count, bits=bits)
        free = max(0, loaded.context - used)
        return {
            "weights": Share(memory.weights, weights),
            "used": Share(taken, text("inspector-tokens", count=used)),
            "free": Share(memory.cache - taken, text("inspector-tokens", count=free)),
            "workspace": Share(memory.workspace, text("inspector-memory-workspace.more")),
        }
