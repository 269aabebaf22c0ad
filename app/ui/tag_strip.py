"""The tags above the list of chats: a chip for each; the chosen one narrows the list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from app.ui.look import Look
from app.ui.tag_colors import tag_colors

_HEIGHT, _GAP, _BELOW = 22, 6, 6  # px: of a chip, between two, below the last line
_LINES = 2  # of chips; the others are in a menu
_WIDEST = 150  # px of one chip


class TagChip(QAbstractButton):
    """A tag: its colour and its name, or, without a colour, how many more there are."""

    def __init__(self, look: Look, name: str, color: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._color = look, color
        self.setText(name)
        self.setCheckable(bool(color))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        """Return the size of the words with their colour."""
        metrics = self.fontMetrics()
        wide = metrics.horizontalAdvance(self.text()) + (30 if self._color else 18)
        return QSize(min(wide, _WIDEST), max(_HEIGHT, metrics.height() + 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground, colour and name."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = self.isChecked()
        ground = "accentWash" if chosen else "stone3" if self.underMouse() else "stone2"
        painter.setPen(theme.color("accent") if chosen else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        left = 9
        if self._color:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(self._color))
            painter.drawEllipse(QRectF(8, self.height() / 2 - 3.5, 7, 7))
            left = 20
        painter.setFont(self.font())
        painter.setPen(theme.color("ink"))
        room = self.rect().adjusted(left, 0, -8, 0)
        name = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)


class TagStrip(QWidget):
    """The chips on two lines at most; hidden while no chat has a tag."""

    chosen = Signal(str)  # a tag, or "" for all chats

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._tags: tuple[str, ...] = ()
        self._chosen = ""
        self._chips: list[TagChip] = []
        self._more: TagChip | None = None
        self.hide()
        look.follow(self._on_look_changed)

    def show_tags(self, tags: Sequence[str]) -> None:
        """Show these tags; one that is chosen and is there no longer narrows no more."""
        if tuple(tags) != self._tags:
            self._tags = tuple(tags)
            if self._chosen not in self._tags:
                self._choose("")
            self._make()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the chips anew."""
        super().resizeEvent(event)
        self._place()

    def _make(self) -> None:
        for chip in (*self._chips, *filter(None, [self._more])):
            chip.hide()
            chip.deleteLater()
        font = self._look.theme.font("caption")
        colors = tag_colors(self._tags)
        self._chips = [TagChip(self._look, tag, colors[tag], self) for tag in self._tags]
        self._more = TagChip(self._look, "", "", self)
        self._more.setAccessibleName(self._look.language.text("tag-more", tags=len(self._tags)))
        self._more.clicked.connect(self._on_more)
        for chip in (*self._chips, self._more):
            chip.setFont(font)
        for chip in self._chips:
            name = chip.text()
            chip.setChecked(name == self._chosen)
            chip.setAccessibleName(self._look.language.text("tag-filter", tag=name))
            chip.clicked.connect(lambda on, name=name: self._choose(name if on else ""))
        self.setVisible(bool(self._tags))
        self._place()

    def _place(self) -> None:
        """Set the chips on two lines; a last one counts those that do not fit."""
        if self._more is None:
            return
        x, y, line, left = 0, 0, 1, 0
        for number, chip in enumerate(self._chips):
            size = chip.sizeHint()
            is_last = number == len(self._chips) - 1
            reserve = 0 if is_last or line < _LINES else 48  # px, for the chip that counts
            if x and x + size.width() + reserve > self.width():
                line, x, y = line + 1, 0, y + size.height() + _GAP
            if line > _LINES:
                left = len(self._chips) - number
                break
            chip.setGeometry(x, y, min(size.width(), self.width()), size.height())
            chip.show()
            last = chip.geometry()
            x += size.width() + _GAP
        for chip in self._chips[len(self._chips) - left :]:
            chip.hide()
        self._more.setVisible(left > 0)
        if not self._chips:
            return
        if left:
            self._more.setText(f"+{left}")
            self._more.setAccessibleName(self._look.language.text("tag-more", tags=left))
            size = self._more.sizeHint()
            self._more.setGeometry(last.right() + _GAP, last.y(), size.width(), size.height())
        self.setFixedHeight(last.bottom() + 1 + _BELOW)

    def _choose(self, tag: str) -> None:
        if tag == self._chosen:
            return
        self._chosen = tag
        for chip in self._chips:
            chip.setChecked(chip.text() == tag)
        self.chosen.emit(tag)

    @Slot()
    def _on_more(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for chip in self._chips:
            name = chip.text()
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(name == self._chosen)
            action.triggered.connect(lambda on, name=name: self._choose(name if on else ""))
        if self._more is not None:
            menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    @Slot()
    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text("tags"))
        self._make()
