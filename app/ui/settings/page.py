"""The settings page: sections at the left, the chosen one at the right; made from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.store.catalogue import CATALOGUE, PROGRAM, SECTIONS
from app.store.folders import data_folder, updates_folder
from app.store.settings import SettingsFile
from app.ui.about.rows import AboutRows
from app.ui.buttons import Button
from app.ui.chat_settings.open_chat_rows import OpenChatRows
from app.ui.downloads.token_row import TokenRow
from app.ui.folder_rows import FolderRows, SourceRows
from app.ui.header import Header
from app.ui.keys import all_keys
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.page_frame import Page, Paper, bring_into_view, scrolled
from app.ui.settings.controls import ChoiceControl, Control
from app.ui.settings.finding import SettingsFinder
from app.ui.settings.font_control import TypePreview
from app.ui.settings.history_rows import HistoryRows
from app.ui.settings.library_rows import LibraryRows
from app.ui.settings.privacy_rows import PrivacyRows
from app.ui.settings.rows import CatalogueRow, FindableRow, KeyRow, Section, SettingRow
from app.ui.settings.safety_rows import lock_rows, safety_rows
from app.ui.settings.section_list import SectionList
from app.ui.sidebar_parts import PlainSearch
from app.ui.spoken import speak
from app.ui.tab_order import stops
from app.ui.update.rows import UpdateRows
from app.ui.words import Words
from engine.contract.setting import Value

_FORM = 740  # px
_SEARCH = 260  # px
_FOLDS_BELOW = 560  # px of the page at 100 %


class SettingsPage(Page):
    """Shows the settings and changes them; ``changed`` names each one that changed."""

    changed = Signal(str)
    reset_wanted = Signal()

    def __init__(self, look: Look, settings: SettingsFile, shelf: ModelShelf) -> None:
        super().__init__()
        self._look, self._file, self._shelf = look, settings, shelf
        self.history, self.token = HistoryRows(look), TokenRow(look)
        self.about, self.privacy = AboutRows(look), PrivacyRows(look)
        self.runtime = Button(look, "runtime-open")
        self.update_rows = UpdateRows(look, updates_folder(data_folder()))
        self.library, self.open_chat = LibraryRows(look), OpenChatRows(look, self)
        self.rows = {each.key: CatalogueRow(look, each) for each in PROGRAM}
        self.sections = [Section(look, name, self._rows_of(name)) for name in SECTIONS]
        self._finder = SettingsFinder(look.language, self.sections)
        self.search = PlainSearch(look, "settings-search")
        self.found = Words(look, "", "caption")
        self.found.hide()
        self.reset = Button(look, "settings-reset", "quiet", icon="arrow-counter-clockwise")
        self.list = SectionList(look, SECTIONS, self.reset)
        self._pages = QStackedWidget()
        self._lay_out()
        self.show_settings()
        settings.listen(self._on_file_changed)
        for row in self.rows.values():
            row.chosen.connect(self.change)
        self.reset.clicked.connect(self.reset_wanted)
        look.theme.changed.connect(self._fold)
        self.open_chat.reordered.connect(self._on_steps_reordered)
        self.list.opened.connect(self._pages.setCurrentIndex)
        self.search.textChanged.connect(self._on_searched)
        find = QShortcut(QKeySequence.StandardKey.Find, self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.search.setFocus)

    def show_settings(self) -> None:
        """Show what is set, however it was set."""
        settings = self._file.settings
        changed = False
        for key, row in self.rows.items():
            value = getattr(settings, key)
            if row.isEnabled():  # one that an administrator decides shows what they decided
                row.show_value(value)
            changed = changed or value != CATALOGUE[key].default
        self.reset.setEnabled(changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room to the settings where there is little for their text."""
        super().resizeEvent(event)
        self._fold()

    @Slot()
    def _fold(self) -> None:
        self.list.fold(folded=self.width() < self._look.theme.px(_FOLDS_BELOW))

    def _on_file_changed(self, names: frozenset[str]) -> None:
        if names & self.rows.keys():  # wherever it was changed
            self.show_settings()

    def show_devices(self, devices: Sequence[str]) -> None:
        """Offer what this computer can compute on; layers for a GPU where there is one."""
        control, chosen = self.control("device"), self._file.settings.device
        if isinstance(control, ChoiceControl):
            control.offer({*devices, chosen})  # what is chosen stays in sight
        self.rows["gpu_layers"].setEnabled(bool({"cuda", "mps"} & set(devices)))

    def control(self, key: str) -> Control:
        """Return the control of a setting."""
        return self.rows[key].control

    def open_section(self, name: str) -> None:
        """Show one section."""
        number = list(SECTIONS).index(name)
        self.list.open(number)
        self._pages.setCurrentIndex(number)

    def open_setting(self, key: str) -> None:
        """Show one setting, ready to be changed; "hub_token" is the token, which is no value."""
        row = self.token if key == "hub_token" else self.rows[key]
        self.search.clear()
        self.open_section(next(each.name for each in self.sections if row in each.rows))
        bring_into_view(row)
        if (first := next(stops(row), None)) is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def take_focus(self) -> None:
        """Put the focus on the name of the open section."""
        self.list.focus_open()

    @Slot(str, object)
    def change(self, key: str, value: Value) -> None:
        """Keep a value, and tell that it is another."""
        self._file.change(**{key: value})
        self.changed.emit(key)

    @Slot()
    def _on_steps_reordered(self) -> None:
        self.sections[list(SECTIONS).index("open-chat")].arrange(self.open_chat.rows)
        self._on_searched(self.search.text())

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.search.setFixedWidth(_SEARCH)
        title = Words(self._look, "settings", "title")
        column.addWidget(Header(title, self.found, self.search))
        for section in self.sections:
            foot = self.open_chat.tried if section.name == "open-chat" else None
            self._pages.addWidget(_scrolled(section, foot))
        self._pages.addWidget(_nothing(self._look))
        row_of_two = QHBoxLayout()
        row_of_two.setSpacing(0)
        row_of_two.addWidget(self.list)
        row_of_two.addWidget(self._pages, 1)
        column.addLayout(row_of_two, 1)
        column.addWidget(self.notice_place)

    def _rows_of(self, section: str) -> list[FindableRow]:
        """Return what the catalogue has for a section, and then what is no value."""
        rows: list[FindableRow] = [
            self.rows[each.key] for each in PROGRAM if each.section == section
        ]
        look = self._look
        match section:
            case "appearance":
                preview = TypePreview(look)
                rows.append(SettingRow(look, "type-preview-title", "", below=preview))
            case "chat":
                rows += self.library.rows
            case "open-chat":
                rows += self.open_chat.rows
            case "history":
                rows += self.history.rows
            case "safety":
                rows = [*lock_rows(look, rows), *rows, *safety_rows(look)]
            case "models":
                folders, sources = (
                    FolderRows(look, self._shelf),
                    SourceRows(look, self._file, self._shelf),
                )
                rows += [
                    SettingRow(look, "setting-folders", "setting-folders-about", below=folders),
                    SettingRow(look, "setting-sources", "setting-sources-about", below=sources),
                    self.token,
                ]
            case "memory":
                rows.append(SettingRow(look, "runtime", "runtime-about", self.runtime))
            case "privacy":
                rows += self.privacy.rows
            case "keyboard":
                rows += [KeyRow(look, name, keys[0]) for name, keys in all_keys().items()]
            case "about":
                version, *rest = self.about.rows
                rows += [version, *self.update_rows.rows, *rest]
        return rows

    # --- searching ----------------------------------------------------------------------------

    @Slot(str)
    def _on_searched(self, text: str) -> None:
        wanted = text.split()
        found = self._finder.find(wanted)
        counts = [len(rows) for rows in found.values()]
        for number, (section, rows) in enumerate(found.items()):
            section.show_rows(rows, wanted)
            self.list.rows[number].show_found(counts[number] if wanted else None)
        self.found.say("settings-found" if wanted else "", count=sum(counts))
        self.found.setVisible(bool(wanted))
        current = self.list.group.checkedId()
        if not sum(counts):
            self._pages.setCurrentIndex(len(self.sections))
        else:
            if not counts[current]:
                current = next(number for number, count in enumerate(counts) if count)
                self.list.open(current)
            self._pages.setCurrentIndex(current)
        if wanted:
            speak(self.search, self.found.text())


def _nothing(look: Look) -> QWidget:
    """Return what stands in place of the settings where none is like what was searched for."""
    page = QWidget()
    page.setObjectName("paper")
    column = QVBoxLayout(page)
    column.setContentsMargins(32, 20, 32, 24)
    column.addWidget(Words(look, "settings-none", "body2"))
    column.addStretch(1)
    return page


def _scrolled(section: Section, foot: QWidget | None) -> QWidget:
    """Return a section at its widest of 740 px, scrolling when it is higher than the page.

    Args:
        section: the rows.
        foot: what stays in sight below them.
    """
    inside = Paper()
    column = QVBoxLayout(inside)
    column.setContentsMargins(32, 20, 32, 24)
    section.setMaximumWidth(_FORM)
    column.addWidget(section)
    column.addStretch(1)
    if foot is None:
        return scrolled(inside)
    both, rows, place = QWidget(), QVBoxLayout(), QHBoxLayout()
    both.setLayout(rows)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    rows.addWidget(scrolled(inside), 1)
    place.setContentsMargins(32, 8, 44, 12)  # at the right as the rows, with their scroll bar
    foot.setMaximumWidth(_FORM)
    place.addWidget(foot)
    rows.addLayout(place)
    return both
