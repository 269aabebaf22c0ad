"""How the rows of the chat list look, and the field in which one is renamed."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.ui.chat_groups import ChatEntry, GroupEntry, Heading, Place
from app.ui.chat_rows import ChatRows, Index, RowRole
from app.ui.found_rows import found_height, paint_found
from app.ui.look import Look
from app.ui.spoken_rows import PressableList

_ROW, _HEADING = 30, 32
_MORE = 28  # width of the hit area of the three dots
_INSIDE = 24  # px: how far the chats of an open group stand to the right
_DOT, _MOST_DOTS = 7, 3  # px and number of a chat's tags
_ICONS = {
    Place.LIST: ("folder-simple", "folder-open"),
    Place.ARCHIVE: ("archive", "archive"),
    Place.DELETED: ("trash", "trash"),
}
_VCENTER = Qt.AlignmentFlag.AlignVCenter
_LEFT = _VCENTER | Qt.AlignmentFlag.AlignLeft


class ChatListView(PressableList):
    """What the delegate asks of the view that it paints for."""

    keys_lead = False  # whether the focus came by keyboard, so that it must be seen
    drop_row = -1  # the row that dragged chats would be dropped on

    def has_several(self) -> bool:
        """Whether more than one row is selected."""
        raise NotImplementedError


class ChatDelegate(QStyledItemDelegate):
    """Paints headings, groups and chats: ground, accent mark, elided title, dots, tags, counts."""

    renamed = Signal(int, str)
    folder_renamed = Signal(int, str)

    def __init__(self, look: Look, rows: ChatRows, view: ChatListView) -> None:
        super().__init__(view)
        self._look, self._rows, self._view = look, rows, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of a row; it grows with the text size."""
        if self._rows.hit(index) is not None:
            return QSize(0, found_height(self._look))
        theme = self._look.theme
        height = theme.high(_HEADING if isinstance(self._rows.row(index), Heading) else _ROW)
        return QSize(0, max(height, theme.px(height)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRect(option.rect)
        match self._rows.row(index):
            case Heading() as heading:
                self._paint_heading(painter, rect, heading, option.state)
            case GroupEntry() as group:
                self._paint_group(painter, rect, option.state, index, group)
            case ChatEntry() as entry:
                self._paint_chat(painter, rect, option.state, index, entry)
            case None:
                pass
            case hit:
                hovered, focused = self._ground_of(painter, rect, option.state, index)
                title = self._rows.title(hit)
                paint_found(painter, rect, self._look, hit, title, stands_out=hovered or focused)
        painter.restore()

    # --- rows ---------------------------------------------------------------------------------

    def _paint_heading(
        self, painter: QPainter, rect: QRect, heading: Heading, state: QStyle.StateFlag
    ) -> None:
        painter.setFont(self._look.theme.font("caption"))
        painter.setPen(self._look.theme.color("ink3"))
        painter.drawText(rect.adjusted(8, 4, -8, 0), _LEFT, heading.text)
        if heading.adds:
            over = bool(state & QStyle.StateFlag.State_MouseOver)
            icon = self._look.theme.icon("folder-plus", "ink" if over else "ink2")
            icon.paint(painter, _centred(more_rect(rect).translated(0, 2), self._look.theme.px(16)))

    def _paint_group(
        self,
        painter: QPainter,
        rect: QRect,
        state: QStyle.StateFlag,
        index: Index,
        group: GroupEntry,
    ) -> None:
        theme = self._look.theme
        hovered, _ = self._ground_of(painter, rect, state, index)
        icon = theme.icon(_ICONS[group.place][group.is_open], "ink2")
        side = theme.px(16)
        icon.paint(painter, QRect(rect.x() + 8, rect.y() + (rect.height() - side) // 2, side, side))
        end = rect.right() - 10
        if hovered:
            dots = theme.icon("dots-three", "ink2")
            dots.paint(painter, _centred(more_rect(rect), side))
            end = more_rect(rect).left()
        count = self._look.language.number(group.chats)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("ink3"))
        width = painter.fontMetrics().horizontalAdvance(count)
        painter.drawText(QRect(end - width, rect.y(), width, rect.height()), _VCENTER, count)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("ink" if hovered else "ink2"))
        left = rect.x() + side + 16
        room = QRect(left, rect.y(), end - width - left - 8, rect.height())
        self._elided(painter, room, self._rows.title(group))

    def _paint_chat(
        self,
        painter: QPainter,
        rect: QRect,
        state: QStyle.StateFlag,
        index: Index,
        entry: ChatEntry,
    ) -> None:
        theme = self._look.theme
        is_open = bool(index.data(RowRole.OPEN))
        hovered, _ = self._ground_of(painter, rect, state, index, is_open=is_open)
        left = 8 + (_INSIDE if self._rows.is_inside(index) else 0)
        sign = "push-pin" if entry.pinned and entry.place is Place.LIST else ""
        if entry.place is Place.TEMPORARY:
            sign = "hourglass"
        if sign:
            side = theme.px(15)
            top = rect.y() + (rect.height() - side) // 2
            theme.icon(sign, "ink2").paint(painter, QRect(rect.x() + left, top, side, side))
            left += side + 7
        ends = is_open or hovered or entry.answering
        right = more_rect(rect).left() if ends else rect.right() - 8
        right = self._paint_tags(painter, rect, right, entry.tags)
        painter.setFont(theme.font("small-bold" if is_open else "small"))
        painter.setPen(theme.color("ink" if is_open or hovered else "ink2"))
        room = QRect(rect.x() + left, rect.y(), right - rect.x() - left, rect.height())
        self._elided(painter, room, str(index.data()))
        self._paint_end(painter, rect, shows_dots=is_open or hovered, answering=entry.answering)

    # --- parts of rows ------------------------------------------------------------------------

    def _ground_of(
        self,
        painter: QPainter,
        rect: QRect,
        state: QStyle.StateFlag,
        index: Index,
        *,
        is_open: bool = False,
    ) -> tuple[bool, bool]:
        """Paint a row's ground, mark and ring; say whether the mouse is over it, and the keys."""
        theme = self._look.theme
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        focused = bool(state & QStyle.StateFlag.State_HasFocus) and self._view.keys_lead
        chosen = bool(state & QStyle.StateFlag.State_Selected) and self._view.has_several()
        if chosen or index.row() == self._view.drop_row:
            _ground(painter, rect, theme.color("accentWash"), theme.color("accentWash"))
        elif is_open:
            _ground(painter, rect, theme.color("paper"), theme.color("line"))
        elif hovered:
            _ground(painter, rect, theme.color("stone2"), theme.color("stone2"))
        if is_open:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            mark = QRectF(rect.x(), rect.y() + (rect.height() - 18) / 2, 3, 18)
            painter.drawRoundedRect(mark, 1.5, 1.5)
        if focused:
            _ring(painter, rect, theme.color("focus"))
        return hovered, focused

    def _paint_tags(self, painter: QPainter, rect: QRect, right: int, tags: tuple[str, ...]) -> int:
        """Paint a spot for each of the first tags, and return where the title must end."""
        if not tags:
            return right
        painter.setPen(Qt.PenStyle.NoPen)
        for tag in reversed(tags[:_MOST_DOTS]):
            right -= _DOT + 3
            painter.setBrush(self._look.theme.color(self._rows.tag_color(tag)))
            painter.drawEllipse(QRectF(right, rect.center().y() + 0.5 - _DOT / 2, _DOT, _DOT))
        return right - 6

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
            icon.paint(painter, _centred(end, self._look.theme.px(16)))

    def _elided(self, painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _LEFT, shown)

    # --- renaming -----------------------------------------------------------------------------

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QLineEdit:
        """Return the field in which a chat or a folder is renamed."""
        field = QLineEdit(parent)
        field.setProperty("kind", "rename")
        field.setMaxLength(200)
        field.setAccessibleName(self._look.language.text("chat-rename"))
        return field

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Report the new name; an empty one changes nothing."""
        if not isinstance(editor, QLineEdit):
            return
        name = " ".join(editor.text().split())
        match self._rows.row(index):
            case ChatEntry(id=chat, title=title) if name and name != title:
                self.renamed.emit(chat, name)
            case GroupEntry(folder=folder, name=old) if name and name != old:
                self.folder_renamed.emit(folder, name)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Lay the field over the whole row."""
        editor.setGeometry(option.rect)


def more_rect(row: QRect) -> QRect:
    """Return the hit area of the three dots in a row."""
    return QRect(row.right() - _MORE, row.top(), _MORE, row.height())


def _centred(room: QRect, side: int) -> QRect:
    return QRect(room.center().x() - side // 2, room.center().y() - side // 2 + 1, side, side)


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
