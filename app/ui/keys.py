"""The keyboard map: one table; shortcuts are bound from it, the settings page lists it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

# what it does (a text of the language): the keys
KEYS = {
    "chat-new": "Ctrl+N",
    "temporary-new": "Ctrl+Shift+N",
    "chats-search": "Ctrl+K",
    "answer-again": "Ctrl+R",
    "key-message": "Ctrl+L",
    "file-attach": "Ctrl+O",
    "key-copy-reply": "Ctrl+Shift+C",
    "key-next-chat": "Ctrl+PgDown",
    "key-previous-chat": "Ctrl+PgUp",
    "key-rename": "F2",
    "key-delete": "Ctrl+Shift+Backspace",
    "key-pick-model": "Ctrl+M",
    "models": "Ctrl+Shift+M",
    "settings": "Ctrl+,",
    "key-sidebar": "Ctrl+B",
    "key-inspector": "Ctrl+I",
    "key-larger": "Ctrl++",
    "key-smaller": "Ctrl+-",
    "key-usual-size": "Ctrl+0",
    "quit": "Ctrl+Q",
}
# bound by the message box, the edit box and the window: what has a use for them may keep them
FIELD_KEYS = {
    "send": "Enter",
    "key-line-break": "Shift+Enter",
    "key-templates": "/",
    "key-edit-last": "Up",
    "key-save-edit": "Ctrl+Enter",
    "stop": "Esc",
}
_ALSO_OVER_MENUS = frozenset({"quit"})
_ALSO = {"key-larger": ("Ctrl+=",)}


def bind(window: QWidget, verbs: Mapping[str, Callable[[], object]]) -> None:
    """Bind every key of the map to its verb, for the whole window.

    Raises:
        KeyError: a verb is missing.
    """
    for name, keys in KEYS.items():
        for sequence in (keys, *_ALSO.get(name, ())):
            shortcut = QShortcut(QKeySequence(sequence), window)
            # an open menu is a window of its own: only what holds for the program passes it
            everywhere = name in _ALSO_OVER_MENUS
            context = Qt.ShortcutContext
            shortcut.setContext(
                context.ApplicationShortcut if everywhere else context.WindowShortcut
            )
            shortcut.activated.connect(verbs[name])
