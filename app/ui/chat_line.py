"""The line at the top of a chat that is not like the others: not kept, temporary, or a branch."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy

from app.store.standing import Standing
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.store_faults import standing_mark
from app.ui.words import Elided, escaped

_HEIGHT = 38


class ChatLine(QFrame):
    """An icon, a sentence and, at the right end, what can be done; hidden for any other chat."""

    keep_wanted = Signal()
    origin_wanted = Signal()
    save_wanted = Signal()  # as a file, at the button ``save``
    why_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chat-line")
        self._look = look
        self._kind = ""  # "keeping", "temporary", "branch" or none
        self._title: str | None = None
        self._standing: Standing | None = None
        self._signs = {
            "keeping": StatusIcon(look, "warning", "ochre", 16),
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
        self.why = Button(look, "keeping-why", "quiet", size="small")
        self.why.clicked.connect(self.why_wanted)
        self.save = Button(look, "keeping-save", "", size="small")
        self.save.clicked.connect(self.save_wanted)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(8)
        self._row.setContentsMargins(24, 0, 16, 0)
        for sign in self._signs.values():
            self._row.addWidget(sign)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self.origin, 1000, Qt.AlignmentFlag.AlignLeft)
        for button in (self.keep, self.why, self.save):
            self._row.addWidget(button)
        self.hide()
        look.follow(self._on_look_changed)

    def show_nothing(self) -> None:
        """Hide: a chat like any other."""
        self._kind = ""
        self.hide()

    def show_keeping(self, standing: Standing, *, can_save: bool) -> None:
        """Say how this chat is kept, where that is not simply with the others."""
        self._standing = standing
        self._show("keeping")
        self.why.show()
        self.save.setVisible(can_save)

    def show_temporary(self, *, can_keep: bool) -> None:
        """Say that nothing of this chat is on disk."""
        self._show("temporary")
        self.keep.setVisible(can_keep)

    def show_branch(self, title: str | None) -> None:
        """Say which chat this one begins with; None where that one was deleted."""
        self._title = title
        self._show("branch")
        self.origin.setVisible(title is not None)
        self._words.setVisible(title is None)

    def _show(self, kind: str) -> None:
        """Show a line of this kind without buttons."""
        self._kind = kind
        tone = "warning" if kind == "keeping" else ""
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            self.style().unpolish(self)
            self.style().polish(self)
        for button in (self.keep, self.origin, self.why, self.save):
            button.hide()
        self._words.show()
        self._on_look_changed()
        self.show()

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.setFixedHeight(self._look.theme.high(_HEIGHT))
        for kind, sign in self._signs.items():
            sign.setVisible(kind == self._kind)
        if self._kind == "keeping" and self._standing is not None:
            self._words.setText(standing_mark(self._standing, self._look.language))
        elif self._kind == "temporary":
            self._words.setText(text("temporary-about"))
        elif self._title is None:
            self._words.setText(text("branch-origin-deleted"))
        name = " ".join((self._title or "").split()) or text("chat-untitled")
        short = name if len(name) <= 60 else name[:60].rstrip() + "…"
        said = text("branch-origin", title=short)
        self.origin.setText(said.replace("&", "&&"))
        self.origin.setAccessibleName(text("branch-origin", title=name))
        self.origin.setToolTip(escaped(text("chat-branched-back")))
