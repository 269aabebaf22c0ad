"""The text that the model reads of a file, to be looked at."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.attachment import Attachment, Extent
from app.ui.attachments.file_words import amount
from app.ui.attachments.found_in_text import FoundInText
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Elided, Plain, Words, wrapped


class PreviewDialog(QDialog):
    """Name, amount and text of one attachment, exactly as the model gets it.

    Args:
        look: of the window.
        attachment: what is shown.
        parent: the window.
        words: that were looked for: marked, and the first place in view.
    """

    def __init__(
        self, look: Look, attachment: Attachment, parent: QWidget | None, words: str = ""
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = " ".join(attachment.name.split())
        self.setWindowTitle(name)
        self.text = QPlainTextEdit(attachment.text)
        self.text.setObjectName("form-field")
        self.text.setReadOnly(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self.text.setFont(look.theme.font("code"))
        self.text.setAccessibleName(look.language.text("file-preview", name=name))
        about = "file-preview-about"
        if attachment.extent is not Extent.WHOLE:
            about = "file-preview-part"
        close = Button(look, "file-close", "main")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        if words:
            self.found = FoundInText(look, self.text, words)
            foot.addWidget(self.found)
        foot.addStretch()
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Elided(name, "title"))
        column.addWidget(Plain(amount(attachment, look.language), "small2"))
        column.addWidget(wrapped(Words(look, about, "caption2")))
        column.addWidget(self.text, 1)
        column.addLayout(foot)
        self.resize(680, 560)
        QTimer.singleShot(0, self.text, self.text.setFocus)


def open_preview(
    look: Look, attachment: Attachment, parent: QWidget, words: str = ""
) -> PreviewDialog:
    """Open the preview of an attachment over a window, at the first place of words."""
    dialog = PreviewDialog(look, attachment, parent.window(), words)
    dialog.open()
    return dialog
