"""The settings page: sections at the left, the chosen one at the right; all act at once."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.store.settings import SettingsFile
from app.ui.choice_button import ChoiceButton, language_button, theme_button
from app.ui.downloads.hub_rows import HubRows
from app.ui.folder_rows import FolderRows, SourceRows
from app.ui.form_controls import Slider, Switch
from app.ui.header import Header
from app.ui.history_section import HistorySection
from app.ui.keys import all_keys
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.notices import NoticePlace, Notices
from app.ui.settings_rows import KeyRow, Section, SettingRow
from app.ui.sidebar_parts import PageRow
from app.ui.theme import LARGEST, SMALLEST
from app.ui.words import Plain, Words

_LIST, _FORM = 212, 740  # px
_CONTEXTS = (2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
_RESTS = {"0": "keep-always", **{str(n): f"keep-{n}" for n in (5, 15, 60)}}  # minutes
_INSTRUCTIONS_MS = 600  # typing is saved this long after the last key


class SettingsPage(QWidget):
    """Shows the settings and changes them by name; ``changed`` names the one that changed."""

    changed = Signal(str)

    def __init__(self, look: Look, settings: SettingsFile, shelf: ModelShelf) -> None:
        super().__init__()
        self.setObjectName("paper")
        self._look, self._file, self._shelf = look, settings, shelf
        self._pages = QStackedWidget()
        self._group = QButtonGroup(self)
        self.language, self.theme = language_button(look), theme_button(look)
        self.text_size = Slider(
            look, "setting-text-size", round(100 * SMALLEST), round(100 * LARGEST), 100
        )
        self._size_words = Plain("", "small-bold")
        self.motion = Switch(look, "setting-motion")
        self.autoload = Switch(look, "setting-autoload")
        contexts = {"0": "context-automatic", **{str(n): f"={n:,}" for n in _CONTEXTS}}
        self.context = ChoiceButton(look, "setting-context", contexts)
        self.cache = ChoiceButton(look, "setting-cache", {"16": "cache-16", "8": "cache-8"})
        threads = {"0": "threads-automatic", **{str(n): f"={n}" for n in (1, 2, 4, 6, 8, 12, 16)}}
        self.threads = ChoiceButton(look, "setting-threads", threads)
        self.keep_loaded = ChoiceButton(look, "setting-keep", _RESTS)
        self.hubs = HubRows(look, settings)
        self.history = HistorySection(look)
        self.instructions = QPlainTextEdit()
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_INSTRUCTIONS_MS)
        self._notice_place = NoticePlace()
        self._lay_out()
        self.show_settings()
        self._connect()
        look.follow(self._on_look_changed)

    def show_settings(self) -> None:
        """Show what is set, however it was set."""
        settings = self._file.settings
        self.language.show_value(settings.language)
        self.theme.show_value(settings.theme)
        self.text_size.setValue(round(settings.text_scale * 100))
        self.motion.setChecked(settings.reduce_motion)
        self.autoload.setChecked(settings.load_last_model)
        self.history.show_settings(settings)
        self.context.show_value(str(settings.context))
        self.cache.show_value(str(settings.cache_bits))
        self.threads.show_value(str(settings.threads))
        self.keep_loaded.show_value(str(settings.keep_loaded_minutes))
        if self.instructions.toPlainText() != settings.system_prompt:
            self.instructions.setPlainText(settings.system_prompt)
        self._say_size()

    def take_focus(self) -> None:
        """Put the focus on the name of the open section."""
        self._group.button(self._pages.currentIndex()).setFocus(Qt.FocusReason.OtherFocusReason)

    def hold(self, notices: Notices) -> None:
        """Show the notices at the foot, as long as this page is open."""
        self._notice_place.hold(notices)

    # --- construction -------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Header(Words(self._look, "settings", "title")))
        names = QVBoxLayout()
        names.setContentsMargins(12, 16, 12, 12)
        names.setSpacing(2)
        for text_id, icon, page in self._sections():
            row = PageRow(self._look, text_id, icon)
            self._group.addButton(row, self._pages.count())
            names.addWidget(row)
            self._pages.addWidget(_scrolled(page))
        names.addStretch()
        side = QFrame()
        side.setObjectName("settings-list")
        side.setMinimumWidth(_LIST)  # wider with larger text
        side.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        side.setLayout(names)
        row_of_two = QHBoxLayout()
        row_of_two.setSpacing(0)
        row_of_two.addWidget(side)
        row_of_two.addWidget(self._pages, 1)
        column.addLayout(row_of_two, 1)
        column.addWidget(self._notice_place)
        self._group.button(0).setChecked(True)

    def _sections(self) -> list[tuple[str, str, Section]]:
        return [
            ("section-general", "gear-six", self._general()),
            ("section-appearance", "palette", self._appearance()),
            ("section-chat", "chat-text", self._chat()),
            ("section-history", "clock-counter-clockwise", self.history),
            ("section-models", "stack", self._models()),
            ("section-memory", "gauge", self._memory()),
            ("section-keyboard", "keyboard", self._keyboard()),
        ]

    def _general(self) -> Section:
        look = self._look
        rows = [
            SettingRow(look, "setting-language", "", self.language),
            SettingRow(look, "setting-autoload", "setting-autoload-about", self.autoload),
        ]
        return Section(look, "section-general", rows)

    def _appearance(self) -> Section:
        look = self._look
        self.text_size.setFixedWidth(220)
        self.text_size.setSingleStep(5)
        self.text_size.setPageStep(10)
        rows = [
            SettingRow(look, "setting-theme", "setting-theme-about", self.theme),
            SettingRow(
                look, "setting-text-size", "setting-text-size-about", self.text_size,
                self._size_words,
            ),
            SettingRow(look, "setting-motion", "setting-motion-about", self.motion),
        ]  # fmt: skip
        return Section(look, "section-appearance", rows)

    def _chat(self) -> Section:
        look = self._look
        self.instructions.setObjectName("form-field")
        self.instructions.setFixedHeight(140)
        self.instructions.setTabChangesFocus(True)
        rows: list[QWidget] = [
            SettingRow(look, "setting-instructions", "setting-instructions-about"),
        ]
        section = Section(look, "section-chat", rows)
        section.column.addWidget(self.instructions)
        return section

    def _models(self) -> Section:
        rows: list[QWidget] = [
            SettingRow(self._look, "setting-folders", "setting-folders-about"),
            FolderRows(self._look, self._shelf),
            SettingRow(self._look, "setting-sources", "setting-sources-about"),
            SourceRows(self._look, self._file, self._shelf),
            SettingRow(self._look, "setting-keep", "setting-keep-about", self.keep_loaded),
            self.hubs,
        ]
        return Section(self._look, "section-models", rows)

    def _memory(self) -> Section:
        look = self._look
        rows = [
            SettingRow(look, "setting-context", "setting-context-about", self.context),
            SettingRow(look, "setting-cache", "setting-cache-about", self.cache),
            SettingRow(look, "setting-threads", "setting-threads-about", self.threads),
        ]
        return Section(look, "section-memory", rows)

    def _keyboard(self) -> Section:
        rows = [KeyRow(self._look, name, keys[0]) for name, keys in all_keys().items()]
        return Section(self._look, "section-keyboard", rows)

    # --- changing -----------------------------------------------------------------------------

    def _connect(self) -> None:
        self._group.idClicked.connect(self._pages.setCurrentIndex)
        self.language.chosen.connect(lambda code: self._change("language", code))
        self.theme.chosen.connect(lambda name: self._change("theme", name))
        self.text_size.valueChanged.connect(self._on_size_changed)
        self.motion.toggled.connect(lambda on: self._change("reduce_motion", on))
        self.autoload.toggled.connect(lambda on: self._change("load_last_model", on))
        self.history.titles.toggled.connect(lambda on: self._change("model_titles", on))
        self.history.copies.chosen.connect(lambda n: self._change("copies_kept", int(n)))
        self.context.chosen.connect(lambda n: self._change("context", int(n)))
        self.cache.chosen.connect(lambda n: self._change("cache_bits", int(n)))
        self.keep_loaded.chosen.connect(lambda n: self._change("keep_loaded_minutes", int(n)))
        self.threads.chosen.connect(lambda n: self._change("threads", int(n)))
        self.instructions.textChanged.connect(self._typing.start)
        self._typing.timeout.connect(self._on_typed)

    def _change(self, name: str, value: object) -> None:
        self._file.change(**{name: value})
        self.changed.emit(name)

    @Slot(int)
    def _on_size_changed(self, percent: int) -> None:
        rounded = round(percent / 5) * 5
        self._say_size()
        if not self.text_size.isSliderDown():
            self._change("text_scale", rounded / 100)

    @Slot()
    def _on_typed(self) -> None:
        self._change("system_prompt", self.instructions.toPlainText().strip())

    def _say_size(self) -> None:
        self._size_words.setText(f"{round(self.text_size.value() / 5) * 5} %")
        self._size_words.setMinimumWidth(max(52, self._size_words.sizeHint().width()))

    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.instructions.setAccessibleName(text("setting-instructions"))
        self.instructions.setPlaceholderText(text("setting-instructions-empty"))


def _scrolled(section: Section) -> QScrollArea:
    """Return a section at its widest of 740 px, scrolling when it is higher than the page."""
    inside = QWidget()
    inside.setObjectName("paper")
    column = QVBoxLayout(inside)
    column.setContentsMargins(32, 20, 32, 24)
    section.setMaximumWidth(_FORM)
    column.addWidget(section)
    column.addStretch(1)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(inside)
    return scroll
