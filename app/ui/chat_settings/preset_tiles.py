"""The presets as tiles: the program's and one's own side by side, the chosen one framed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.chat.presets import OTHER, Preset, name_of
from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.words import Elided, Words, escaped
from engine.contract import Sampling
from engine.contract.presets import BALANCED, PRESETS

_LEAST = 150  # px: a narrower tile holds no name any more
_MOST = 4  # side by side
_GAP = 12
_PEN, _CORNER = 24, 8  # px: the pencil's side, and how far it is from the tile's corner

TEXTS = tuple(text for name in PRESETS for text in (f"preset-{name}", f"preset-{name}-about"))
"""What the program's tiles say, for a search."""


class PresetTile(QPushButton):
    """A preset's name and what it is for; pressing chooses it.

    Args:
        look: theme and language.
        value: the preset's name, after "=" where it is one's own.
    """

    def __init__(self, look: Look, value: str) -> None:
        super().__init__()
        self._look, self.value = look, value
        self._name, self._about = Elided("", "small-bold"), Elided("", "caption2")
        self.setProperty("kind", "tile")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._head = QHBoxLayout()
        self._head.setSpacing(6)
        self._head.addWidget(self._name, 1)
        labels: list[QWidget] = [self._name, self._about]
        if value == BALANCED:
            labels.append(Words(look, "preset-default", "badge-fits"))
            self._head.addWidget(labels[-1])
        column = QVBoxLayout(self)
        column.setContentsMargins(13, 9, 9, 9)
        column.setSpacing(0)
        column.addLayout(self._head)
        column.addWidget(self._about)
        for label in labels:
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.pencil: Tool | None = None
        if value.startswith("="):
            self.pencil = Tool(look, "pencil-simple", "preset-edit", side=_PEN, parent=self)
            self._head.addSpacing(_PEN)
        look.follow(self._on_look_changed)

    def sizeHint(self) -> QSize:
        """Return the same width for every name, so that the columns are equally wide."""
        layout = self.layout()
        hint = layout.sizeHint() if layout is not None else super().sizeHint()
        return QSize(self._look.theme.px(_LEAST), hint.height())

    def minimumSizeHint(self) -> QSize:
        """Return the size below which no name could be read."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the pencil in its corner."""
        super().resizeEvent(event)
        if self.pencil is not None:
            self.pencil.move(self.width() - _PEN - _CORNER, _CORNER)

    @Slot()
    def _on_look_changed(self) -> None:
        text, own = self._look.language.text, self.value.startswith("=")
        name = self.value[1:] if own else text(f"preset-{self.value}")
        about = text("preset-yours" if own else f"preset-{self.value}-about")
        self._name.setText(name)
        self._about.setText(about)
        self.setToolTip(escaped(name) if own else "")
        self.setAccessibleName(f"{text('preset')}: {name}")
        is_default = self.value == BALANCED
        said = f"{about}, {text('preset-default')}" if is_default else about
        self.setAccessibleDescription(said)
        if self.pencil is not None:
            self.pencil.setAccessibleName(text("preset-edit-named", name=name))
        self.updateGeometry()


class PresetTiles(QWidget):
    """Shows by which name a chat samples, and lets another be chosen."""

    picked = Signal(object)  # Sampling, or None for what the model has
    edit_wanted = Signal(str)  # the name of a preset of one's own

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._sampling: Sampling | None = None
        self._own: list[Preset] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._group = QButtonGroup(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._grid.setSizeConstraint(QGridLayout.SizeConstraint.SetNoConstraint)
        self._columns = 0
        self.tiles: dict[str, PresetTile] = {}
        self.show_presets(())
        look.theme.changed.connect(self._place)

    @property
    def value(self) -> str:
        """The chosen preset: its name, "=" before one's own, or ``OTHER``."""
        return name_of(self._sampling, self._own)

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer these presets of one's own besides the program's."""
        self._own = list(own)
        wanted = [*PRESETS, *(f"={each.name}" for each in own), OTHER]
        for value in [value for value in self.tiles if value not in wanted]:
            tile = self.tiles.pop(value)
            self._group.removeButton(tile)
            tile.hide()
            tile.deleteLater()
        self.tiles = {value: self.tiles.get(value) or self._made(value) for value in wanted}
        self._columns = 0
        self._place()
        self.show_sampling(self._sampling)

    def show_sampling(self, sampling: Sampling | None) -> None:
        """Frame the preset of a sampling; one that is none has a tile while it lasts."""
        self._sampling = sampling
        self.tiles[OTHER].setVisible(self.value == OTHER)
        self.tiles[self.value].setChecked(True)

    def minimumSizeHint(self) -> QSize:
        """Return the width of one tile: there are fewer columns where there is less room."""
        return QSize(self._look.theme.px(_LEAST), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand in as many columns as the width has room for."""
        super().resizeEvent(event)
        self._place()

    def _made(self, value: str) -> PresetTile:
        tile = PresetTile(self._look, value)
        tile.clicked.connect(partial(self._on_clicked, value))
        if tile.pencil is not None:
            tile.pencil.clicked.connect(partial(self.edit_wanted.emit, value[1:]))
        self._group.addButton(tile)
        return tile

    @Slot()
    def _place(self) -> None:
        columns = max(1, min(_MOST, (self.width() + _GAP) // (self._look.theme.px(_LEAST) + _GAP)))
        if columns == self._columns:
            return
        for column in range(_MOST):
            self._grid.setColumnStretch(column, int(column < columns))
        for number, tile in enumerate(self.tiles.values()):
            self._grid.removeWidget(tile)
            self._grid.addWidget(tile, number // columns, number % columns)
        self._columns = columns
        before: QWidget | None = None
        for tile in self.tiles.values():  # the keys go as the eye does
            for stop in (tile, tile.pencil):
                if before is not None and stop is not None:
                    QWidget.setTabOrder(before, stop)
                before = stop or before

    def _on_clicked(self, value: str, _checked: bool = False) -> None:
        own = {f"={each.name}": each.sampling for each in self._own}
        if value in PRESETS or value in own:
            self.picked.emit(PRESETS[value] if value in PRESETS else own[value])
