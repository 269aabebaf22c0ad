"""A button that shows what is chosen and opens the menu of what could be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy

from app.language import LANGUAGES
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Plain

THEMES = {"": "theme-system", "light": "theme-light", "dark": "theme-dark"}


class ChoiceButton(QPushButton):
    """One of several values, each with a text of the language or, given with "=", a fixed one.

    Args:
        look: theme and language.
        name_id: what is chosen here, for screen readers and the tooltip.
        options: value to text id; ``"=中文"`` is shown as it is.
        icon: Phosphor's name, or none.
        kind: of the button: "quiet" in a head, "" in a form.
        now: says what an empty value, the system's choice, comes to; none to say that it is so.
    """

    chosen = Signal(str)

    def __init__(
        self,
        look: Look,
        name_id: str,
        options: Mapping[str, str],
        icon: str = "",
        kind: str = "",
        now: Callable[[], str] | None = None,
    ) -> None:
        super().__init__()
        self._look, self._name_id, self._options = look, name_id, dict(options)
        self._value = next(iter(options))
        self._now = now
        self.setProperty("kind", kind)
        self._words = Plain("", "small2" if kind == "quiet" else "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 0, 9, 0)
        row.setSpacing(7)
        if icon:
            row.addWidget(StatusIcon(look, icon, "ink2", 16))
        row.addWidget(self._words, 1)
        row.addWidget(StatusIcon(look, "caret-down", "ink2", 14))
        for child in (self._words,):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._on_menu_opens)
        self.setMenu(self._menu)
        look.follow(self._on_look_changed)

    @property
    def value(self) -> str:
        """What is chosen."""
        return self._value

    def show_value(self, value: str) -> None:
        """Show another choice, without reporting it."""
        self._value = value
        self._on_look_changed()

    def add_option(self, value: str, text_id: str, *, shown: bool) -> None:
        """Offer one more value, or take it away again."""
        if shown:
            self._options[value] = text_id
        else:
            self._options.pop(value, None)

    def sizeHint(self) -> QSize:
        """Return the size of what is inside."""
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def _text_of(self, value: str) -> str:
        text_id = self._options.get(value, value)
        return text_id[1:] if text_id.startswith("=") else self._look.language.text(text_id)

    @Slot()
    def _on_menu_opens(self) -> None:
        self._menu.clear()
        for value in self._options:
            action = self._menu.addAction(self._text_of(value).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(value == self._value)
            action.triggered.connect(lambda _=False, value=value: self._choose(value))

    def _choose(self, value: str) -> None:
        if value != self._value:
            self.show_value(value)
            self.chosen.emit(value)

    @Slot()
    def _on_look_changed(self) -> None:
        name, value = self._look.language.text(self._name_id), self._text_of(self._value)
        if not self._value and self._now is not None:
            value = self._now()
        self.setFixedHeight(self._look.theme.high(32))
        self._words.setText(value)
        self.setAccessibleName(value if value.startswith(name) else f"{name}: {value}")
        self.updateGeometry()


def language_button(look: Look, kind: str = "") -> ChoiceButton:
    """Return the choice of language, each by its own name."""
    options = {"": "language-system", **{code: f"={name}" for code, name in LANGUAGES.items()}}

    def now() -> str:
        return LANGUAGES[look.language.code]

    quiet = kind == "quiet"
    return ChoiceButton(
        look, "welcome-language", options, "translate", kind, now if quiet else None
    )


def theme_button(look: Look, kind: str = "") -> ChoiceButton:
    """Return the choice of light, dark or the system's."""

    def now() -> str:
        return look.language.text(THEMES[look.theme.name])

    quiet = kind == "quiet"
    return ChoiceButton(look, "welcome-theme", THEMES, "circle-half", kind, now if quiet else None)
