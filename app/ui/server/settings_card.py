"""How the server listens and whom it answers: the catalogue's settings, with the way to restart."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, Qt, Slot
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout

from app.chat.serving import Serving
from app.store.settings import SettingsFile
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import CatalogueRow, SettingRow, rule
from app.ui.words import Plain, Words, wrapped
from engine.contract.ranges import SERVING
from engine.contract.setting import Value

_KEY = r"[!-~]{8,200}"
"""A key that fits into a header, and that is not a word."""


class ServerSettingsCard(QFrame):
    """One row a setting; what holds only from the next start says so, with a button."""

    def __init__(self, look: Look, serving: Serving, settings: SettingsFile) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look, self._serving, self._file = look, serving, settings
        self.rows = {each.key: CatalogueRow(look, each, says_when=False) for each in SERVING}
        self.meaning = wrapped(Plain("", "small2"))
        self.outdated = wrapped(Words(look, "settings-restart", "small"))
        self.restart = Button(look, "settings-restart-now", size="small")
        self.own_key = QLineEdit()
        self.own_key.setMinimumWidth(180)
        pattern = QRegularExpression(_KEY)
        self.own_key.setValidator(QRegularExpressionValidator(pattern, self.own_key))
        self.use_key = Button(look, "server-own-key-use")
        self.use_key.setEnabled(False)
        self._lay_out()
        for row in self.rows.values():
            row.chosen.connect(self._on_chosen)
        self.restart.clicked.connect(serving.restart)
        self.own_key.textChanged.connect(self._on_typed)
        self.own_key.returnPressed.connect(self._on_use_key)
        self.use_key.clicked.connect(self._on_use_key)
        settings.listen(self._on_file_changed)
        serving.changed.connect(self._on_changed)
        look.follow(self._on_changed)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 16)
        column.setSpacing(0)
        column.addWidget(Words(self._look, "server-settings", "name"))
        column.addWidget(wrapped(Words(self._look, "server-settings-about", "small2")))
        head = QHBoxLayout()
        head.setContentsMargins(0, 8, 0, 0)
        head.addWidget(self.outdated, 1)
        head.addWidget(self.restart, 0, Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(head)
        for key, row in self.rows.items():
            column.addWidget(row)
            if key == "server_address":
                column.addWidget(self.meaning)
                column.addSpacing(8)
            if key != "server_reach":
                column.addWidget(rule())
        own = SettingRow(
            self._look, "server-own-key", "server-own-key-about", self.own_key, self.use_key
        )
        column.addWidget(own)

    @Slot(str, object)
    def _on_chosen(self, key: str, value: Value) -> None:
        self._file.change(**{key: value})

    def _on_file_changed(self, names: frozenset[str]) -> None:
        if names & self.rows.keys():
            self._show()

    @Slot()
    def _on_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        """Show what is set, what it means, and whether the server would be another now."""
        settings, text = self._file.settings, self._look.language.text
        for key, row in self.rows.items():
            row.show_value(getattr(settings, key))
        self.rows["server_address"].setVisible(settings.server_reach == "address")
        asks = self.rows["server_asks_key"]
        asks.setEnabled(self._serving.may_go_without_key)
        if not asks.isEnabled():
            asks.control.show_value(True)
        self.meaning.setText(text(f"server-means-{self._serving.meaning}"))
        is_outdated = self._serving.is_outdated
        self.outdated.setVisible(is_outdated)
        self.restart.setVisible(is_outdated)
        self.own_key.setAccessibleName(text("server-own-key"))
        self.own_key.setPlaceholderText(text("server-own-key-empty"))

    @Slot()
    def _on_typed(self) -> None:
        self.use_key.setEnabled(self.own_key.hasAcceptableInput())

    @Slot()
    def _on_use_key(self) -> None:
        if self.own_key.hasAcceptableInput():
            self._serving.renew_key(self.own_key.text())
            self.own_key.clear()
