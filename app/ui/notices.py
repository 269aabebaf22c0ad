"""Notices: what the user must be told, above the message box, each with its remedy as a button."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import Language
from app.ui.buttons import Button, Tool
from app.ui.faults import FaultText
from app.ui.look import Look
from app.ui.spoken import speak
from app.ui.status_items import StatusIcon
from app.ui.words import escaped, wrapped


class Tone(StrEnum):
    """How much a notice matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_ICONS = {
    Tone.ERROR: ("warning-circle", "cinnabar"),
    Tone.WARNING: ("warning", "ochre"),
    Tone.INFO: ("info", "azurite"),
}


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a notice says, in whatever language is used when it is said, and what its button does.

    ``key`` names what it is about: a new notice takes the place of an older one with its key.
    ``ask`` is the text of a second, quiet button and what it does.
    ``lasts_ms`` is how long it stays without being dismissed; 0 is until it is.
    ``of_chats`` says that it is about chats: beside another page it would only be in the way.
    """

    key: str
    tone: Tone
    phrase: Callable[[Language], FaultText]
    act: Callable[[], object] | None = None
    lasts_ms: int = 0
    ask: tuple[str, Callable[[], object]] | None = None
    of_chats: bool = False


class NoticeBar(QFrame):
    """One notice: sign, sentence with its lead in bold, remedy, cross."""

    dismissed = Signal(str)

    def __init__(self, look: Look, announcement: Announcement) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setProperty("tone", announcement.tone.value)
        self._look, self._announcement = look, announcement
        self.is_of_chats = announcement.of_chats
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setProperty("kind", "small")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        wrapped(self._words)
        self._words.setContentsMargins(0, 4, 0, 4)  # one line is as high as the button
        self._button = QPushButton()
        self._button.setProperty("kind", "main" if announcement.tone is Tone.ERROR else "")
        self._button.setProperty("scale", "small")
        self._button.clicked.connect(self._on_acted)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 7, 10, 7)
        row.setSpacing(12)
        icon, color = _ICONS[announcement.tone]
        sign = StatusIcon(look, icon, color, 16, tall=26)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self.ask = self._second(announcement.ask)
        if self.ask is not None:
            row.insertWidget(row.indexOf(self._button), self.ask, 0, Qt.AlignmentFlag.AlignTop)
        cross = Tool(look, "x", "dismiss", side=26)
        cross.clicked.connect(self._on_dismissed)
        row.addWidget(cross, 0, Qt.AlignmentFlag.AlignTop)
        look.follow(self._on_look_changed)

    def _second(self, ask: tuple[str, Callable[[], object]] | None) -> Button | None:
        """Make the quiet button beside the remedy, where there is one; the notice stays."""
        if ask is None:
            return None
        button = Button(self._look, ask[0], size="small")
        button.clicked.connect(lambda _=False: ask[1]())
        return button

    @Slot()
    def _on_look_changed(self) -> None:
        said = self._announcement.phrase(self._look.language)
        rest = escaped(said.sentence[len(said.lead) :])
        self._words.setText(f"<b>{escaped(said.lead)}</b>{rest}")
        self._words.setAccessibleName(said.sentence)
        self.setAccessibleName(said.sentence)
        self._button.setText(said.action_label)
        self._button.setVisible(bool(said.action_label) and self._announcement.act is not None)

    @Slot()
    def _on_acted(self) -> None:
        act = self._announcement.act
        self._on_dismissed()
        if act is not None:
            act()

    @Slot()
    def _on_dismissed(self) -> None:
        self.dismissed.emit(self._announcement.key)


class Notices(QWidget):
    """The notices that stand now, the newest at the bottom; no more than three.

    Above the message box all of them are seen. At the foot of another page it is the newest one,
    with a line that opens the others, and none that is about chats: those wait for the chat.

    Each is spoken as it comes: an error at once, anything else when the reader has finished.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._bars: dict[str, NoticeBar] = {}
        self._is_beside_chat, self._is_open = True, False
        self.more = QPushButton()
        self.more.setProperty("kind", "link")
        self.more.clicked.connect(self._on_more)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        look.follow(self._fit)
        self.hide()

    def stand_in_chat(self) -> None:
        """Stand above the message box."""
        self._column.setContentsMargins(0, 0, 0, 0)
        self._is_beside_chat, self._is_open = True, False
        self._fit()

    def stand_at_foot(self) -> None:
        """Stand at the foot of another page, with some room above and below."""
        self._column.setContentsMargins(0, 8, 0, 12)
        self._is_beside_chat, self._is_open = False, False
        self._fit()

    def announce(self, announcement: Announcement) -> None:
        """Show a notice, in place of the one with the same key."""
        self.dismiss(announcement.key)
        while len(self._bars) >= 3:
            self.dismiss(next(iter(self._bars)))
        bar = NoticeBar(self._look, announcement)
        bar.dismissed.connect(self.dismiss)
        self._bars[announcement.key] = bar
        self._column.addWidget(bar)
        self._fit()
        said = announcement.phrase(self._look.language).sentence
        speak(self, said, urgent=announcement.tone is Tone.ERROR)
        if announcement.lasts_ms:
            QTimer.singleShot(announcement.lasts_ms, bar, bar._on_dismissed)

    @Slot(str)
    def dismiss(self, key: str) -> None:
        """Take a notice away, if it stands."""
        bar = self._bars.pop(key, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self._fit()

    def keys(self) -> list[str]:
        """Return what the standing notices are about, the oldest first."""
        return list(self._bars)

    @Slot()
    def _on_more(self) -> None:
        self._is_open = not self._is_open
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """Show what has its place here."""
        here = [bar for bar in self._bars.values() if self._is_beside_chat or not bar.is_of_chats]
        is_folded = not self._is_beside_chat and len(here) > 1
        seen = here if self._is_open or not is_folded else here[-1:]
        for bar in self._bars.values():
            bar.setVisible(bar in seen)
        text, others = self._look.language.text, len(here) - 1
        self.more.setText(text("notices-fewer" if self._is_open else "notices-more", count=others))
        self.more.setVisible(is_folded)
        self.setVisible(bool(here))


class NoticePlace(QWidget):
    """Where the notices stand at the foot of a page other than a chat's."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(24, 0, 24, 0)

    def hold(self, notices: Notices) -> None:
        """Take the notices in."""
        notices.stand_at_foot()
        self._row.addWidget(notices)
