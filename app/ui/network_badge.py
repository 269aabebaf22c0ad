"""The pill that says what leaves this computer, and who else reaches it."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain
from engine.library.servers.address import is_here, server_name


@dataclass(slots=True)
class NetworkUse:
    """What the network is used for now.

    Attributes:
        downloads: how many run, of the queue and of the starter model.
        is_asking: whether a hub is being asked.
        is_switched: whether nothing but this computer may be asked.
        is_served: whether other computers reach the local server.
        server: the address of the model's server; empty for a model of this computer.
    """

    downloads: dict[str, int] = field(default_factory=dict)
    is_asking: bool = False
    is_switched: bool = False
    is_served: bool = False
    server: str = ""


class NetworkBadge(QFrame):
    """Accent while nothing leaves, azurite with what the network is used for."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setObjectName("pill")
        self._icon, self.words = StatusIcon(look, "wifi-slash", "accent"), Plain()
        inside = QHBoxLayout(self)
        inside.setContentsMargins(8, 0, 8, 0)
        inside.setSpacing(6)
        inside.addWidget(self._icon)
        inside.addWidget(self.words)

    def say(self, use: NetworkUse, *, full: bool) -> None:
        """Say it, in few words or fewer."""
        is_busy = sum(use.downloads.values()) > 0 or use.is_asking
        is_away = bool(use.server and not is_here(use.server))
        if is_busy:
            words, icon = self._use_words(use, full=full), "arrow-down"
        elif use.is_served and not is_away:
            words, icon = self._text("status-served", full=full), "broadcast"
        elif use.server:
            where = "away" if is_away else "here"
            text_id = f"remote-{where}" if full else f"remote-badge-{where}"
            host = server_name(use.server)
            words, icon = self._look.language.text(text_id, host=host), "globe"
        else:
            text_id = "status-switched" if use.is_switched else "status-offline"
            words, icon = self._text(text_id, full=full), "wifi-slash"
        if self.words.text() != words:
            self.words.setText(words)
            self.setAccessibleName(words)
        self._dress(icon, is_online=is_busy or is_away or use.is_served)

    def _use_words(self, use: NetworkUse, *, full: bool) -> str:
        text, count = self._look.language.text, sum(use.downloads.values())
        if not full:
            return text("status-network-short")
        return text("status-network", count=count) if count else text("status-asking")

    def _text(self, text_id: str, *, full: bool) -> str:
        return self._look.language.text(f"{text_id}-all" if full else text_id)

    def _dress(self, icon: str, *, is_online: bool) -> None:
        self._icon.show_icon(icon, "azurite" if is_online else "accent")
        tone = "network" if is_online else "offline"
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            for widget in (self, self.words):
                widget.style().unpolish(widget)
                widget.style().polish(widget)
