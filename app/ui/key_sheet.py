"""The sheet of keys: every key of the map, found by what it does or by the key itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtCore import QModelIndex as Index
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button, keys_text
from app.ui.keys import all_keys
from app.ui.look import Look
from app.ui.spoken import speak
from app.ui.words import Plain, Words

_CAPS = Qt.ItemDataRole.UserRole  # the keys of a row, as they are read
_SIDE, _CAP_SIDE, _BETWEEN = 10, 7, 6  # px


class _KeyRows(QStyledItemDelegate):
    """Paints what a key does at the left, its caps at the right."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: Index | QPersistentModelIndex) -> QSize:
        """Return the height of a row."""
        return QSize(0, self._look.theme.line_height("small") + 14)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index | QPersistentModelIndex,
    ) -> None:
        """Paint a row."""
        theme = self._look.theme
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("stone2"))
            painter.drawRoundedRect(QRectF(rect), 6, 6)
        right = rect.right() - _SIDE
        for cap in reversed(index.data(_CAPS)):
            right = self._paint_cap(painter, cap, right, rect) - _BETWEEN
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink"))
        room = rect.adjusted(_SIDE, 0, 0, 0)
        room.setRight(right)
        name = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def _paint_cap(self, painter: QPainter, cap: str, right: int, row: QRect) -> int:
        """Paint the cap of a key that ends at ``right``, and return where it begins."""
        theme = self._look.theme
        painter.setFont(theme.font("caption"))
        wide = painter.fontMetrics().horizontalAdvance(cap) + 2 * _CAP_SIDE
        tall = theme.line_height("caption") + 4
        box = QRect(right - wide, row.center().y() - tall // 2, wide, tall)
        painter.setPen(QPen(theme.color("edge"), 1))
        painter.setBrush(theme.color("paper"))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(theme.color("ink2"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, cap)
        return box.left()


class KeySheet(QDialog):
    """All keys, the field for finding one above them."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look = look
        text = look.language.text
        self.setWindowTitle(text("section-keyboard"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(text("keys-find"))
        self.field.setAccessibleName(text("keys-find"))
        self.field.textChanged.connect(self._on_words)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(text("section-keyboard"))
        self.list.setItemDelegate(_KeyRows(look, self.list))
        self._none = Plain(text("keys-none"), "small2")
        self._none.hide()
        for name, keys in all_keys().items():
            self.list.addItem(self._row(text(name), [keys_text(key) for key in keys]))
        close = Button(look, "close", "main")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(look, "section-keyboard", "title"))
        column.addWidget(self.field)
        column.addWidget(self._none)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        room = window.size() - QSize(40, 40)
        self.resize(QSize(look.theme.px(520), look.theme.px(620)).boundedTo(room))
        self.field.setFocus()

    @staticmethod
    def _row(name: str, caps: list[str]) -> QListWidgetItem:
        row = QListWidgetItem(name)
        row.setData(_CAPS, caps)
        row.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}: {', '.join(caps)}")
        return row

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go on into the list with Down, from the field."""
        is_down = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Down
        if is_down and event.type() == QEvent.Type.KeyPress:
            shown = (n for n in range(self.list.count()) if not self.list.isRowHidden(n))
            self.list.setCurrentRow(next(shown, -1))
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    @Slot(str)
    def _on_words(self, words: str) -> None:
        """Show the keys that have these words, by what they do or on their caps."""
        wanted = words.casefold().split()
        left = 0
        for number in range(self.list.count()):
            row = self.list.item(number)
            said = row.data(Qt.ItemDataRole.AccessibleTextRole).casefold()
            is_it = all(word in said for word in wanted)
            row.setHidden(not is_it)
            left += is_it
        self._none.setVisible(not left)
        speak(self.field, self._look.language.text("keys-left", keys=left))


def open_key_sheet(look: Look, window: QWidget) -> None:
    """Open the sheet over a window; one that is open already comes to the front."""
    shown = window.findChild(KeySheet)
    sheet = shown if shown is not None else KeySheet(look, window)
    sheet.open()
    sheet.raise_()
