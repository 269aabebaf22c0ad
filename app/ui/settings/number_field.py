"""A field for a number that cannot hold one outside its range."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox

from app.ui.look import Look
from app.ui.settings.naming import decimals, factor, off_id, value_text
from engine.contract.setting import Setting

_NUMBER = re.compile(r"[-−]?[\d,]*\.?\d*")


class NumberField(QDoubleSpinBox):
    """Shows a number with its unit, or the word for "automatic"; both can be typed.

    The value is in the setting's own unit. It changes when the field is left, on Enter and by the
    arrow keys, not while a number is half typed.
    """

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__()
        self._look, self._setting = look, setting
        self.setKeyboardTracking(False)
        self.setCorrectionMode(QDoubleSpinBox.CorrectionMode.CorrectToNearestValue)
        self.setDecimals(4)
        low, high = setting.low, setting.high
        if setting.off is not None:
            low, high = min(low, setting.off), max(high, setting.off)
        self.setRange(low, high)
        self.setSingleStep(setting.step)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.lineEdit().setTextMargins(6, 0, 8, 0)
        look.follow(self._on_look_changed)

    def setAccessibleName(self, name: str) -> None:
        """Name the field, and the line in it that gets the focus."""
        super().setAccessibleName(name)
        self.lineEdit().setAccessibleName(name)

    def textFromValue(self, value: float) -> str:
        """Return what is shown for a value."""
        return value_text(self._look.language, self._setting, self._typed(value))

    def valueFromText(self, text: str) -> float:
        """Return the value of what was typed."""
        if self._is_off(text) and self._setting.off is not None:
            return self._setting.off
        found = _NUMBER.match(text.strip())
        digits = found[0].replace(",", "").replace("−", "-") if found else ""
        try:
            return float(digits) / factor(self._setting)
        except ValueError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Refuse letters that are no part of the unit, and hold back numbers out of range."""
        state = QValidator.State
        if self._is_off(text):
            return state.Acceptable, text, position
        bare = text.strip()
        found = _NUMBER.match(bare)
        rest = bare[found.end() :].strip() if found else bare
        if rest and rest not in self.textFromValue(self._example()) and not self._begins_off(bare):
            return state.Invalid, text, position
        if not found or not any(ch.isdigit() for ch in found[0]):
            return state.Intermediate, text, position
        allowed = self._setting.allows(self._typed(self.valueFromText(text)))
        return (state.Acceptable if allowed else state.Intermediate), text, position

    def fixup(self, text: str) -> str:
        """Return the nearest number that is allowed."""
        value, setting = self.valueFromText(text), self._setting
        if setting.allows(self._typed(value)):
            return self.textFromValue(value)
        nearest = min(max(value, setting.low), setting.high)
        return self.textFromValue(nearest)

    def stepBy(self, steps: int) -> None:
        """Step over the gap between "automatic" and the least number."""
        setting, value = self._setting, self.value()
        gap = setting.off is not None and setting.off < setting.low
        if gap and value == setting.off and steps > 0:
            self.setValue(setting.low)
        elif gap and setting.off is not None and value + steps * setting.step < setting.low:
            self.setValue(setting.low if value > setting.low else setting.off)
        else:
            super().stepBy(steps)

    def _typed(self, value: float) -> float:
        """Return a value in the setting's type, rounded to what can be shown."""
        if type(self._setting.default) is int:
            return round(value)
        return round(
            float(value), decimals(self._setting) + (2 if factor(self._setting) > 1 else 0)
        )

    def _is_off(self, text: str) -> bool:
        off = self._setting.off
        return off is not None and text.strip().casefold() == self._off_word().casefold()

    def _begins_off(self, text: str) -> bool:
        off = self._setting.off
        return off is not None and self._off_word().casefold().startswith(text.casefold())

    def _off_word(self) -> str:
        return self._look.language.text(off_id(self._setting))

    def _example(self) -> float:
        return self._setting.low if self._setting.low != self._setting.off else self._setting.high

    @Slot()
    def _on_look_changed(self) -> None:
        self.setFixedHeight(self._look.theme.high(32))
        self.lineEdit().setText(self.textFromValue(self.value()))
        widths = [
            self.fontMetrics().horizontalAdvance(self.textFromValue(value))
            for value in (self.minimum(), self.maximum(), self._setting.low)
        ]
        self.setMinimumWidth(max(widths) + 34)
