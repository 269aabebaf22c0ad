"""The models page: what is on this computer, what it would take, and one button to talk to it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.store.settings import SettingsFile
from app.ui.buttons import Button
from app.ui.computer import read_computer
from app.ui.faults import fault_text
from app.ui.header import Header
from app.ui.look import Look
from app.ui.model_cards import CardView
from app.ui.model_detail import ModelDetail, open_folder_of
from app.ui.model_menu import ModelMenu, ModelVerb
from app.ui.model_rows import CardRole
from app.ui.model_shelf import ModelShelf
from app.ui.notices import NoticePlace, Notices
from app.ui.words import Plain, Words, wrapped
from engine.contract import ModelFacts
from engine.library.scan import Found

_DETAIL_FROM = 820  # px: below, the panel leaves its room to the cards


class ModelsPage(QWidget):
    """Cards, the chosen one's panel, and the files that cannot be used with their reason."""

    load_requested = Signal(object)  # Path
    file_requested = Signal()
    folder_requested = Signal()

    def __init__(self, look: Look, shelf: ModelShelf, settings: SettingsFile) -> None:
        super().__init__()
        self.setObjectName("paper")
        self._look, self._shelf, self._settings = look, shelf, settings
        self._loaded: Path | None = None
        self.view = CardView(look)
        self.menu = ModelMenu(look, self)
        self.detail = ModelDetail(look, self.menu)
        self._count = Plain("", "caption2")
        self._nothing = wrapped(Plain("", "body2"))
        self._below = QVBoxLayout()
        self._unreadable = QVBoxLayout()
        self._scan_again = Button(look, "models-scan", "quiet", icon="arrows-clockwise")
        self._file = Button(look, "model-file")
        self._folder = Button(look, "model-folder")
        self._notice_place = NoticePlace()
        self._lay_out()
        self._connect()
        look.follow(self._on_look_changed)

    def show_loaded(self, path: Path | None) -> None:
        """Mark the loaded model's card."""
        self._loaded = path
        self.view.cards.show_loaded(path)
        self._on_picked(self.view.currentIndex().data(CardRole.FACTS))

    def showEvent(self, event: QShowEvent) -> None:
        """Look at the memory and the folders anew: both change outside."""
        super().showEvent(event)
        self.refresh()
        QTimer.singleShot(0, self, self._shelf.scan)

    def take_focus(self) -> None:
        """Put the focus on the cards; where there are none, on the way to a file."""
        target = self.view if self._shelf.models else self._file
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        """Say what would fit now."""
        settings = self._settings.settings
        free = read_computer().free
        self.view.cards.show_computer(free, settings.context, settings.cache_bits)
        self.detail.show_computer(free, settings.context, settings.cache_bits)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the panel out where there is no room for it."""
        super().resizeEvent(event)
        self._place_detail()

    def hold(self, notices: Notices) -> None:
        """Show the notices at the foot, as long as this page is open."""
        self._notice_place.hold(notices)

    def set_below(self, widget: QWidget) -> None:
        """Hold a widget below the cards; its own visibility says whether it takes room."""
        self._below.addWidget(widget)

    def _lay_out(self) -> None:
        title = QWidget()
        head = QHBoxLayout(title)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(10)
        head.addWidget(Words(self._look, "models", "title"))
        head.addWidget(self._count)
        head.addStretch()
        inside = QWidget()
        inside.setObjectName("paper")
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 20, 12, 24)  # the cards bring their own gap
        column.setSpacing(0)
        column.addWidget(self._nothing)
        column.addWidget(self.view)
        self._below.setContentsMargins(0, 8, 12, 12)
        column.addLayout(self._below)
        column.addLayout(self._unreadable)
        column.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addWidget(scroll, 1)
        below.addWidget(self.detail)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(Header(title, self._scan_again, self._folder, self._file))
        page.addLayout(below, 1)
        page.addWidget(self._notice_place)

    def _connect(self) -> None:
        self.view.picked.connect(self._on_picked)
        self.view.activated_model.connect(self.load_requested)
        self.view.menu_requested.connect(self.menu.open)
        self.menu.offer(
            ModelVerb(
                "model-chat", "chat-teardrop-text", lambda m: self.load_requested.emit(m.path)
            ),
            ModelVerb("action-open-folder", "folder-open", open_folder_of),
        )
        self.detail.load_requested.connect(self.load_requested)
        self.detail.context_chosen.connect(self._on_context_chosen)
        self._file.clicked.connect(self.file_requested)
        self._folder.clicked.connect(self.folder_requested)
        self._scan_again.clicked.connect(self._shelf.scan)
        self._shelf.changed.connect(self._on_shelf_changed)

    @Slot()
    def _on_shelf_changed(self) -> None:
        current = self.view.currentIndex().data(CardRole.FACTS)
        if self.view.cards.rowCount() == 0 or not self._shelf.is_scanning:
            self.view.cards.show_models(self._shelf.models)
            path = current.path if isinstance(current, ModelFacts) else self._loaded
            self.view.choose(path)
        self._scan_again.setEnabled(not self._shelf.is_scanning)
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        text, count = self._look.language.text, len(self._shelf.models)
        self._count.setText(text("models-count", count=count))
        self._nothing.setVisible(count == 0)
        self._nothing.setText(text("models-scanning" if self._shelf.is_scanning else "models-none"))
        self._show_unreadable(self._shelf.unreadable)
        self._place_detail()

    def _show_unreadable(self, found: tuple[Found, ...]) -> None:
        while (item := self._unreadable.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if found:
            self._unreadable.addWidget(Words(self._look, "models-unreadable", "small-bold"))
        for each in found:
            if each.fault is not None:
                said = fault_text(each.fault, self._look.language)
                self._unreadable.addWidget(wrapped(Plain(said.sentence, "small2")))

    def _place_detail(self) -> None:
        has_models = bool(self._shelf.models)
        self.detail.setVisible(has_models and self.width() >= _DETAIL_FROM)

    @Slot(object)
    def _on_picked(self, facts: object) -> None:
        if isinstance(facts, ModelFacts):
            self.detail.show_model(facts, loaded=facts.path == self._loaded)

    def _ask_to_load(self, facts: ModelFacts) -> None:
        self.load_requested.emit(facts.path)

    @Slot(int)
    def _on_context_chosen(self, context: int) -> None:
        self._settings.change(context=context)
        self.refresh()
