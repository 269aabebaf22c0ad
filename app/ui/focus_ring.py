"""The focus ring: one overlay a window, around whatever has the keyboard's focus.

Style sheets have no outline offset, so the ring is a widget of its own, transparent to the mouse.
It shows only when the focus was moved by keyboard. Fields, editors and lists are left out: they
show the focus themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from app.ui.theme import Theme

KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_SHOW_IT_THEMSELVES = (QAbstractItemView, QLineEdit, QPlainTextEdit, QTextEdit, QMenu)
_AWAY = 4  # the ring's outer edge: 2 px away from the control, 2 px wide
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)


class FocusRing(QWidget):
    """Follows the focus inside one window."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._target: QWidget | None = None
        self._watched: list[QWidget] = []
        self._by_keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        theme.changed.connect(self.update)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    def watch_input(self) -> None:
        """Tell keyboard from mouse from now on; the window must have been shown once.

        The filter sits on the native window: it sees every key and button once, and none of the
        thousands of events between widgets.
        """
        handle = self.window().windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note what the user last touched; follow the target as it moves."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress:
            self._by_keyboard = True
        elif kind == QEvent.Type.MouseButtonPress:
            self._by_keyboard = False
            self.hide()
        elif kind in _MOVES and watched in self._watched:
            self._follow()
        return False

    def surround(self, target: QWidget | None) -> None:
        """Draw the ring around a widget of this window, or nowhere."""
        for watched in self._watched:
            watched.removeEventFilter(self)
        self._watched = []
        self._target = target
        if target is None:
            self.hide()
            return
        target.destroyed.connect(self._on_target_destroyed)
        self._watched = list(_up_to(target, self.window()))
        for watched in self._watched:
            watched.installEventFilter(self)
        self._follow()

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        ours = now is not None and now.window() is self.window()
        wanted = ours and self._by_keyboard and not isinstance(now, _SHOW_IT_THEMSELVES)
        self.surround(now if wanted else None)

    @Slot()
    def _on_target_destroyed(self) -> None:
        self._target = None
        self._watched = []
        self.hide()

    def _follow(self) -> None:
        """Lie around the target where it can be seen."""
        target = self._target
        if target is None or not target.isVisible():
            self.hide()
            return
        corner = target.mapTo(self.window(), QPoint(0, 0))
        area = QRect(corner, target.size()).adjusted(-_AWAY, -_AWAY, _AWAY, _AWAY)
        self.setGeometry(area)
        self.raise_()
        self.setVisible(not target.visibleRegion().isEmpty())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint two pixels of focus colour, rounded 3 px more than the control."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("focus"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, 9)


def _up_to(widget: QWidget, window: QWidget) -> Iterator[QWidget]:
    """Yield a widget and its parents below a window: whatever moves the widget on the screen."""
    above: QWidget | None = widget
    while above is not None and above is not window:
        yield above
        above = above.parentWidget()
