"""Labels: a text of the language that follows it, or plain text that is never read as markup."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.ui.look import Look
from engine.contract import Figure

_LONG_WORD = re.compile(r"\S{25,}")
_PIECE = re.compile(r"[^/\\_.\-]{16}|[/\\_.\-]")


class Plain(QLabel):
    """Text that comes from outside (a title, a file name): shown as it is, tags and all."""

    def __init__(self, text: str = "", kind: str = "small", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("kind", kind)
        self.setText(text)

    def set_kind(self, kind: str) -> None:
        """Change what kind of text it is; the style sheet is asked again."""
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)


class Elided(Plain):
    """One line that ends in an ellipsis where it does not fit; the tooltip has all of it."""

    def setText(self, text: str) -> None:
        """Show a text; line breaks become spaces."""
        super().setText(" ".join(text.split()))
        self._explain()

    def minimumSizeHint(self) -> QSize:
        """Return a width that leaves room for a word and its ellipsis."""
        return QSize(48, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer the whole text as a tooltip when it does not fit any more."""
        super().resizeEvent(event)
        self._explain()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, elided at its end."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.width()
        )
        painter.drawText(self.rect(), int(self.alignment()), shown)

    def _explain(self) -> None:
        fits = self.fontMetrics().horizontalAdvance(self.text()) <= self.width()
        self.setToolTip("" if fits else escaped(self.text()))


class Words(Plain):
    """A text of the language, said again when the language changes."""

    def __init__(self, look: Look, text_id: str, kind: str = "small", **figures: Figure) -> None:
        super().__init__(kind=kind)
        self._look, self._id, self._figures = look, text_id, figures
        look.language.changed.connect(self._on_language_changed)
        self._on_language_changed()

    def say(self, text_id: str, **figures: Figure) -> None:
        """Show another text."""
        self._id, self._figures = text_id, figures
        self._on_language_changed()

    @Slot()
    def _on_language_changed(self) -> None:
        self._say()

    def _say(self) -> None:
        self.setText(self._look.language.text(self._id, **self._figures) if self._id else "")


def wrapped(label: QLabel) -> QLabel:
    """Let a label break its lines, as tall as the width asks for."""
    label.setWordWrap(True)
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label


def breakable(text: str) -> str:
    """Return text whose long words, such as paths and hashes, may break where no sign is seen.

    A label is never narrower than its longest word, and what stands beside it would be cut off.
    """
    return _LONG_WORD.sub(lambda word: _PIECE.sub("\\g<0>\u200b", word[0]), text)


def in_a_row(*sentences: str) -> str:
    """Return sentences one after the other; full-width signs bring their own gap."""
    text = ""
    for sentence in sentences:
        gap = " " if text and sentence and text[-1].isascii() else ""
        text += gap + sentence
    return text


def escaped(text: str) -> str:
    """Return text for a place that Qt would read as markup, such as a tooltip."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
