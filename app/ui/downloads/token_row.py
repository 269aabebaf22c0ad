"""The token of a hub on the settings page: it goes to the keyring, and no file ever has it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import SettingRow
from app.ui.words import Plain

_FIELD = 200  # px
_TOKENS = "https://huggingface.co/settings/tokens"  # of the hub itself: no mirror makes them


class TokenRow(SettingRow):
    """A field for a token, and what became of it."""

    token_given = Signal(str)

    def __init__(self, look: Look) -> None:
        self.token, self.save = QLineEdit(), Button(look, "setting-token-save")
        self.make = Button(look, "setting-token-make", "link")
        self._said = Plain("", "caption2")
        super().__init__(
            look, "setting-token", "setting-token-about", self.token, self.save, below=self._said
        )
        self.words.addWidget(self.make, 0, Qt.AlignmentFlag.AlignLeft)
        self.make.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(_TOKENS)))
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setFixedWidth(_FIELD)
        self._said.hide()
        self.save.clicked.connect(self._on_token_given)
        look.follow(self._on_look_changed)

    def show_kept(self, secret: str, *, kept: bool) -> None:
        """Say where a token is now."""
        held = "setting-token-kept" if kept else "setting-token-held"
        self._said.setText(self._look.language.text(held if secret else "setting-token-gone"))
        self._said.show()
        self.token.clear()

    @Slot()
    def _on_token_given(self) -> None:
        self.token_given.emit(self.token.text().strip())

    @Slot()
    def _on_look_changed(self) -> None:
        self.token.setAccessibleName(self._look.language.text("setting-token"))
