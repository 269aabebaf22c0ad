"""The settings of a chat between settings file, model and screen: presets, steps, ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelSession
from app.chat.presets import Preset, line_of, presets_of
from app.chat.previewing import PromptPreview
from app.chat.trying import Trying
from app.store.settings import SettingsFile
from app.ui.carrying import CarryingFiles
from app.ui.file_saving import FileSaving
from app.ui.look import Look
from app.ui.parts import Parts
from engine.contract import Fault, Message, PromptRendered, Role, Sampling, Thinking

if TYPE_CHECKING:
    from app.ui.chat_settings.dialog import ChatSettingsDialog
    from app.ui.chat_settings.open_chat_rows import OpenChatRows
    from app.ui.chat_settings.presets_dialog import PresetsDialog
    from app.ui.chat_settings.template_section import TemplateSection
    from app.ui.settings.page import SettingsPage


class ChatSettingsOnScreen(QObject):
    """Opens what the choice of a preset leads to, and keeps presets of one's own."""

    def __init__(
        self,
        look: Look,
        parts: Parts,
        settings: SettingsFile,
        model: ModelSession,
        chats: ChatLibrary,
        files: FileSaving,
    ) -> None:
        super().__init__(parts.chat)
        self._files = CarryingFiles(files, "presets-own", "presets.json", self)
        self._look, self._settings, self._model = look, settings, model
        self._window, self._bar = parts.chat, parts.chat.box.options
        self._trying = Trying(model, chats, self)
        self._section: TemplateSection | None = None
        self._preview = PromptPreview(model, self)
        self._preview.rendered.connect(self._on_rendered)
        self._preview.refused.connect(self._on_refused)
        self._rows: OpenChatRows | None = None
        self._bar.adjust_wanted.connect(self.adjust)
        self._bar.presets_wanted.connect(self.manage)
        parts.settings_built.connect(self._on_settings_built)
        self._refresh()

    @Slot()
    def adjust(self) -> None:
        """Open every setting of the chat."""
        self._open()

    def _open(self) -> ChatSettingsDialog:
        from app.ui.chat_settings.dialog import ChatSettingsDialog  # noqa: PLC0415 - at the wish

        dialog = ChatSettingsDialog(
            self._look, self._bar.options, self._usual(), self._window.window()
        )
        dialog.changed.connect(self._bar.take)
        self._section = dialog.template
        dialog.finished.connect(self._on_closed)
        dialog.template.preview_wanted.connect(self._on_preview_wanted)
        dialog.open()
        dialog.template.ask()
        return dialog

    @Slot()
    def manage(self) -> None:
        """Open the presets of one's own."""
        self._open_presets()

    @Slot()
    def name_new(self) -> None:
        """Have what the chat samples with kept under a new name."""
        self._open_presets().begin()

    @Slot(str)
    def edit_preset(self, name: str) -> None:
        """Open the presets at one of one's own."""
        self._open_presets().choose(name)

    def _open_presets(self) -> PresetsDialog:
        own = presets_of(self._settings.settings.presets)
        now = self._bar.options.sampling or self._usual()
        from app.ui.chat_settings.presets_dialog import PresetsDialog  # noqa: PLC0415 - at the wish

        dialog = PresetsDialog(self._look, own, now, self._window.window())
        dialog.changed.connect(self._on_changed)
        self._files.serve(dialog)
        dialog.open()
        return dialog

    @Slot(str)
    def _on_preview_wanted(self, template: str) -> None:
        """Have the open chat's prompt made; a question stands for an empty chat."""
        session = self._window.session
        if session is not None and session.path():
            messages = session.messages()
        else:
            asked = Message(Role.USER, self._look.language.text("chat-template-question"))
            system = self._bar.options.system
            messages = (*((Message(Role.SYSTEM, system),) if system else ()), asked)
        thinking = self._bar.options.thinking or Thinking.AUTO
        if not self._preview.ask(messages, template, thinking) and self._section is not None:
            self._section.show_no_model()

    @Slot(object)
    def _on_rendered(self, rendered: PromptRendered) -> None:
        if self._section is not None:
            self._section.show_rendered(rendered)

    @Slot(object)
    def _on_refused(self, fault: Fault) -> None:
        if self._section is not None:
            self._section.show_refused(fault)

    @Slot()
    def _on_closed(self) -> None:
        self._section = None

    def _usual(self) -> Sampling:
        loaded = self._model.state.known
        return loaded.default_sampling if loaded is not None else Sampling()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.library.presets.clicked.connect(self.manage)
        from app.ui.chat_settings.try_on_screen import TryOnScreen  # noqa: PLC0415 - with the page

        rows = self._rows = page.open_chat
        TryOnScreen(self._look, rows.tried, self._trying, self._bar)
        rows.changed.connect(self._bar.take)
        rows.instructions_wanted.connect(self._bar.edit_instructions)
        rows.field_wanted.connect(self._on_field_wanted)
        rows.new_preset.clicked.connect(self.name_new)
        rows.preset.edit_wanted.connect(self.edit_preset)
        self._bar.shown.connect(self._show_rows)
        self._window.title_changed.connect(self._show_rows)
        self._model.state_changed.connect(self._show_rows)
        self._refresh()
        self._show_rows()

    @Slot()
    def _show_rows(self) -> None:
        """Show the open chat on the settings page."""
        session, loaded = self._window.session, self._model.state.known
        title = session.row.title if session is not None else ""
        if self._rows is not None:
            self._rows.show_chat(
                title or self._look.language.text("chat-untitled"),
                self._bar.options,
                self._usual(),
            )
            self._rows.show_can_think(loaded is not None and loaded.can_think)

    @Slot(str)
    def _on_field_wanted(self, name: str) -> None:
        self._open().show_field(name)

    @Slot(list)
    def _on_changed(self, presets: list[Preset]) -> None:
        self._settings.change(presets=tuple(map(line_of, presets)))
        self._refresh()

    def _refresh(self) -> None:
        own = presets_of(self._settings.settings.presets)
        self._bar.show_presets(own)
        if self._rows is not None:
            self._rows.show_presets(own)
