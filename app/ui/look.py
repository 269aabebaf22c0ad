"""What nearly every widget needs: the theme and the language, and to hear when either changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.language import Language
from app.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Look:
    """Theme and language together."""

    theme: Theme
    language: Language

    def follow(self, update: Callable[[], None]) -> None:
        """Call ``update`` now, and whenever the theme or the language has changed.

        ``update`` must be a bound method of a QObject: Qt ends the connection with the object. A
        slot that a subclass overrides is called even then (PySide 6.11); let it call a plain
        method that subclasses override.
        """
        self.theme.changed.connect(update)
        self.language.changed.connect(update)
        update()
