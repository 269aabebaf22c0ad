"""Settings of hubs and downloads: the server, the token, the limit."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.store.settings import SettingsFile
from app.ui.buttons import Button
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.settings_rows import SettingRow, rule
from app.ui.words import Plain

_LIMITS = {"0": "limit-none", **{str(n): f"limit-{n}" for n in (500, 2000, 10_000)}}  # kB/s
_FIELD = 240  # px


class HubRows(QWidget):
    """Three rows of the settings page."""

    limit_changed = Signal()
    token_given = Signal(str)

    def __init__(self, look: Look, settings: SettingsFile) -> None:
        super().__init__()
        self._look, self._settings = look, settings
        self.server, self.token = QLineEdit(), QLineEdit()
        self.server.setText(settings.settings.hub_endpoint)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.save = Button(look, "setting-token-save")
        self._said = Plain("", "caption2")
        self._said.hide()
        self.limit = ChoiceButton(look, "setting-limit", _LIMITS)
        self.limit.show_value(str(settings.settings.download_limit))
        for field in (self.server, self.token):
            field.setFixedWidth(_FIELD)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(SettingRow(look, "setting-hub", "setting-hub-about", self.server))
        column.addWidget(rule())
        token = SettingRow(look, "setting-token", "setting-token-about", self.token, self.save)
        column.addWidget(token)
        column.addWidget(self._said)
        column.addWidget(rule())
        column.addWidget(SettingRow(look, "setting-limit", "setting-limit-about", self.limit))
        self.server.editingFinished.connect(self._on_server_given)
        self.save.clicked.connect(self._on_token_given)
        self.limit.chosen.connect(self._on_limit_chosen)
        look.follow(self._on_look_changed)

    def show_kept(self, secret: str, *, kept: bool) -> None:
        """Say where a token is now."""
        held = "setting-token-kept" if kept else "setting-token-held"
        self._said.setText(self._look.language.text(held if secret else "setting-token-gone"))
        self._said.show()
        self.token.clear()

    @Slot()
    def _on_server_given(self) -> None:
        self._settings.change(hub_endpoint=self.server.text().strip())

    @Slot()
    def _on_token_given(self) -> None:
        self.token_given.emit(self.token.text().strip())

    @Slot(str)
    def _on_limit_chosen(self, value: str) -> None:
        self._settings.change(download_limit=int(value))
        self.limit.show_value(value)
        self.limit_changed.emit()

    @Slot()
    def _on_look_changed(self) -> None:
        self.server.setAccessibleName(self._look.language.text("setting-hub"))
        self.token.setAccessibleName(self._look.language.text("setting-token"))
