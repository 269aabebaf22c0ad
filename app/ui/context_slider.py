"""How long a model's context is to be: a slider in powers of two, and what that means."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.form_controls import Slider
from app.ui.look import Look
from app.ui.model_words import thousands
from app.ui.words import Plain, Words
from engine.contract import ModelFacts

_SHORTEST = 11  # 2^11 tokens
_LONGEST = 17  # where a model does not say
_PAGE = 680  # tokens of a printed page


class ContextSlider(QWidget):
    """The slider with its figure above and its ends below; ``chosen`` when it is let go."""

    moved = Signal()
    chosen = Signal(int)  # tokens

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._facts: ModelFacts | None = None
        self.slider = Slider(look, "setting-context", _SHORTEST, _LONGEST, 13)
        self.words = Plain("", "small-bold")
        self._least, self._pages, self._most = (Plain("", "caption2") for _ in range(3))
        self._lay_out()
        self.slider.valueChanged.connect(self._on_moved)
        self.slider.sliderReleased.connect(self._on_released)
        look.follow(self._on_look_changed)

    @property
    def tokens(self) -> int:
        """What it stands at, and no more than the model was made for."""
        longest = self._facts.context_length if self._facts is not None else 0
        return min(1 << self.slider.value(), longest or 1 << _LONGEST)

    def show_context(self, facts: ModelFacts, tokens: int) -> None:
        """Stand at so many tokens, unless another length is being chosen now."""
        self._facts, slider = facts, self.slider
        if slider.isSliderDown():
            return
        slider.blockSignals(True)
        slider.setMaximum(max(_SHORTEST, (facts.context_length or 8192).bit_length() - 1))
        slider.setValue(tokens.bit_length() - 1)
        slider.blockSignals(False)
        self._on_look_changed()

    def _lay_out(self) -> None:
        head, scale = QHBoxLayout(), QHBoxLayout()
        head.addWidget(Words(self._look, "setting-context", "small"), 1)
        head.addWidget(self.words)
        scale.addWidget(self._least)
        scale.addWidget(self._pages, 1, Qt.AlignmentFlag.AlignHCenter)
        scale.addWidget(self._most)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.slider)
        column.addLayout(scale)

    @Slot(int)
    def _on_moved(self, _: int) -> None:
        self._on_look_changed()
        self.moved.emit()
        if not self.slider.isSliderDown():
            self._on_released()

    @Slot()
    def _on_released(self) -> None:
        self.chosen.emit(self.tokens)

    @Slot()
    def _on_look_changed(self) -> None:
        language, tokens = self._look.language, self.tokens
        self.words.setText(language.text("tokens", count=tokens))
        self.slider.setAccessibleDescription(thousands(tokens))
        self._least.setText(thousands(1 << _SHORTEST))
        self._pages.setText(language.text("context-pages", pages=max(1, round(tokens / _PAGE))))
        self._most.setText(thousands(1 << self.slider.maximum()))
