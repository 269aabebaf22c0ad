"""The window: sidebar and pages above the status line, and the way from one page to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from app.store.settings import SettingsFile
from app.ui.chat_page import ChatPage
from app.ui.desk import Desk
from app.ui.focus_ring import FocusRing
from app.ui.letters import Letters
from app.ui.look import Look
from app.ui.notices import Notices
from app.ui.parts import Parts
from app.ui.tab_order import move_focus
from app.ui.window_place import restore_place, saved_place

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.benchmark.page import BenchmarkPage
    from app.ui.models_page import ModelsPage
    from app.ui.monitor.page import MonitorPage
    from app.ui.server.page import ServerPage
    from app.ui.settings.page import SettingsPage
    from app.ui.smaller.page import SmallerPage
    from app.ui.welcome_page import WelcomePage

    Page = (
        ChatPage
        | ModelsPage
        | SettingsPage
        | BenchmarkPage
        | ServerPage
        | MonitorPage
        | AddModelPage
        | SmallerPage
        | WelcomePage
    )

USUAL, SMALLEST = (1280, 832), (720, 560)
_PAGES = {"models", "settings", "benchmark", "server", "monitor", "add_model", "smaller", "welcome"}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MainWindow(QWidget):
    """The one window."""

    closing = Signal()
    first_painted = Signal()  # the first picture is on the screen
    page_shown = Signal(str)

    def __init__(self, look: Look, settings: SettingsFile, parts: Parts) -> None:
        super().__init__()
        self.setObjectName("paper")
        self.look, self._settings, self.parts = look, settings, parts
        self.notices = Notices(look)
        parts.chat.hold(self.notices)  # a page from the first: alone they would be a window
        self.desk = Desk(look, parts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.desk, 1)
        column.addWidget(parts.status)
        self.ring = FocusRing(look.theme, self)
        self.letters = Letters(look, self)
        for text_id, controls in parts.sidebar.lettered.items():
            self.letters.take(text_id, *controls)
        self.letters.take("key-pick-model", parts.chat.header.picker)
        self.setMinimumSize(*SMALLEST)
        self.resize(*USUAL)
        self._restore()
        self._page = "chat"
        self._is_painted = False
        self.may_close: Callable[[], bool] = lambda: True  # or asks first, and closes by itself
        self.stays = False  # closing only hides it: there is an icon to bring it back
        parts.chat.header.title.left.connect(self.focus_message)
        parts.chat.title_changed.connect(self._on_title_changed)
        self._on_title_changed("")

    @property
    def page(self) -> str:
        """The name of the page that is open; see ``_built``."""
        return self._page

    def show_page(self, name: str) -> None:
        """Open a page."""
        self._page = name
        page, parts = self._built(name), self.parts
        self._let_go(page)
        page.hold(self.notices)
        if parts.built_welcome is not None:
            parts.built_welcome.setVisible(name == "welcome")
        for covered in (parts.sidebar, self.desk.pages):
            covered.setVisible(name != "welcome")
        if name != "welcome":
            self.desk.pages.setCurrentWidget(page)
            inner = name in {"add_model", "smaller"}
            parts.sidebar.show_page("models" if inner else name)
            parts.sidebar.close_drawer()
        self.desk.place()
        self._focus_page(name)
        self.page_shown.emit(name)

    def _let_go(self, page: QWidget) -> None:
        """Take the focus off what will be hidden, so that it does not wander on its way."""
        focused = self.focusWidget()
        if focused is not None and not page.isAncestorOf(focused):
            focused.clearFocus()

    def _focus_page(self, name: str) -> None:
        """Give the focus to what a page is opened for; it is never left on what is hidden."""
        match name:
            case "models":
                self.parts.models.take_focus()
            case "settings":
                self.parts.settings.take_focus()
            case "benchmark":
                self.parts.benchmark.take_focus()
            case "server":
                self.parts.server.take_focus()
            case "monitor":
                self.parts.monitor.take_focus()
            case "add_model":
                self.parts.add_model.take_focus()
            case "smaller":
                self.parts.smaller.take_focus()
            case "welcome":
                self.parts.welcome.starter.start.setFocus(Qt.FocusReason.OtherFocusReason)
            case _:
                self.focus_message()

    def _built(self, name: str) -> Page:
        """Return a page by its name, built if need be."""
        page: Page = getattr(self.parts, name if name in _PAGES else "chat")
        return page

    @Slot()
    def focus_message(self) -> None:
        """Put the cursor into the message box."""
        self.parts.chat.box.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def go_to_message(self) -> None:
        """Go to the chat and its message box, from wherever."""
        if self._page != "welcome":
            self.show_page("chat")

    @Slot()
    def step_back(self) -> None:
        """Stop the reply; else close the drawer; else go back to the chat."""
        if self._page == "chat":
            if not self.parts.chat.stop():
                self.parts.sidebar.close_drawer()
                self.desk.close_drawer()
                self.focus_message()
        else:
            self.go_to_message()

    def save_place(self) -> None:
        """Keep the window's place and the sidebar's width in the settings."""
        sidebar = self.parts.sidebar
        self._settings.change(
            window=saved_place(self),
            sidebar_width=sidebar.full_width,
            sidebar_folded=sidebar.is_folded,
        )

    @Slot()
    def quit(self) -> None:
        """End the program, also where closing the window would not."""
        self.stays = False
        self.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go through the window as one reads it."""
        return move_focus(self, forward=forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take what no field, list or menu had a use for: Escape, Enter on a button, letters.

        Qt's own buttons take Space everywhere, Enter only where the platform's theme says so.
        """
        focused, key = self.focusWidget(), event.key()
        if key == Qt.Key.Key_Escape:
            self.step_back()
        elif key in _ENTER and isinstance(focused, QAbstractButton) and _is_plain(event):
            focused.click()
        elif self._page == "chat" and not isinstance(focused, QAbstractButton) and _is_text(event):
            self.focus_message()
            self.parts.chat.box.field.insertPlainText(event.text())
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell keyboard from mouse from the first picture on."""
        super().showEvent(event)
        self.ring.watch_input()
        self.letters.watch_input()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell when the first picture is complete: children paint after their window."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self.first_painted.emit)

    def begin_unseen(self) -> None:
        """Begin what waits for the first picture, where another window is wanted before it."""
        if not self._is_painted:
            self._is_painted = True
            self.first_painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Let the program end; it saves what is open first."""
        self.save_place()
        if self.stays:
            event.ignore()
            self.hide()
            return
        if not self.may_close():
            event.ignore()
            return
        self.closing.emit()
        super().closeEvent(event)

    def _restore(self) -> None:
        settings = self._settings.settings
        self.parts.sidebar.set_full_width(settings.sidebar_width)
        self.parts.sidebar.set_folded(settings.sidebar_folded, animated=False)
        restore_place(self, settings.window)

    @Slot(str)
    def _on_title_changed(self, title: str) -> None:
        title, name = " ".join(title.split()), self.look.language.text("app-name")
        self.setWindowTitle(f"{title} — {name}" if title else name)


def _is_plain(event: QKeyEvent) -> bool:
    """Tell a key pressed once and by itself, on whichever part of the keyboard."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return modifiers == Qt.KeyboardModifier.NoModifier and not event.isAutoRepeat()


def _is_text(event: QKeyEvent) -> bool:
    """Tell a key that writes a visible character; AltGr is Ctrl and Alt to some systems."""
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
    text = event.text()
    return text.isprintable() and bool(text.strip()) and not event.modifiers() & modifiers
