"""Where the window stands, kept over an end of the program.

Qt moves a restored window down by the height of a title bar (24 px) where its top would be hidden,
also where no window manager draws one; what is saved says whether there was a frame.
"""

from __future__ import annotations

import base64
import binascii

from PySide6.QtCore import QByteArray, QDataStream, QIODevice, QMargins, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

_HANDLE = (120, 24)  # px of the upper edge that must be on a screen
_TITLE_BAR = 12  # px: less is a border, or nothing
_FRAME = QMargins(2, 32, 2, 2)  # px of a window manager's, not known before the window is shown


def saved_place(window: QWidget) -> str:
    """Return the window's place and size as text."""
    return base64.b64encode(bytes(window.saveGeometry().data())).decode("ascii")


def restore_place(window: QWidget, text: str) -> None:
    """Put the window where it was; what is no place leaves it where it is."""
    try:
        place = QByteArray(base64.b64decode(text, validate=True))
    except binascii.Error:
        return
    if not place.isEmpty() and window.restoreGeometry(place):
        framed, inner = _rectangles(place)
        on_screen = QGuiApplication.screenAt(framed.topLeft()) is not None
        as_usual = not window.isMaximized() and not window.isFullScreen()
        if inner.top() - framed.top() < _TITLE_BAR and on_screen and as_usual:
            window.move(framed.topLeft())
    _keep_reachable(window)


def fit_to_screen(window: QWidget) -> None:
    """Make a window that is not shown yet no larger than its screen has room for with a frame."""
    room = window.screen().availableGeometry().marginsRemoved(_FRAME)
    fitting = window.size().boundedTo(room.size()).expandedTo(window.minimumSize())
    if fitting != window.size() and not window.isMaximized() and not window.isFullScreen():
        window.resize(fitting)
        if not room.contains(window.geometry()):
            window.move(window.screen().availableGeometry().topLeft())


def _keep_reachable(window: QWidget) -> None:
    """Bring a window back whose upper edge, by which it is moved, lies on no screen any more."""
    handle = window.frameGeometry()
    handle.setHeight(_HANDLE[1])
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    seen = [screen.intersected(handle) for screen in screens]
    if any(part.width() >= _HANDLE[0] and part.height() >= _HANDLE[1] // 2 for part in seen):
        return
    primary = QGuiApplication.primaryScreen().availableGeometry()
    size = window.size().boundedTo(primary.size())
    window.resize(size)
    place = QRect(primary.topLeft(), size)
    place.moveCenter(primary.center())
    window.move(place.topLeft())


def _rectangles(place: QByteArray) -> tuple[QRect, QRect]:
    """Read the rectangles with and without frame from what ``saveGeometry`` wrote."""
    stream = QDataStream(place, QIODevice.OpenModeFlag.ReadOnly)
    stream.setVersion(QDataStream.Version.Qt_4_0)
    stream.readUInt32()  # magic number
    stream.readUInt32()  # version
    framed, inner = QRect(), QRect()
    stream >> framed >> inner
    return framed, inner
