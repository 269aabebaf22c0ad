"""The line at the top of a chat that is not like the others: a temporary one, or a branch."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, escaped

_HEIGHT = 38


class ChatLine(QFrame):
    """An icon, a sentence and, at the right end, what can be done; hidden for any other chat."""

    keep_wanted = Signal()
    origin_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chat-line")
        self._look = look
        self._kind = ""  # "temporary", "branch" or none
        self._title: str | None = None
        self._signs = {
            "temporary": StatusIcon(look, "hourglass", "ink2", 16),
            "branch": StatusIcon(look, "git-branch", "ink2", 16),
        }
        self._words = Elided("", "small2")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.origin = QPushButton()
        self.origin.setProperty("kind", "link")
        self.origin.clicked.connect(self.origin_wanted)
        self.keep = Button(look, "temporary-keep", "", size="small")
        self.keep.clicked.connect(self.keep_wanted)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(8)
        self._row.setContentsMargins(24, 0, 16, 0)
        for sign in self._signs.values():
            self._row.addWidget(sign)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self.origin, 1000, Qt.AlignmentFlag.AlignLeft)
        self._row.addWidget(self.keep)
        self.hide()
        look.follow(self._on_look_changed)

    def show_nothing(self) -> None:
        """Hide: a chat like any other."""
        self._kind = ""
        self.hide()

    def show_temporary(self, *, can_keep: bool) -> None:
        """Say that nothing of this chat is on disk."""
        self._kind = "temporary"
        self.keep.setVisible(can_keep)
        self.origin.hide()
        self._words.show()
        self._on_look_changed()
        self.show()

    def show_branch(self, title: str | None) -> None:
        """Say which chat this one begins with; None where that one was deleted."""
        self._kind, self._title = "branch", title
        self.keep.hide()
        self.origin.setVisible(title is not None)
        self._words.setVisible(title is None)
        self._on_look_changed()
        self.show()

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.setFixedHeight(self._look.theme.high(_HEIGHT))
        for kind, sign in self._signs.items():
            sign.setVisible(kind == self._kind)
        if self._kind == "temporary":
            self._words.setText(text("temporary-about"))
        elif self._title is None:
            self._words.setText(text("branch-origin-deleted"))
        if self._kind != "temporary":
            name = " ".join((self._title or "").split()) or text("chat-untitled")
            short = name if len(name) <= 60 else name[:60].rstrip() + "…"
            said = text("branch-origin", title=short)
            self.origin.setText(said.replace("&", "&&"))
            self.origin.setAccessibleName(text("branch-origin", title=name))
            self.origin.setToolTip(escaped(text("chat-branched-back")))
