"""What the sidebar is made of besides the list: search field, buttons with a key cap, grip."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.ui.buttons import Button, Tool, keys_text
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain


class GlassField(QLineEdit):
    """A field with a magnifying glass at its left end, as large as its words are."""

    def __init__(self, look: Look, text_id: str) -> None:
        super().__init__()
        self._look, self._id = look, text_id
        self.setProperty("kind", "soft")
        self._glass = StatusIcon(look, "magnifying-glass", "ink2", 16)
        self._glass.setParent(self)
        look.follow(self._on_look_changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the parts at their ends."""
        super().resizeEvent(event)
        self._place_parts()

    def _place_end(self) -> int:
        """Place what stands at the right end; return how much room it takes from the words."""
        return 4

    @Slot()
    def _place_parts(self) -> None:
        self._glass.move(11, (self.height() - self._glass.height()) // 2)
        self.setTextMargins(self._glass.width() + 8, 0, self._place_end(), 0)

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text(self._id)
        self.setPlaceholderText(text)
        self.setAccessibleName(text)
        QTimer.singleShot(0, self, self._place_parts)  # once icon and text have their new size


class PlainSearch(GlassField):
    """A field that finds in what is shown beside it; Escape empties it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Empty the field on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class SearchField(GlassField):
    """The field above the chats; Escape empties it, Down goes to the list, Enter opens."""

    left = Signal()
    entered = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look, "chats-search")
        self._keys = Plain(keys_text("Ctrl+K"), "keycap", self)
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.textChanged.connect(self._on_text_changed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that leave or empty the field, or open what it found."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.text().strip():
            self.entered.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _place_end(self) -> int:
        size = self._keys.sizeHint().expandedTo(QSize(0, 20))
        left, top = self.width() - size.width() - 9, (self.height() - size.height()) // 2
        self._keys.setGeometry(QRect(QPoint(left, top), size))
        return size.width() + 12

    @Slot()
    def _on_text_changed(self) -> None:
        self._keys.setVisible(not self.text())


class Grip(QWidget):
    """The right edge of the sidebar, by which its width is dragged."""

    dragged = Signal(int)  # the wanted width

    def __init__(self, sidebar: QWidget) -> None:
        super().__init__(sidebar)
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse while its button is down."""
        self.dragged.emit(self.mapToParent(event.position().toPoint()).x())


class NewChatButton(Button):
    """The button for a new chat, its shortcut at the right end."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "chat-new", "new", icon="note-pencil")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 11, 0)
        row.addStretch()
        keys = Plain(keys_text("Ctrl+N"), "keycap")
        keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        keys.setMinimumHeight(20)
        row.addWidget(keys, 0, Qt.AlignmentFlag.AlignVCenter)


class PageRow(Button):
    """A row that opens a page; the open one carries the accent mark."""

    def __init__(self, look: Look, text_id: str, icon: str) -> None:
        super().__init__(look, text_id, "row", icon=icon)
        self.setCheckable(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark over the row."""
        super().paintEvent(event)
        if self.isChecked():
            paint_mark(QPainter(self), self, self._look)


class RailTool(Tool):
    """An icon of the rail; the one whose page is open carries the accent mark."""

    def __init__(self, look: Look, icon: str, text_id: str, keys: str = "") -> None:
        super().__init__(look, icon, text_id, keys, side=36, icon_size=20, kind="rail")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark over the button."""
        super().paintEvent(event)
        if self.isChecked():
            paint_mark(QPainter(self), self, self._look)

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return QSize(36, 36)


def paint_mark(painter: QPainter, widget: QWidget, look: Look) -> None:
    """Paint the accent mark, 3 by 18, at the left edge of a widget."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.theme.color("accent"))
    painter.drawRoundedRect(QRectF(0, (widget.height() - 18) / 2, 3, 18), 1.5, 1.5)
    painter.end()
