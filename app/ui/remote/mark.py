"""The mark in the message box that says to whom a message goes, if not to this program itself."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.look import Look
from app.ui.model_words import server_words
from app.ui.status_items import StatusIcon
from app.ui.words import Elided
from engine.library.servers.address import is_here, server_name


class ServerMark(QWidget):
    """Hidden for a model of this program; else an icon and the server's name."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look, self._server = look, ""
        self._icon = StatusIcon(look, "globe", "ochre", 16)
        self._words = Elided("", "small2")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._icon)
        row.addWidget(self._words, 1)
        self.hide()
        look.follow(self._on_look_changed)

    def show_server(self, server: str) -> None:
        """Say which server answers; an empty one is this program."""
        self._server = server
        self.setVisible(bool(server))
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        if not self._server:
            return
        here = is_here(self._server)
        self._icon.show_icon("desktop" if here else "globe", "ink2" if here else "ochre")
        text_id = "remote-mark-here" if here else "remote-mark-away"
        self._words.setText(self._look.language.text(text_id, host=server_name(self._server)))
        self.setToolTip(server_words(self._server, self._look.language))
        self.setAccessibleName(server_words(self._server, self._look.language))
