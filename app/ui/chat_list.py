"""The list of chats: rows painted by a delegate, renamed in place, a menu for each."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.chat_rows import ChatEntry, ChatRows, Index, RowRole
from app.ui.focus_ring import KEYBOARD_REASONS
from app.ui.found_rows import found_height, paint_found
from app.ui.look import Look

_ROW, _HEADING = 30, 32
_MORE = 28  # width of the hit area of the three dots


class ChatDelegate(QStyledItemDelegate):
    """Paints headings and chats: ground, accent mark, elided title, dots or a mark of life."""

    renamed = Signal(int, str)

    def __init__(self, look: Look, rows: ChatRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._rows = look, rows

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; it grows with the text size."""
        if self._rows.hit(index) is not None:
            return QSize(0, found_height(self._look))
        height = _ROW if index.data(RowRole.ENTRY) else _HEADING
        return QSize(0, max(height, self._look.theme.px(height)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRect(option.rect)
        hit = self._rows.hit(index)
        if hit is not None:
            hovered, focused = self._ground_of(painter, rect, option.state)
            title = self._rows.title(hit)
            paint_found(painter, rect, self._look, hit, title, stands_out=hovered or focused)
        elif index.data(RowRole.ENTRY) is None:
            self._paint_heading(painter, rect, str(index.data()))
        else:
            self._paint_chat(painter, rect, option.state, index)
        painter.restore()

    def _paint_heading(self, painter: QPainter, rect: QRect, text: str) -> None:
        painter.setFont(self._look.theme.font("caption"))
        painter.setPen(self._look.theme.color("ink3"))
        below = rect.adjusted(8, 4, -8, 0)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _paint_chat(
        self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, index: Index
    ) -> None:
        theme = self._look.theme
        is_open = bool(index.data(RowRole.OPEN))
        hovered, _ = self._ground_of(painter, rect, state, is_open=is_open)
        painter.setFont(theme.font("small-bold" if is_open else "small"))
        painter.setPen(theme.color("ink" if is_open or hovered else "ink2"))
        entry: ChatEntry = index.data(RowRole.ENTRY)
        left = 8
        if entry.pinned:
            icon = theme.icon("push-pin", "ink2")
            icon.paint(painter, QRect(rect.x() + 8, rect.center().y() - 7, 15, 15))
            left = 30
        room = rect.adjusted(left, 0, -(_MORE if is_open or hovered or entry.answering else 8), 0)
        title = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        self._paint_end(painter, rect, shows_dots=is_open or hovered, answering=entry.answering)

    def _ground_of(
        self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, *, is_open: bool = False
    ) -> tuple[bool, bool]:
        """Paint a row's ground, mark and ring; say whether the mouse is over it, and the keys."""
        theme = self._look.theme
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        focused = bool(state & QStyle.StateFlag.State_HasFocus) and self._keys_lead()
        if is_open:
            _ground(painter, rect, theme.color("paper"), theme.color("line"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            mark = QRectF(rect.x(), rect.y() + (rect.height() - 18) / 2, 3, 18)
            painter.drawRoundedRect(mark, 1.5, 1.5)
        elif hovered:
            _ground(painter, rect, theme.color("stone2"), theme.color("stone2"))
        if focused:
            _ring(painter, rect, theme.color("focus"))
        return hovered, focused

    def _paint_end(
        self, painter: QPainter, rect: QRect, *, shows_dots: bool, answering: bool
    ) -> None:
        """Paint what stands at a row's right end."""
        end = more_rect(rect)
        if answering:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.theme.color("accent"))
            painter.drawEllipse(QRectF(end.center().x() - 3, end.center().y() - 2.5, 6, 6))
        elif shows_dots:
            icon = self._look.theme.icon("dots-three", "ink2")
            icon.paint(painter, QRect(end.center().x() - 8, end.center().y() - 7, 16, 16))

    def _keys_lead(self) -> bool:
        view = self.parent()
        return isinstance(view, ChatList) and view.keys_lead

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QLineEdit:
        """Return the field in which a chat is renamed."""
        field = QLineEdit(parent)
        field.setProperty("kind", "rename")
        field.setMaxLength(200)
        field.setAccessibleName(self._look.language.text("chat-rename"))
        return field

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Report the new name; an empty one changes nothing."""
        entry = self._rows.entry(index)
        if isinstance(editor, QLineEdit) and entry is not None:
            title = " ".join(editor.text().split())
            if title and title != entry.title:
                self.renamed.emit(entry.id, title)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Lay the field over the whole row."""
        editor.setGeometry(option.rect)


class ChatList(QListView):
    """The view: a click or Enter opens, F2 renames, Delete deletes, a right click has the menu."""

    chosen = Signal(int)
    hit_chosen = Signal(int, int)  # chat, turn
    menu_requested = Signal(int, QPoint)
    delete_requested = Signal(int)

    def __init__(self, look: Look, rows: ChatRows) -> None:
        super().__init__()
        self._look, self._rows = look, rows
        self.keys_lead = False  # whether the focus came by keyboard, so that it must be seen
        self.delegate = ChatDelegate(look, rows, self)
        self.setModel(rows)
        self.setItemDelegate(self.delegate)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        look.follow(self._on_look_changed)

    def rename(self, chat: int) -> None:
        """Begin renaming a chat in its row."""
        index = self._rows.index_of(chat)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def rename_current(self) -> None:
        """Begin renaming the current row's chat."""
        entry = self._rows.entry(self.currentIndex())
        if entry is not None:
            self.rename(entry.id)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open a chat, or its menu when the dots are hit."""
        self.keys_lead = False
        super().mousePressEvent(event)
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() != Qt.MouseButton.LeftButton or self._open_hit(index):
            return
        entry = self._rows.entry(index)
        if entry is None:
            return
        area = more_rect(self.visualRect(index))
        if area.contains(point):
            self.menu_requested.emit(entry.id, self.viewport().mapToGlobal(area.bottomLeft()))
        else:
            self.chosen.emit(entry.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the keyboard do what the mouse can."""
        self.keys_lead = True
        entry = self._rows.entry(self.currentIndex())
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._open_hit(self.currentIndex()):
            return
        if entry is not None and self.state() != QAbstractItemView.State.EditingState:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.chosen.emit(entry.id)
                return
            if key == Qt.Key.Key_Delete:
                self.delete_requested.emit(entry.id)
                return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the mouse, or of the current one for the menu key."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        entry = self._rows.entry(index)
        if entry is not None:
            where = event.pos() if by_mouse else self.visualRect(index).bottomLeft()
            self.menu_requested.emit(entry.id, self.viewport().mapToGlobal(where))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Notice whether the focus came by keyboard, and have a current row then."""
        self.keys_lead = event.reason() in KEYBOARD_REASONS
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self._rows.first())
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or in words why there are none."""
        super().paintEvent(event)
        if self._rows.rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setFont(self._look.theme.font("small"))
            painter.setPen(self._look.theme.color("ink3"))
            flags = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            room = self.viewport().rect().adjusted(8, 12, -8, 0)
            painter.drawText(room, flags, self._rows.nothing)

    def _open_hit(self, index: Index) -> bool:
        """Ask for the turn of a row; False where the row has none."""
        hit = self._rows.hit(index)
        if hit is not None:
            self.hit_chosen.emit(hit.chat, hit.turn)
        return hit is not None

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text("chats"))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()


def more_rect(row: QRect) -> QRect:
    """Return the hit area of the three dots in a row."""
    return QRect(row.right() - _MORE, row.top(), _MORE, row.height())


def _ground(painter: QPainter, rect: QRect, fill: QColor, edge: QColor) -> None:
    painter.setPen(edge)
    painter.setBrush(fill)
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


def _ring(painter: QPainter, rect: QRect, color: QColor) -> None:
    pen = painter.pen()
    pen.setColor(color)
    pen.setWidth(2)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 6, 6)
