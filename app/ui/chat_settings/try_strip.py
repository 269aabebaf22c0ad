"""The strip "Try it": which words may come next by the settings, and how likely each would be."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.chat.trying import WORDS, TriedWord, TryPhase
from app.ui.inspector.cells import shown
from app.ui.inspector.odds import percent
from app.ui.look import Look
from app.ui.meters import FillBar
from app.ui.spoken import speak
from app.ui.words import Elided, Plain, Words, wrapped

_WORD, _GAP = 96, 16  # px: the narrowest that a word's column may be, and between two
_LEAST = 2  # words that are shown however narrow it is


def word_shown(raw: bytes) -> str:
    """Return a token without the space before it, which every word of a sentence has."""
    return shown(raw[1:] if raw[:1] == b" " and raw.strip() else raw)


class WordOdds(QWidget):
    """A word with its odds, a bar, and what they were."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.name, self.odds = Elided("", "small"), Plain("", "small-bold")
        self.was = Elided("", "caption2")
        self._bar = FillBar(look.theme, 0)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.name, 1)
        head.addWidget(self.odds)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._bar)
        column.addWidget(self.was)

    def show_word(self, word: TriedWord) -> str:
        """Show a word, struck through where it is cut; return how that is said."""
        text, is_cut = self._look.language.text, word.share <= 0
        self.name.setText(word_shown(word.raw))
        self.name.set_kind("struck" if is_cut else "small")
        self.odds.setText(text("inspector-cut") if is_cut else percent(word.share))
        self.odds.set_kind("small2" if is_cut else "small-bold")
        before = percent(word.usual) if word.usual > 0 else text("inspector-cut")
        self.was.setText(text("try-was", odds=before))
        self._bar.show_share(word.share)
        said = f"{self.name.text()}: {self.odds.text()}, {self.was.text()}"
        self.setAccessibleName(said)
        return said


class TryStrip(QFrame):
    """Words beside each other, as many as there is room for; or one sentence why there are none."""

    watched = Signal(bool)  # it came into sight, or went

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("strip")
        self._look = look
        self._said = ""
        self._phase, self._model = TryPhase.NONE, ""
        self._words: tuple[TriedWord, ...] = ()
        self.state, self.message = Elided("", "caption2"), wrapped(Plain("", "small2"))
        self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.message.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.columns = [WordOdds(look) for _ in range(WORDS)]
        row = QWidget()
        words = QHBoxLayout(row)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(_GAP)
        for column in self.columns:
            words.addWidget(column, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.message)
        self._stack.addWidget(row)
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(Words(look, "try", "small-bold"), 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(wrapped(Words(look, "try-shown", "small")), 3)
        head.addWidget(self.state, 2, Qt.AlignmentFlag.AlignTop)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(16, 10, 16, 10)
        column_of_all.setSpacing(8)
        column_of_all.addLayout(head)
        column_of_all.addWidget(self._stack)
        look.follow(self._on_look_changed)

    def show_state(self, phase: TryPhase, words: tuple[TriedWord, ...], model: str) -> None:
        """Show words with the model that has them, or why there are none."""
        self._phase, self._words, self._model = phase, words, model
        self._on_look_changed()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that somebody looks."""
        super().showEvent(event)
        self.watched.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that nobody looks any more."""
        super().hideEvent(event)
        self.watched.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many words as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - 32 + _GAP
        fitting = max(_LEAST, room // (self._look.theme.px(_WORD) + _GAP))
        for number, column in enumerate(self.columns):
            column.setVisible(number < min(fitting, max(len(self._words), 1)))

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        said = [
            column.show_word(word) for column, word in zip(self.columns, self._words, strict=False)
        ]
        why = text(f"try-{self._phase.value}", model=self._model)
        self.message.setText(why)
        self.state.setText(why if said else "")
        self._stack.setCurrentIndex(int(bool(said)))
        self._fit()
        if self._phase is TryPhase.LIVE and said and said[0] != self._said:
            self._said = said[0]  # the likeliest alone: a slider that moves says enough by itself
            speak(self, self._said)
