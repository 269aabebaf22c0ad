"""Buttons that know their text, icon and shortcut, and follow theme and language."""

from __future__ import annotations

import re
import sys

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.ui.letters import give_letter
from app.ui.look import Look
from app.ui.words import escaped
from engine.contract import Figure

_ICON_GAP = "\u2002"  # an en space: style sheets cannot widen the 4 px between icon and words
_AROUND = 6  # px that a tool leaves free around its icon, both sides together
# what an icon is drawn in on each kind of button
_ICON_COLORS = {"main": "onInk", "danger": "cinnabar", "send": "onInk", "new": "ink"}


def keys_text(keys: str) -> str:
    """Return a shortcut as people read it: ``"Ctrl+N"`` is Ctrl N, or ⌘N on a Mac."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    return native if sys.platform == "darwin" else re.sub(r"\+(?=.)", " ", native)


def tip(look: Look, text: str, keys: str = "") -> str:
    """Return a tooltip: what the control does, and quietly its shortcut."""
    quiet = look.theme.color("stone3").name()
    cap = f"&nbsp;&nbsp;<span style='color:{quiet}'>{keys_text(keys)}</span>" if keys else ""
    return f"<p style='white-space:pre'>{escaped(text)}{cap}</p>"


class Button(QPushButton):
    """A button with words, by ``kind``: "" (normal), main, quiet, danger, link, row, new."""

    def __init__(
        self, look: Look, text_id: str, kind: str = "", icon: str = "", size: str = ""
    ) -> None:
        super().__init__()
        self._look, self._id, self._icon, self._kind = look, text_id, icon, kind
        self._is_folded = False
        self._figures: dict[str, Figure] = {}
        self.setProperty("kind", kind)
        self.setProperty("scale", size)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        look.follow(self._on_look_changed)

    def say(self, text_id: str, icon: str = "", **figures: Figure) -> None:
        """Show another text with its figures, and another icon if one is given."""
        self._id, self._icon, self._figures = text_id, icon or self._icon, figures
        self._on_look_changed()

    def fold(self, *, folded: bool) -> None:
        """Show the icon alone, the text as its tooltip; or both again."""
        self._is_folded = folded
        self._on_look_changed()

    def showEvent(self, event: QShowEvent) -> None:
        """Get a letter where it stands in a dialog."""
        super().showEvent(event)
        if self._id:
            give_letter(self._look, self, self._id)

    @Slot()
    def _on_look_changed(self) -> None:
        self._dress()

    def _dress(self) -> None:
        """Show text and icon in the language and the theme of now."""
        if self._id:
            name = self._look.language.text(self._id, **self._figures)
            letter = self.shortcut()
            shown = f"{_ICON_GAP}{name}" if self._icon else name
            self.setText("" if self._is_folded else shown)
            self.setShortcut(letter)  # another text takes it away
            self.setAccessibleName(name)
            if self._is_folded:
                self.setToolTip(escaped(name))
        if self._icon:
            color = _ICON_COLORS.get(self._kind, "ink2")
            self.setIcon(self._look.theme.icon(self._icon, color))
            side = self._look.theme.px(16)
            self.setIconSize(QSize(side, side))


class Tool(QToolButton):
    """A button with an icon alone; its name is in the tooltip and for screen readers.

    Args:
        look: theme and language.
        icon: Phosphor's name.
        text_id: what it does, in words.
        keys: its shortcut, shown in the tooltip; the key map binds it.
        side: the hit area in pixels.
        icon_size: of the drawn icon, at the usual text size; it grows with it as far as it fits.
        kind: "", "send" or "rail".
    """

    def __init__(
        self,
        look: Look,
        icon: str,
        text_id: str,
        keys: str = "",
        *,
        side: int = 28,
        icon_size: int = 16,
        kind: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._icon, self._id, self._keys = look, icon, text_id, keys
        self._kind = kind
        self._icon_size = icon_size
        self.setProperty("kind", kind)
        self.setFixedSize(side, side)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        look.follow(self._on_look_changed)

    def show_as(self, icon: str, text_id: str, keys: str = "") -> None:
        """Turn into another button, as send turns into stop."""
        self._icon, self._id, self._keys = icon, text_id, keys
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        name = self._look.language.text(self._id)
        self.setAccessibleName(name)
        # without one, a screen reader is given the tooltip, markup and all
        self.setAccessibleDescription(keys_text(self._keys) or name)
        self.setToolTip(tip(self._look, name, self._keys))
        self.setIcon(self._look.theme.icon(self._icon, _ICON_COLORS.get(self._kind, "ink2")))
        most = max(self._icon_size, self.width() - _AROUND)
        side = min(self._look.theme.px(self._icon_size), most)
        self.setIconSize(QSize(side, side))
