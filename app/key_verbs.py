"""What each key of the map does, of everything that the program has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.ui.key_sheet import open_key_sheet

if TYPE_CHECKING:
    from app.application import Application


def key_verbs(program: Application) -> dict[str, Callable[[], object]]:
    """Return the verbs by their names in ``ui/keys.py``."""
    chats, window, sizes = program.chats_on_screen, program.window, program.settings_on_screen
    return {
        "chat-new": chats.new,
        "temporary-new": chats.new_temporary,
        "chats-search": window.parts.sidebar.begin_search,
        "answer-again": window.parts.chat.answer_again,
        "key-message": window.go_to_message,
        "file-attach": program.files_on_screen.pick,
        "key-copy-reply": chats.copy_reply,
        "key-next-chat": lambda: chats.step(1),
        "key-previous-chat": lambda: chats.step(-1),
        "key-rename": chats.rename_open,
        "undo": program.deeds.undo,
        "key-delete": program.list_on_screen.delete_open,
        "key-pick-model": window.parts.chat.header.picker.open_menu,
        "models": lambda: window.show_page("models"),
        "settings": lambda: window.show_page("settings"),
        "key-sidebar": window.parts.sidebar.toggle,
        "key-inspector": program.inspector_on_screen.toggle,
        "key-larger": lambda: sizes.scale_text(1),
        "key-smaller": lambda: sizes.scale_text(-1),
        "key-usual-size": lambda: sizes.scale_text(0),
        "key-sheet": lambda: open_key_sheet(program.look, window),
        "quit": window.quit,
    }
