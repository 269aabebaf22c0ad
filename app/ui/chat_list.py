"""The list of chats in use: opened, renamed, selected, dragged into folders, a menu each."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemView

from app.ui.chat_delegate import ChatDelegate, ChatListView, more_rect
from app.ui.chat_groups import ChatEntry, GroupEntry, Heading, Place, Row
from app.ui.chat_rows import CHATS, ChatRows, Index
from app.ui.focus_ring import KEYBOARD_REASONS
from app.ui.look import Look

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ARROWS = {Qt.Key.Key_Left: False, Qt.Key.Key_Right: True}


class ChatList(ChatListView):
    """The view: a click or Enter opens, F2 renames, Delete deletes, a right click has the menu.

    Ctrl and Shift select several, as in any list; menu and Delete are theirs then. A group opens by
    a click, Enter or the arrow to the right.
    """

    chosen = Signal(int)
    hit_chosen = Signal(int, int)  # chat, turn
    menu_requested = Signal(int, QPoint)
    several_menu_requested = Signal(object, QPoint)  # list of chats
    group_menu_requested = Signal(object, QPoint)  # GroupEntry
    folder_wanted = Signal()  # a new one
    delete_requested = Signal(int)
    several_delete_requested = Signal(object)  # list of chats
    folder_delete_requested = Signal(int)

    def __init__(self, look: Look, rows: ChatRows) -> None:
        super().__init__()
        self._look, self._rows = look, rows
        self._pressed: int | None = None  # the chat that a click is to open
        self._opens_first = False  # Enter was pressed before the search had an answer
        self._kept: tuple[Row | None, list[int]] = (None, [])
        self.delegate = ChatDelegate(look, rows, self)
        self.setModel(rows)
        self.setItemDelegate(self.delegate)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDropIndicatorShown(False)
        rows.modelAboutToBeReset.connect(self._on_rows_going)
        rows.modelReset.connect(self._on_rows_there)
        look.follow(self._on_look_changed)

    def selected(self) -> list[int]:
        """Return the selected chats, in the order of the list."""
        indexes = sorted(self.selectedIndexes(), key=lambda index: index.row())
        return [entry.id for index in indexes if (entry := self._rows.entry(index)) is not None]

    def has_several(self) -> bool:
        """Whether more than one row is selected."""
        return len(self.selectedIndexes()) > 1

    def rename(self, chat: int) -> None:
        """Begin renaming a chat in its row."""
        self._edit(self._rows.index_of(chat))

    def rename_folder(self, folder: int) -> None:
        """Begin renaming a folder in its row."""
        self._edit(self._rows.index_of_group(f"folder-{folder}"))

    def rename_current(self) -> None:
        """Begin renaming the current row's chat or folder."""
        self._edit(self.currentIndex())

    @Slot()
    def open_first(self) -> None:
        """Open the first that was found, or as soon as the search has said what there is."""
        index = self._rows.first()
        self._opens_first = False
        if (entry := self._rows.entry(index)) is not None:
            self._choose(entry)
        elif not self._open_hit(index):
            self._opens_first = self._rows.is_filtered and not self._rows.nothing

    @Slot()
    def wait_for_nothing(self) -> None:
        """Open nothing by itself: something else is searched for."""
        self._opens_first = False

    def _edit(self, index: Index) -> None:
        if index.isValid() and self._rows.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    # --- mouse --------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take note of the chat that a click opens; open the menu when the dots are hit."""
        self.keys_lead = False
        self._pressed = None
        point = event.position().toPoint()
        index = self.indexAt(point)
        area = more_rect(self.visualRect(index))
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        on_dots = plain and area.contains(point)
        if event.button() == Qt.MouseButton.LeftButton and on_dots and self._open_menu(index):
            return
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or not plain or self._open_hit(index):
            return
        match self._rows.row(index):
            case ChatEntry(id=chat):
                self._pressed = chat
            case GroupEntry(key=key, is_open=is_open):
                self._rows.open_group(key, not is_open)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the chat that was clicked; what was dragged is not opened."""
        super().mouseReleaseEvent(event)
        entry = self._rows.entry(self.indexAt(event.position().toPoint()))
        if entry is not None and entry.id == self._pressed:
            self._choose(entry)
        self._pressed = None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row under the mouse, or of the current one for the menu key."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        self._open_menu(index, event.pos() if by_mouse else None)

    def _open_menu(self, index: Index, where: QPoint | None = None) -> bool:
        """Ask for the menu of a row, or of all that are selected if it is among them."""
        row = self._rows.row(index)
        point = where or more_rect(self.visualRect(index)).bottomLeft()
        place = self.viewport().mapToGlobal(point)
        match row:
            case ChatEntry(id=chat):
                selected = self.selected()
                if chat in selected and len(selected) > 1:
                    self.several_menu_requested.emit(selected, place)
                else:
                    self.menu_requested.emit(chat, place)
            case GroupEntry():
                self.group_menu_requested.emit(row, place)
            case Heading(adds=True):
                self.folder_wanted.emit()
            case _:
                return False
        return True

    # --- keyboard -----------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the keyboard do what the mouse can."""
        self.keys_lead = True
        busy = self.state() == QAbstractItemView.State.EditingState
        if busy or not self._take_key(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _take_key(self, key: Qt.Key) -> bool:
        index = self.currentIndex()
        if key in _ENTER and self.press_row(index):
            return True
        if key == Qt.Key.Key_Delete and len(selected := self.selected()) > 1:
            self.several_delete_requested.emit(selected)
            return True
        match self._rows.row(index):
            case GroupEntry(key=group) if key in _ARROWS:
                self._rows.open_group(group, _ARROWS[key])
            case GroupEntry(place=Place.LIST, folder=folder) if key == Qt.Key.Key_Delete:
                self.folder_delete_requested.emit(folder)
            case ChatEntry(id=chat, place=place) if key == Qt.Key.Key_Delete:
                if place is not Place.DELETED:
                    self.delete_requested.emit(chat)
            case _:
                return False
        return True

    def press_row(self, index: Index) -> bool:
        """Open the chat or the turn of a row, open or close its group; False where it has none."""
        match self._rows.row(index):
            case ChatEntry() as entry:
                self._choose(entry)
            case GroupEntry(key=group, is_open=is_open):
                self._rows.open_group(group, not is_open)
            case Heading(adds=True):
                self.folder_wanted.emit()
            case _:
                return self._open_hit(index)
        return True

    def _choose(self, entry: ChatEntry) -> None:
        """Open a chat; one that was deleted has to be brought back first, by its menu."""
        if entry.place is Place.DELETED:
            self._open_menu(self._rows.index_of(entry.id))
        else:
            self.chosen.emit(entry.id)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Notice whether the focus came by keyboard, and have a current row then."""
        self.keys_lead = event.reason() in KEYBOARD_REASONS
        if not self.currentIndex().isValid():
            no_update = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._rows.first(), no_update)
        super().focusInEvent(event)

    # --- dropping -----------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take chats that are dragged, and nothing else."""
        event.setAccepted(event.mimeData().hasFormat(CHATS))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show the folder that chats would go into; anywhere else they would be in none."""
        row = self._rows.row(index := self.indexAt(event.position().toPoint()))
        is_folder = isinstance(row, GroupEntry) and row.place is Place.LIST
        self._show_drop(index.row() if is_folder else -1)
        is_closed = isinstance(row, GroupEntry) and not is_folder
        event.setAccepted(event.mimeData().hasFormat(CHATS) and not is_closed)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Show no folder any more."""
        self._show_drop(-1)

    def dropEvent(self, event: QDropEvent) -> None:
        """Put what was dragged where it was dropped."""
        self._show_drop(-1)
        self._pressed = None
        self._rows.drop(event.mimeData(), self.indexAt(event.position().toPoint()))
        event.setDropAction(Qt.DropAction.IgnoreAction)  # the library moves; no row is taken away
        event.accept()

    def _show_drop(self, row: int) -> None:
        if row != self.drop_row:
            self.drop_row = row
            self.viewport().update()

    # --- inside -------------------------------------------------------------------------------

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
        if (hit := self._rows.hit(index)) is not None:
            self.hit_chosen.emit(hit.chat, hit.turn)
        return hit is not None

    @Slot()
    def _on_rows_going(self) -> None:
        """Remember where the keys are and what is selected: the rows are made anew."""
        self._kept = (self._rows.row(self.currentIndex()), self.selected())

    @Slot()
    def _on_rows_there(self) -> None:
        if self._opens_first:
            QTimer.singleShot(0, self, self.open_first)
        self.setAccessibleDescription("" if self._rows.rowCount() else self._rows.nothing)
        current, selected = self._kept
        match current:
            case ChatEntry(id=chat):
                index = self._rows.index_of(chat)
            case GroupEntry(key=key):
                index = self._rows.index_of_group(key)
            case _:
                index = self._rows.index(-1)
        model = self.selectionModel()
        if index.isValid():
            model.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        for chat in selected if len(selected) > 1 else ():
            model.select(self._rows.index_of(chat), QItemSelectionModel.SelectionFlag.Select)

    @Slot()
    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text("chats"))
        self.scheduleDelayedItemsLayout()
        self.viewport().update()
