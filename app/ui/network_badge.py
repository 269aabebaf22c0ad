"""The pill at the end of the status line: what leaves this computer, and who else reaches it.

It says what is so now, and the worst of it first: words that go to a server, downloads, questions
to a hub. "Offline" is what the person has switched on; without the switch, what uses the network
may be pressed at any moment, and the pill says no more than that nothing does.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain
from engine.library.servers.address import is_here, server_name


class NetworkBadge(QFrame):
    """Shows what it is told; green while all stays here, blue while something does not."""

    changed = Signal()  # it may want another width

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("pill")
        self._look = look
        self._downloads: dict[str, int] = {}
        self._asking: dict[str, bool] = {}
        self._is_switched = self._is_served = False
        self._server = ""
        self._icon, self.words = StatusIcon(look, "desktop", "accent"), Plain()
        inside = QHBoxLayout(self)
        inside.setContentsMargins(8, 0, 8, 0)
        inside.setSpacing(6)
        inside.addWidget(self._icon)
        inside.addWidget(self.words)

    # --- what it is told ----------------------------------------------------------------------

    def show_downloads(self, count: int, of: str = "queue") -> None:
        """Say that so many downloads use the network, of the queue or of whatever else has some."""
        self._downloads[of] = count
        self.changed.emit()

    def show_asking(self, of: str, *, is_asking: bool) -> None:
        """Say whether somebody elsewhere is asked: a "hub", for an "update", a "server"."""
        self._asking[of] = is_asking
        self.changed.emit()

    def show_switch(self, *, is_on: bool) -> None:
        """Say that nothing but this computer may be asked, whatever is pressed."""
        self._is_switched = is_on
        self.changed.emit()

    def show_served(self, *, is_served: bool) -> None:
        """Say whether other computers reach the local server."""
        self._is_served = is_served
        self.changed.emit()

    def show_server(self, server: str) -> None:
        """Say that messages go to this address, or to none."""
        self._server = server
        self.changed.emit()

    # --- saying it ----------------------------------------------------------------------------

    def say(self, *, full: bool, is_sign: bool = False) -> None:
        """Show all words, or as few as say what matters, or the sign alone, which tells them."""
        words = self._full() if full else self._short()
        if self.words.text() != words:
            self.words.setText(words)
            self.setAccessibleName(words)
        self.words.setVisible(not is_sign)
        self.setToolTip(self._full() if is_sign else "")
        self._icon.show_icon(self._sign(), "azurite" if self._is_online else "accent")
        tone = "network" if self._is_online else "offline"
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            for widget in (self, self.words):
                widget.style().unpolish(widget)
                widget.style().polish(widget)

    @property
    def _is_away(self) -> bool:
        return bool(self._server) and not is_here(self._server)

    @property
    def _count(self) -> int:
        return sum(self._downloads.values())

    @property
    def _asked(self) -> str:
        return next((of for of, is_asking in self._asking.items() if is_asking), "")

    @property
    def _is_online(self) -> bool:
        return self._is_away or self._uses_network or self._is_served

    @property
    def _uses_network(self) -> bool:
        return self._count > 0 or bool(self._asked)

    def _sign(self) -> str:
        if self._is_away:
            return "globe"
        if self._uses_network:
            return "arrow-down"
        if self._is_served:
            return "broadcast"
        return "globe" if self._server else "wifi-slash" if self._is_switched else "desktop"

    def _full(self) -> str:
        text, host = self._look.language.text, server_name(self._server) if self._server else ""
        if self._is_away:
            away = text("remote-away", host=host)
            return text("status-away-also", away=away, count=self._count) if self._count else away
        if self._count:
            return text("status-network", count=self._count)
        if self._asked:
            return text(f"status-asking-{self._asked}")
        if self._is_served:
            return text("status-served-all")
        if self._server:
            return text("remote-here", host=host)
        return text("status-offline-all" if self._is_switched else "status-local-all")

    def _short(self) -> str:
        text = self._look.language.text
        if self._is_away:
            return text("remote-badge-away")
        if self._uses_network:
            return text("status-network-short")
        if self._is_served:
            return text("status-served")
        if self._server:
            return text("remote-badge-here")
        return text("status-offline" if self._is_switched else "status-local")
