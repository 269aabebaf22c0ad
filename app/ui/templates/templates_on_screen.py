"""Prompts between settings and message box: offered after a slash, filled in, edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.templates import Template, templates_of, variables
from app.store.settings import SettingsFile
from app.ui.carrying import CarryingFiles
from app.ui.file_saving import FileSaving
from app.ui.look import Look
from app.ui.parts import Parts
from app.ui.templates.popup import TemplatePopup

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage

_BUILT_IN = ("translate", "summarise", "explain", "rewrite")


class TemplatesOnScreen(QObject):
    """Answers the list, the questions and the editor."""

    def __init__(self, look: Look, parts: Parts, settings: SettingsFile, files: FileSaving) -> None:
        page = parts.chat
        super().__init__(page)
        self._files = CarryingFiles(files, "templates-title", "prompts.json", self)
        self._look, self._page, self._settings = look, page, settings
        self.popup = TemplatePopup(look, page, page.box.field)
        self.popup.chosen.connect(self._on_chosen)
        self.popup.edit_wanted.connect(self._on_edit_wanted)
        parts.settings_built.connect(self._on_settings_built)
        look.follow(self._refresh)

    @Slot()
    def edit(self) -> None:
        """Open the editor."""
        from app.ui.templates.editor import TemplatesDialog  # noqa: PLC0415 - at the wish

        dialog = TemplatesDialog(
            self._look, self._settings.settings.templates, self._built_in(), self._page.window()
        )
        dialog.changed.connect(self._on_changed)
        self._files.serve(dialog)
        dialog.open()

    @Slot()
    def _on_edit_wanted(self) -> None:
        self._page.box.field.write("")  # the slash that opened the list
        self.edit()

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.library.prompts.clicked.connect(self.edit)

    def _built_in(self) -> list[Template]:
        text = self._look.language.text
        return [
            Template(text(f"template-{name}"), text(f"template-{name}.text"), is_own=False)
            for name in _BUILT_IN
        ]

    @Slot()
    def _refresh(self) -> None:
        kept = self._settings.settings.templates
        self.popup.show_templates(templates_of(kept, self._built_in()))

    @Slot(list)
    def _on_changed(self, kept: list[str]) -> None:
        self._settings.change(templates=tuple(kept))
        self._refresh()

    @Slot(object)
    def _on_chosen(self, template: Template) -> None:
        """Put the prompt into the box, its variables asked for first."""
        box = self._page.box
        if not variables(template.text):
            box.propose(template.text)
            return
        from app.ui.templates.asking import VariablesDialog  # noqa: PLC0415 - at the wish

        dialog = VariablesDialog(self._look, template, self._page.window())
        dialog.answered.connect(box.propose)
        dialog.open()
