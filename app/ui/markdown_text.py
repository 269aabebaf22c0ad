"""A short text in Markdown that may still grow, read-only, without pictures."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QFrame, QTextEdit

from app.ui.look import Look

_DRAW_MS = 60  # so often a growing text is laid out anew


class MarkdownText(QTextEdit):
    """Text in Markdown; nothing that it names is loaded.

    Args:
        look: theme and language.
        name_id: what it is called for screen readers.
    """

    def __init__(self, look: Look, name_id: str) -> None:
        super().__init__()
        self._look, self._text, self._name_id = look, "", name_id
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(20)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_DRAW_MS)
        self._soon.timeout.connect(self._draw)
        look.follow(self._on_look_changed)

    @property
    def text(self) -> str:
        """What is shown, or will be in a moment."""
        return self._text

    def show_text(self, text: str) -> None:
        """Show a text, as far as it has come."""
        self._text = text
        if not self._soon.isActive():
            self._soon.start()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load no picture, from wherever."""
        return None

    @Slot()
    def _draw(self) -> None:
        bar = self.verticalScrollBar()
        was_at_end, before = bar.value() >= bar.maximum() - 4, bar.value()
        dialect = QTextDocument.MarkdownFeature.MarkdownDialectGitHub
        self.document().setMarkdown(
            self._text, dialect | QTextDocument.MarkdownFeature.MarkdownNoHTML
        )
        self._calm_headings()
        bar.setValue(bar.maximum() if was_at_end else before)

    def _calm_headings(self) -> None:
        """Let headings be bold lines with room above: the text stands in a small window."""
        font = self._look.theme.font("body")
        font.setBold(True)
        strong, apart = QTextCharFormat(), QTextBlockFormat()
        strong.setFont(font)
        strong.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel():
                apart.setTopMargin(self._look.theme.px(8 if block.blockNumber() else 0))
                cursor = QTextCursor(block)
                cursor.mergeBlockFormat(apart)
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(strong)
            block = block.next()

    @Slot()
    def _on_look_changed(self) -> None:
        self.document().setDefaultFont(self._look.theme.font("body"))
        self.setAccessibleName(self._look.language.text(self._name_id))
        self._draw()
