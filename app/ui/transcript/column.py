"""A column of blocks of which only those near the view are widgets.

Every block has a height: measured once it has been laid out, estimated before. The column knows
which band of it can be seen, makes the widgets there and lets the others go. Blocks that did not
change keep their widgets when the list of blocks changes, which is what makes streaming cheap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from app.rendering.blocks import Block
from app.ui.transcript.caret import CaretBar
from app.ui.transcript.code import CodeFrame, CodeState, folded_height
from app.ui.transcript.code_choices import CodeChoices
from app.ui.transcript.marking import mark_place
from app.ui.transcript.marks import BELOW, paint_marks
from app.ui.transcript.paper import Manner, Paper
from app.ui.transcript.place import Place
from app.ui.transcript.rows import (
    Row,
    can_become,
    has_formula,
    is_wide,
    make_row,
    refresh_row,
    update_row,
)
from app.ui.transcript.spacing import estimate, left_and_width, room
from app.ui.transcript.still_text import is_held
from app.ui.transcript.tables import TableView

_FAR = 1200  # px outside the band from which blocks are let go


class Column(QWidget):
    """Blocks from top to bottom."""

    height_changed = Signal()  # a block asks for another height by itself
    growing = Signal(int)  # so many pixels taller in a moment: nothing has its new place yet

    def __init__(
        self, paper: Paper, manner: Manner, parent: QWidget, *, spaced: bool = True
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # growing repaints what is new
        self._paper, self._manner, self._spaced = paper, manner, spaced
        self._advance = partial(paper.typeset.advance, manner)
        self._places: list[Place] = []
        self._near: list[Place] = []  # those with a widget, in no order
        self._tops: list[int] = []
        self._width = 0
        self._band = (0, 0)
        self._wants_caret = False
        self._marked = ("", -1, -1)  # words, block and place in it that is shown
        self._caret_bar = CaretBar(paper, self)
        self.choices = CodeChoices()

    # --- what is shown ------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The blocks, in order."""
        return [place.block for place in self._places]

    def set_blocks(self, blocks: Sequence[Block], first: int = 0) -> None:
        """Show ``blocks``; those before ``first`` are the ones that are shown already."""
        for index in range(first, len(blocks)):
            before = blocks[index - 1] if index else None
            space = self._paper.typeset.gap(before, blocks[index]) if self._spaced else 0
            if index < len(self._places):
                self._change(index, blocks[index], space)
            else:
                code = self.choices.of(index, blocks[index])
                height = self._estimate(blocks[index], code)
                self._places.append(Place(blocks[index], space, height, code=code))
        for place in self._places[len(blocks) :]:
            self._let_go(place)
        del self._places[len(blocks) :]
        self._restack(first)

    def set_width(self, width: int) -> None:
        """Give the column another width; what is alive is laid out anew, the rest estimated."""
        if width == self._width:
            return
        self._width = width
        for place in self._places:
            place.fitted = 0
            if place.row is not None:
                self._fit(place)
            else:
                place.height = self._estimate(place.block, place.code)
        self._restack(0)

    def set_band(self, top: int, bottom: int) -> None:
        """Make the blocks alive that stand in a band of the column, and let far ones go."""
        self._band = top, bottom
        self._enliven()
        for place in [*self._near]:
            far = place.bottom < top - _FAR or place.top > bottom + _FAR
            if place.row is not None and far and not is_held(place.row):
                self._let_go(place)

    def set_caret(self, shown: bool) -> None:
        """Show the reply's caret after the last glyph, or not."""
        self._wants_caret, changed = shown, shown != self._wants_caret
        if changed:
            self._place_caret()

    def mark(self, words: str, block: int, nth: int) -> None:
        """Mark words wherever they stand; the ``nth`` place in ``block`` is the one shown."""
        if (words, block, nth) != self._marked:
            self._marked = words, block, nth
            for place in self._places:
                self._mark(place)

    def full_height(self) -> int:
        """Return the height of all blocks."""
        return self._places[-1].bottom if self._places else 0

    def at(self, y: int) -> tuple[int, int]:
        """Return the block at a height, and how far below its top that is."""
        index = max(0, bisect_right(self._tops, y) - 1)
        return (index, y - self._tops[index]) if self._tops else (0, 0)

    def top_of(self, index: int) -> int:
        """Return where a block begins."""
        return self._tops[min(index, len(self._tops) - 1)] if self._tops else 0

    def row(self, index: int) -> QWidget | None:
        """Return the widget of a block, None while it is not near."""
        return self._places[index].row

    def living(self) -> Iterator[tuple[Block, QWidget]]:
        """Yield the blocks that are near, with their widgets, from top to bottom."""
        for place in self._places:
            if place.row is not None:
                yield place.block, place.row

    def restyle(self) -> None:
        """Make all widgets anew: the theme or the language has changed."""
        for place in self._places:
            self._let_go(place)
        self.set_blocks(self.blocks)  # for the gaps between them
        width, self._width = self._width, 0
        self.set_width(width)
        self._enliven()

    def refresh_formulas(self) -> bool:
        """Set blocks with formulas again, since some have been drawn; True if there are any."""
        rows = [(p, p.row) for p in self._near if p.row is not None and has_formula(p.block)]
        for place, row in rows:
            refresh_row(row, place.block)
            self._fit(place)
            self._mark(place)
        if rows:
            self._restack(0)
        return bool(rows)

    def _enliven(self) -> None:
        """Measuring moves what is below, so look again until nothing new comes into the band."""
        if not self._width:
            return
        top, bottom = self._band
        start = max(0, bisect_right(self._tops, top) - 1)
        first = len(self._places)
        y = self._places[start].top if self._places else 0
        for index, place in enumerate(self._places[start:], start):
            if y >= bottom:
                break
            is_missing = place.row is None and place.bottom >= top - _FAR  # farther ones go at once
            if is_missing or (place.row is not None and not place.fitted):
                first = min(first, index)
                self._revive(place)
            elif isinstance(place.row, TableView) and place.row.set_band(top - y, bottom - y):
                first = min(first, index)
                self._fit(place)
            y = max(y, place.top) + place.height + place.gap
        if first < len(self._places):
            self._restack(first)

    def _revive(self, place: Place) -> None:
        if place.row is None:
            self._make(place)
        if isinstance(place.row, TableView):
            place.row.set_band(self._band[0] - place.top, self._band[1] - place.top)
        if not place.fitted:
            self._fit(place)

    def _change(self, index: int, block: Block, space: int) -> None:
        place = self._places[index]
        place.gap = space
        if place.block == block:
            return
        if place.row is not None and can_become(place.block, block, self._manner):
            place.block = block
            update_row(place.row, block)
            self._fit(place)
            return
        alive = place.row is not None
        self._let_go(place)
        if not can_become(place.block, block, self._manner):
            self.choices.forget(index)
            place.code = self.choices.of(index, block)
        place.block, place.fitted, place.height = block, 0, self._estimate(block, place.code)
        if alive:
            self._revive(place)

    def _make(self, place: Place) -> None:
        row = make_row(place.block, self._manner, self._paper, self, place.code)
        if isinstance(row, CodeFrame):
            row.height_changed.connect(self._on_row_changed)
        place.row, place.fitted = row, 0
        self._near.append(place)
        if self._marked[0]:
            self._mark(place)

    def _mark(self, place: Place) -> None:
        mark_place(place, self._places, self._marked)

    def _let_go(self, place: Place) -> None:
        if place.row is not None:
            place.row.hide()
            place.row.deleteLater()
            place.row = None
            self._near = [each for each in self._near if each is not place]

    def _prose(self, block: Block) -> int:
        keeps = self._spaced and not is_wide(block)
        return min(self._width, self._paper.look.theme.prose) if keeps else self._width

    def _room(self, block: Block) -> tuple[int, int]:
        """Return the left edge and the width that a block has."""
        return room(block, self._width, self._prose(block), self._advance)

    def _estimate(self, block: Block, code: CodeState) -> int:
        if code.folded:
            return folded_height(self._paper.look.theme.line_height("code"))
        width = left_and_width(block, self._prose(block), self._advance)[1]
        return estimate(block, width, self._paper.typeset.line(self._manner))

    def _fit(self, place: Place) -> None:
        width = self._room(place.block)[1]
        place.height = cast(Row, place.row).fit(width)
        place.fitted = width

    def _restack(self, first: int) -> None:
        """Work out where everything from ``first`` on stands, and move what is alive there."""
        del self._tops[first:]
        y = self._places[first - 1].bottom if first else 0
        for index in range(first, len(self._places)):
            place = self._places[index]
            y += place.gap if index else 0
            place.top = y
            self._tops.append(y)
            y += place.height
        if y > self.height():
            self.growing.emit(y - self.height())
        for place in self._places[first:]:
            self._put(place)
        self.resize(self._width, max(1, self.full_height()))
        self._place_caret()
        if any(place.block.place for place in self._places[first:]):  # marks stand beside them
            self.update(0, self._tops[first] - BELOW, self._width, 1 << 20)

    def _put(self, place: Place) -> None:
        if place.row is None:
            return
        left, width = self._room(place.block)
        place.row.setGeometry(left, place.top, width, place.height)
        place.row.show()

    def _place_caret(self) -> None:
        last = self._places[-1].row if self._places else None
        self._caret_bar.follow(last, wanted=self._wants_caret)

    @Slot()
    def _on_row_changed(self) -> None:
        """A block has changed by itself: a code block wraps now, for example."""
        sender = self.sender()
        for index, place in enumerate(self._places):
            if place.row is not None and place.row is sender:
                self._fit(place)
                if isinstance(place.row, CodeFrame):
                    place.code = place.row.state
                    self.choices.keep(index, place.code)
        self._restack(0)
        self.height_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint bullets, numbers and the bars of quotes beside the blocks that need painting."""
        first = max(0, bisect_right(self._tops, event.rect().top()) - 2)
        paint_marks(self, event.rect(), self._places, first, self._paper, self._manner)
