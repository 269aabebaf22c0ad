"""How close things stand: the room in and between all parts, from one setting.

Every part is laid out as the design has it; where somebody wants it closer, the room above, below
and between what stands one below the other shrinks, in parts that are there and in those that come.
Sideways nothing moves: columns stay under each other, and lines keep their length.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFormLayout,
    QGridLayout,
    QLayout,
    QSizePolicy,
    QSpacerItem,
    QWidget,
)

from app.ui.theme import Theme

_KEPT = "roomOfTheDesign"  # a layout's own note: top, bottom, between, and the same as now set
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_SETTLED = QSizePolicy.Policy.Ignored  # sideways: a spacer's own note that its width is its room
_DOWN = (QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.BottomToTop)

Room = tuple[int, int, int]  # px: above the first, below the last, between two


class Density(QObject):
    """Follows the theme's density in every layout of the program.

    While all is as the design has it, this sees no event. Where things stand close, it sees
    those of the whole program, because a part that comes later is known by its polishing alone.
    """

    def __init__(self, theme: Theme, app: QApplication) -> None:
        super().__init__()
        self._theme, self._app = theme, app
        self._is_close = False
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def close(self) -> None:
        """Watch no longer."""
        self._app.removeEventFilter(self)

    @Slot()
    def _on_theme_changed(self) -> None:
        wanted = self._theme.typesetting.compact
        if wanted == self._is_close:
            return
        self._is_close = wanted
        if wanted:
            self._app.installEventFilter(self)
        else:
            self._app.removeEventFilter(self)
        for window in self._app.topLevelWidgets():
            for widget in (window, *window.findChildren(QWidget)):
                layout = widget.layout()
                if layout is not None:
                    self._settle(layout)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Settle what is about to be shown, and what gets new parts later."""
        kind = event.type()
        if kind in (QEvent.Type.Polish, QEvent.Type.LayoutRequest) and isinstance(watched, QWidget):
            layout = watched.layout()
            if layout is not None:
                self._settle(layout)
        return False

    def _settle(self, layout: QLayout) -> None:
        """Give a layout and those inside it the room that is wanted.

        The inner ones come first: a layout without a distance of its own has the outer one's.
        They are found as children: with ``itemAt(…).layout()``, PySide 6.11 takes a layout that
        Python still holds for deleted.
        """
        for inner in layout.findChildren(QLayout, options=_DIRECT):
            self._settle(inner)
        kept = layout.property(_KEPT)
        if self._is_close and kept is None:
            top, bottom, between = usual = _room(layout)
            air = self._theme.air
            close = air(top), air(bottom), air(between)
            _give(layout, close)
            layout.setProperty(_KEPT, [*usual, *close])
        elif not self._is_close and kept is not None:
            if list(_room(layout)) == list(kept[3:]):  # else its own code has changed it since
                _give(layout, tuple(kept[:3]))
            layout.setProperty(_KEPT, None)
        for spacer in _spacers(layout):
            self._settle_spacer(layout, spacer)

    def _settle_spacer(self, layout: QLayout, spacer: QSpacerItem) -> None:
        """Give room that stands by itself its height; a column does not ask how wide it is."""
        is_settled = spacer.sizePolicy().horizontalPolicy() is _SETTLED
        if self._is_close == is_settled:
            return
        size, fixed = spacer.sizeHint(), QSizePolicy.Policy.Fixed
        if self._is_close:
            usual = size.height()
            spacer.changeSize(usual, self._theme.air(usual), _SETTLED, fixed)
        else:
            spacer.changeSize(0, size.width(), QSizePolicy.Policy.Minimum, fixed)
        layout.invalidate()


def _room(layout: QLayout) -> Room:
    margins = layout.contentsMargins()
    return margins.top(), margins.bottom(), _between(layout)


def _between(layout: QLayout) -> int:
    """Return the distance of what stands one below the other; 0 where nothing does."""
    if isinstance(layout, QGridLayout | QFormLayout):
        return max(0, layout.verticalSpacing())
    if isinstance(layout, QBoxLayout) and layout.direction() in _DOWN:
        return max(0, layout.spacing())
    return 0


def _spacers(layout: QLayout) -> Iterator[QSpacerItem]:
    """The room of a fixed height between two parts of a column."""
    if not isinstance(layout, QBoxLayout) or layout.direction() not in _DOWN:
        return
    for number in range(layout.count()):
        item = layout.itemAt(number)
        spacer = item.spacerItem() if item is not None else None
        if spacer is not None and spacer.sizePolicy().verticalPolicy() is QSizePolicy.Policy.Fixed:
            yield spacer


def _give(layout: QLayout, room: Room) -> None:
    top, bottom, between = room
    margins = layout.contentsMargins()
    if (margins.top(), margins.bottom()) != (top, bottom):
        layout.setContentsMargins(margins.left(), top, margins.right(), bottom)
    if between == _between(layout):
        return
    if isinstance(layout, QGridLayout | QFormLayout):
        layout.setVerticalSpacing(between)
    elif isinstance(layout, QBoxLayout):
        layout.setSpacing(between)
