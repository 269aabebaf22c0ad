"""The keyboard map: shortcuts are bound from it, settings and the sheet of keys list it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.ui.letters import HAS_LETTERS

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
    "key-sheet": "F1",
    "quit": "Ctrl+Q",
}
# bound where they are of use: the message box, the edit box, the conversation, the list of chats
FIELD_KEYS = {
    "send": "Enter",
    "key-line-break": "Shift+Enter",
    "key-templates": "/",
    "key-edit-last": "Up",
    "key-save-edit": "Ctrl+Enter",
    "transcript-find-hint": "Ctrl+F",
    "key-delete-row": "Del",
    "stop": "Esc",
} | ({"key-letters": "Alt"} if HAS_LETTERS else {})
# bound for the window, too, but a field with something of its own to undo keeps it
LEFT_TO_FIELDS = {"undo": "Ctrl+Z"}
_ALSO_OVER_MENUS = frozenset({"quit"})
_ALSO = {"key-larger": ("Ctrl+=",), "key-sheet": ("Ctrl+/",)}


def all_keys() -> dict[str, tuple[str, ...]]:
    """Return the whole map: what is done, as a text of the language, and every key for it."""
    whole = {**FIELD_KEYS, **KEYS, **LEFT_TO_FIELDS}
    return {name: (keys, *_ALSO.get(name, ())) for name, keys in whole.items()}


def bind(window: QWidget, verbs: Mapping[str, Callable[[], object]]) -> None:
    """Bind every key of the map to its verb, for the whole window.

    Raises:
        KeyError: a verb is missing.
    """
    for name, keys in {**KEYS, **LEFT_TO_FIELDS}.items():
        for sequence in (keys, *_ALSO.get(name, ())):
            shortcut = QShortcut(QKeySequence(sequence), window)
            # an open menu is a window of its own: only what holds for the program passes it
            everywhere = name in _ALSO_OVER_MENUS
            context = Qt.ShortcutContext
            shortcut.setContext(
                context.ApplicationShortcut if everywhere else context.WindowShortcut
            )
            shortcut.activated.connect(verbs[name])
