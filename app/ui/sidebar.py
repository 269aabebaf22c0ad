"""The sidebar: the program's name, a new chat, the list of chats, the way to the other pages.

It is 264 px wide and can be dragged from 220 to 360. Folded by choice, or in a narrow window, it
is a rail of icons 56 px wide; in a narrow window it unfolds over the page, as a drawer.
"""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, Qt, QVariantAnimation, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Tool
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.look import Look
from app.ui.seal import Seal
from app.ui.sidebar_parts import Grip, NewChatButton, PageRow, RailTool, SearchField
from app.ui.tag_strip import TagStrip
from app.ui.today import Today
from app.ui.words import Words

RAIL, USUAL, NARROWEST, WIDEST = 56, 264, 220, 360
_FOLD_MS = 160
_PAGES = {  # name: icon
    "models": "stack",
    "benchmark": "gauge",
    "server": "broadcast",
    "monitor": "activity",
    "settings": "gear-six",
}


class Sidebar(QFrame):
    """The whole of it, full and as a rail; says what was asked for and decides nothing.

    The window places it: ``wanted_width`` is how wide it is to be now, ``reserved_width`` how much
    of that the page must leave free (a drawer lies over the page).
    """

    new_chat_requested = Signal()
    temporary_chat_requested = Signal()
    chat_chosen = Signal(int)
    hit_chosen = Signal(int, int)  # chat, turn
    searched = Signal(str)  # what is typed into the field now
    page_requested = Signal(str)  # "chat" or one of the pages below
    width_changed = Signal()  # while it folds, and while it is dragged
    settled = Signal()  # folding or dragging has ended: worth remembering

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self._look = look
        self._full_width = USUAL
        self._is_narrow = False  # the window leaves no room
        self._is_folded = False  # the user's choice, where there is room
        self._is_drawer = False  # unfolded over the page of a narrow window
        self.wanted_width = USUAL
        self._animation = QVariantAnimation(self)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_width_step)
        self.rows = ChatRows(look.language, Today(self), self)
        self.list = ChatList(look, self.rows)
        self.search = SearchField(look)
        self.tags = TagStrip(look)
        self._pages: dict[str, list[QAbstractButton]] = {}
        self.lettered: dict[str, list[QWidget]] = {}
        """Its main controls by their texts, those of both faces: what a letter uses."""
        self._faces = QStackedLayout(self)
        self._faces.setContentsMargins(0, 0, 0, 0)
        self._faces.addWidget(self._full())
        self._faces.addWidget(self._rail())
        self._grip = Grip(self)
        self._connect()
        self.show_page("chat")

    @property
    def is_rail(self) -> bool:
        """Whether it shows as a rail, or is on its way there."""
        return (self._is_narrow and not self._is_drawer) or (
            self._is_folded and not self._is_narrow
        )

    @property
    def is_folded(self) -> bool:
        """Whether the user folded it, for the settings."""
        return self._is_folded

    @property
    def full_width(self) -> int:
        """Its width when it is no rail, for the settings."""
        return self._full_width

    @property
    def reserved_width(self) -> int:
        """How much of the window the page must leave free."""
        return RAIL if self._is_narrow else self.wanted_width

    def show_page(self, name: str) -> None:
        """Mark the page that is open."""
        for page, buttons in self._pages.items():
            for button in buttons:
                button.setChecked(page == name)

    def set_narrow(self, narrow: bool, *, animated: bool = False) -> None:
        """Become a rail because the window is narrow, whatever the user chose."""
        if narrow != self._is_narrow:
            self._is_narrow, self._is_drawer = narrow, False
            self._move(animated=animated)

    def set_folded(self, folded: bool, *, animated: bool = True) -> None:
        """Fold or unfold; in a narrow window this opens and closes the drawer."""
        if self._is_narrow:
            self._is_drawer = not folded
        else:
            self._is_folded = folded
        self._move(animated=animated)

    def toggle(self) -> None:
        """Fold it when it is open, open it when it is a rail."""
        self.set_folded(not self.is_rail)

    def close_drawer(self) -> None:
        """Close it where it lies over the page; elsewhere it stays."""
        if self._is_drawer:
            self.set_folded(True)

    def set_full_width(self, width: int) -> None:
        """Take a width within the limits."""
        self._full_width = max(NARROWEST, min(WIDEST, width))
        if not self.is_rail:
            self._on_width_step(self._full_width)

    def begin_search(self) -> None:
        """Unfold if need be, and put the cursor into the search field."""
        if self.is_rail:
            self.set_folded(False)
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the grip at the edge."""
        super().resizeEvent(event)
        self._grip.setGeometry(self.width() - 5, 0, 5, self.height())

    # --- moving -------------------------------------------------------------------------------

    def _move(self, *, animated: bool) -> None:
        end = RAIL if self.is_rail else self._full_width
        self._faces.setCurrentIndex(1 if self.is_rail else 0)
        self._grip.setVisible(not self.is_rail)
        self._animation.stop()
        duration = self._look.theme.duration(_FOLD_MS) if animated else 0
        if duration == 0 or not self.isVisible():
            self._on_width_step(end)
        else:
            self._animation.setStartValue(self.wanted_width)
            self._animation.setEndValue(end)
            self._animation.setDuration(duration)
            self._animation.start()
        self.settled.emit()

    @Slot(object)
    def _on_width_step(self, width: int) -> None:
        self.wanted_width = width
        self.width_changed.emit()

    @Slot(int)
    def _on_dragged(self, width: int) -> None:
        self.set_full_width(width)
        self.settled.emit()

    @Slot()
    def _on_search_left(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)

    # --- construction -------------------------------------------------------------------------

    def _connect(self) -> None:
        self.list.chosen.connect(self.chat_chosen)
        self.list.hit_chosen.connect(self.hit_chosen)
        self.search.textChanged.connect(self.list.wait_for_nothing)
        self.search.textChanged.connect(self.rows.show_only)
        self.search.textChanged.connect(self.searched)
        self.search.left.connect(self._on_search_left)
        self.search.entered.connect(self.list.open_first)
        self._grip.dragged.connect(self._on_dragged)

    def _full(self) -> QWidget:
        face = QWidget()
        column = QVBoxLayout(face)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        upper = QVBoxLayout()
        upper.setContentsMargins(12, 0, 12, 0)
        upper.setSpacing(0)
        upper.addLayout(self._brand())
        upper.addLayout(self._beginnings())
        upper.addSpacing(8)
        upper.addWidget(self.search)
        upper.addSpacing(6)
        upper.addWidget(self.tags)
        upper.addWidget(self.list, 1)
        column.addLayout(upper, 1)
        column.addWidget(self._foot())
        return face

    def _beginnings(self) -> QHBoxLayout:
        """Return the buttons for a new chat, kept or not."""
        row = QHBoxLayout()
        row.setSpacing(6)
        new = NewChatButton(self._look)
        new.clicked.connect(self.new_chat_requested)
        self.lettered |= {"chat-new": [new]}
        temporary = Tool(self._look, "hourglass", "temporary-new", "Ctrl+Shift+N", side=32)
        temporary.clicked.connect(self.temporary_chat_requested)
        self.lettered |= {"temporary-new": [temporary], "chats-search": [self.search]}
        row.addWidget(new, 1)
        row.addWidget(temporary)
        return row

    def _brand(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(4, 11, 0, 11)
        row.setSpacing(10)
        row.addWidget(Seal(self._look.theme, 26))
        row.addWidget(Words(self._look, "app-name", "title"), 1)
        fold = Tool(self._look, "layout", "sidebar-fold", "Ctrl+B", icon_size=18)
        fold.clicked.connect(self.toggle)
        row.addWidget(fold)
        return row

    def _foot(self) -> QFrame:
        foot = QFrame()
        foot.setObjectName("sidebar-foot")
        column = QVBoxLayout(foot)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(0)
        for page, icon in _PAGES.items():
            row = PageRow(self._look, page, icon)
            self._lead_to(page, row)
            column.addWidget(row)
        return foot

    def _rail(self) -> QWidget:
        face = QWidget()
        column = QVBoxLayout(face)
        column.setContentsMargins(10, 11, 9, 8)
        column.setSpacing(4)
        column.addWidget(Seal(self._look.theme, 26), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(10)
        unfold = RailTool(self._look, "layout", "sidebar-unfold", "Ctrl+B")
        unfold.clicked.connect(self.toggle)
        new = RailTool(self._look, "note-pencil", "chat-new", "Ctrl+N")
        new.clicked.connect(self.new_chat_requested)
        search = RailTool(self._look, "magnifying-glass", "chats-search", "Ctrl+K")
        search.clicked.connect(self.begin_search)
        self.lettered["chat-new"].append(new)
        self.lettered["chats-search"].append(search)
        pages = {
            "chat": RailTool(self._look, "chats", "chats"),
            **{page: RailTool(self._look, icon, page) for page, icon in _PAGES.items()},
        }
        for page, tool in pages.items():
            tool.setCheckable(True)
            self._lead_to(page, tool)
        for tool in (unfold, new, search, pages["chat"]):
            column.addWidget(tool)
        column.addStretch()
        for page in _PAGES:
            column.addWidget(pages[page])
        return face

    def _lead_to(self, page: str, button: QAbstractButton) -> None:
        """Let a button ask for a page; it stays checked while that page is open."""
        self._pages.setdefault(page, []).append(button)
        text_id = "chats" if page == "chat" else page
        self.lettered.setdefault(text_id, []).append(button)

        def ask() -> None:
            button.setChecked(True)  # a second click on the open page's row changes nothing
            self.page_requested.emit(page)

        button.clicked.connect(ask)
