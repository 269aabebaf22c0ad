"""A file as a card: what it is, how long, a look at what the model reads, a way to remove it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.chat.attachment import Attachment
from app.ui.attachments.file_words import amount, icon_of
from app.ui.buttons import Tool, tip
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain

_HEIGHT = 30  # px
_NAME = 220  # px, at most


class FileButton(QPushButton):
    """The card's face: icon, name, amount; pressing it opens the preview."""

    def __init__(self, look: Look, name: str, attachment: Attachment | None) -> None:
        super().__init__()
        self._look, self._name, self._attachment = look, " ".join(name.split()), attachment
        self.setProperty("kind", "file")
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        icon = "file-dotted" if attachment is None else icon_of(attachment.kind)
        self._words, self._amount = Plain("", "small"), Plain("", "caption2")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(StatusIcon(look, icon, "ink2", 16))
        row.addWidget(self._words)
        row.addWidget(self._amount)
        for child in (self._words, self._amount):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setEnabled(attachment is not None)
        look.follow(self._on_look_changed)

    def sizeHint(self) -> QSize:
        """Return the size of what is inside."""
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    @Slot()
    def _on_look_changed(self) -> None:
        language = self._look.language
        if self._attachment is None:
            said, named = language.text("file-reading"), "file-reading-name"
        else:
            said, named = amount(self._attachment, language), "file-preview"
        metrics = self._words.fontMetrics()
        self._words.setText(metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, _NAME))
        self._amount.setText(said)
        name = language.text(named, name=self._name)
        self.setAccessibleName(f"{name} · {said}")
        self.setAccessibleDescription(name)
        self.setToolTip(tip(self._look, name))
        self.updateGeometry()


class FileCard(QFrame):
    """A file of the draft, which can be removed."""

    opened = Signal()
    removed = Signal()

    def __init__(self, look: Look, name: str, attachment: Attachment | None) -> None:
        super().__init__()
        self.setObjectName("chip")
        self.setFixedHeight(_HEIGHT)
        self.face = FileButton(look, name, attachment)
        self.face.clicked.connect(self.opened)
        cross = Tool(look, "x", "file-remove", side=24)
        cross.setAccessibleName(look.language.text("file-remove-name", name=name))
        cross.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 3, 0)
        row.setSpacing(0)
        row.addWidget(self.face)
        row.addWidget(cross)


class SentCard(QFrame):
    """A file that was sent: it stays, and can be looked at."""

    opened = Signal(object)  # Attachment

    def __init__(self, look: Look, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sent-file")
        self._attachment = attachment
        self.face = FileButton(look, attachment.name, attachment)
        self.face.clicked.connect(self._on_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.face)

    def set_found(self, found: bool) -> None:
        """Stand out as the file in which something was found."""
        if found != bool(self.property("found")):
            self.setProperty("found", found)
            self.style().unpolish(self)
            self.style().polish(self)

    @Slot()
    def _on_clicked(self) -> None:
        self.opened.emit(self._attachment)
