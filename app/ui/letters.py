"""Letters for main controls: Alt and a letter uses one, and while Alt is held a cap shows which.

Letters are chosen, not written into the texts: each control takes the first free letter of its
English words, so that none clashes with a neighbour's and both languages have the same. The caps
lie over the window as long as Alt is held; no text has a marked letter, and nothing moves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QAbstractButton, QDialog, QWidget
from shiboken6 import isValid

from app.ui.look import Look

HAS_LETTERS = sys.platform != "darwin"  # Alt types characters there
HOLD_MS = 250  # Alt and Tab go by without a sign
_CAP, _OVER = 18, 6  # px: a cap's side, how far it stands out of its control
_ENDS = {QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress, QEvent.Type.Resize}


class Letters(QWidget):
    """The letters of one window, and the caps that show them."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._letters: dict[QWidget, str] = {}
        self._hold = QTimer(self)
        self._hold.setSingleShot(True)
        self._hold.setInterval(HOLD_MS)
        self._hold.timeout.connect(self._on_held)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def take(self, text_id: str, *controls: QWidget) -> None:
        """Give the first free letter of a text to controls that stand for it, in turn.

        A button is pressed by it, anything else gets the focus. Only what can be seen and used
        answers, so one letter may serve the same verb in two faces of a part.
        """
        if not HAS_LETTERS or all(control in self._letters for control in controls):
            return
        letter = self._free(self._look.language.text_in("en", text_id))
        for control in controls if letter else ():
            self._letters[control] = letter
            if isinstance(control, QAbstractButton):
                control.setShortcut(f"Alt+{letter}")  # a screen reader says it, too
            else:
                keys = QShortcut(QKeySequence(f"Alt+{letter}"), control)
                reason = Qt.FocusReason.ShortcutFocusReason
                keys.activated.connect(partial(control.setFocus, reason))

    def watch_input(self) -> None:
        """Hear of Alt from now on; the window must have been shown once."""
        handle = self.window().windowHandle()
        if handle is not None:
            handle.removeEventFilter(self)
            handle.installEventFilter(self)

    def shown(self) -> dict[str, QWidget]:
        """Return the letters that can be used now, and what each uses."""
        known = self._known().items()
        return {letter: each for each, letter in known if each.isVisible() and each.isEnabled()}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the caps while Alt alone is held."""
        kind = event.type()
        if isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
            self._end()
            if event.key() == Qt.Key.Key_Alt and not event.isAutoRepeat():
                self._hold.start()
        elif kind in _ENDS or (isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Alt):
            self._end()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a cap at the upper left corner of each control."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font("caption-bold"))
        for letter, place in self._places():
            painter.setPen(theme.color("edge"))
            painter.setBrush(theme.color("ink"))
            painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            painter.setPen(theme.color("onInk"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)

    def _places(self) -> Iterator[tuple[str, QRect]]:
        side, room = self._look.theme.px(_CAP), self.rect()
        for letter, control in self.shown().items():
            if control.visibleRegion().isEmpty():
                continue
            corner = control.mapTo(self.window(), QPoint(-_OVER, -_OVER))
            x = min(max(corner.x(), 0), room.width() - side)
            y = min(max(corner.y(), 0), room.height() - side)
            yield letter, QRect(x, y, side, side)

    def _known(self) -> dict[QWidget, str]:
        """Return the letters of what is there still: a dialog may build its rows anew."""
        return {each: letter for each, letter in self._letters.items() if isValid(each)}

    def _free(self, english: str) -> str:
        """Return the first letter that is not taken, those that begin words first."""
        taken = set(self._known().values())
        wishes = (*(word[0] for word in english.split()), *english)
        letters = (each.upper() for each in wishes if each.isascii() and each.isalpha())
        return next((each for each in letters if each not in taken), "")

    def _end(self) -> None:
        self._hold.stop()
        self.hide()

    @Slot()
    def _on_held(self) -> None:
        self.setGeometry(self.window().rect())
        self.raise_()
        self.show()


def letters_of(look: Look, window: QWidget) -> Letters:
    """Return the letters of a window, made now if it has none."""
    found = window.findChild(Letters)
    return found if found is not None else Letters(look, window)


def give_letter(look: Look, button: QAbstractButton, text_id: str) -> None:
    """Give a button a letter where it stands in a dialog: there, each button is a main control."""
    window = button.window()
    if isinstance(window, QDialog):
        letters = letters_of(look, window)
        letters.take(text_id, button)
        letters.watch_input()
