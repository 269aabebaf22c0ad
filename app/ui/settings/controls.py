"""The control for each kind of setting: it shows a value, and tells of one that a person chose."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.ui.choice_button import ChoiceButton
from app.ui.form_controls import Slider, Switch
from app.ui.look import Look
from app.ui.plain_field import PlainField
from app.ui.settings.naming import choice_id, factor, name_id
from app.ui.settings.number_field import NumberField
from engine.contract.setting import Kind, Setting, Value

_TYPING_MS = 600  # typing is saved this long after the last key
_MOST_STEPS = 200  # of a slider: more, and a pixel is no step any more


class Control(QWidget):
    """Shows a setting's value; ``chosen`` tells of a new one, which is always allowed."""

    chosen = Signal(object)  # Value
    judged = Signal(bool)  # whether what was typed is allowed; what is not is not kept

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(12)

    def show_value(self, value: Value) -> None:
        """Show a value without telling of it."""
        raise NotImplementedError

    def choose(self, value: Value) -> None:
        """Do as if a person had chosen a value."""
        self.show_value(value)
        self.chosen.emit(value)


class SwitchControl(Control):
    """On or off."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        self._switch = Switch(look, name_id(setting))
        self._switch.clicked.connect(lambda on: self.chosen.emit(bool(on)))
        self._row.addWidget(self._switch)

    def show_value(self, value: Value) -> None:
        """Show it on or off."""
        self._switch.setChecked(value is True)


class ChoiceControl(Control):
    """One of a few values, from a menu."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        options = {str(each): choice_id(setting, each) for each in setting.choices}
        self._button = ChoiceButton(look, name_id(setting), options)
        self._button.chosen.connect(self._on_chosen)
        self._row.addWidget(self._button)

    def offer(self, values: Collection[str | int]) -> None:
        """Offer these of the setting's choices alone."""
        for each in self.setting.choices:
            text_id = choice_id(self.setting, each)
            self._button.add_option(str(each), text_id, shown=each in values)

    def show_value(self, value: Value) -> None:
        """Show what is chosen."""
        self._button.show_value(str(value))

    @Slot(str)
    def _on_chosen(self, text: str) -> None:
        self.chosen.emit(next(each for each in self.setting.choices if str(each) == text))


class NumberControl(Control):
    """A field, and where the range is small a slider beside it, its tick at the default."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        self._look = look
        self.field = NumberField(look, setting)
        self.slider: Slider | None = None
        # a slider has no place for a number outside the range that means "automatic"
        apart = setting.off is not None and not setting.low <= setting.off <= setting.high
        if not apart and (setting.high - setting.low) / setting.step <= _MOST_STEPS:
            self.slider = self._slider(look)
            self._row.addWidget(self.slider)
        self._row.addWidget(self.field)
        self.field.valueChanged.connect(self._on_typed)
        look.follow(self._on_look_changed)

    def show_value(self, value: Value) -> None:
        """Show a number, or the word for "automatic"."""
        if not isinstance(value, int | float):
            return
        self.field.blockSignals(True)
        self.field.setValue(value)
        self.field.blockSignals(False)
        if self.slider is not None:
            self.slider.blockSignals(True)
            self.slider.setValue(self._steps(value))
            self.slider.blockSignals(False)
            self.slider.update()

    def _slider(self, look: Look) -> Slider:
        setting = self.setting
        last = self._steps(setting.high)
        default = setting.default
        start = self._steps(default) if isinstance(default, int | float) else 0
        slider = Slider(look, name_id(setting), 0, last, start)
        slider.setMinimumWidth(160)
        slider.setMaximumWidth(220)
        slider.valueChanged.connect(self._on_slid)
        slider.sliderReleased.connect(self._on_released)
        return slider

    def _steps(self, value: float) -> int:
        return round((max(value, self.setting.low) - self.setting.low) / self.setting.step)

    @Slot(int)
    def _on_slid(self, steps: int) -> None:
        value = self._number(self.setting.low + steps * self.setting.step)
        self.field.blockSignals(True)
        self.field.setValue(value)
        self.field.blockSignals(False)
        if self.slider is not None and not self.slider.isSliderDown():
            self.chosen.emit(value)

    @Slot()
    def _on_released(self) -> None:
        self.chosen.emit(self._number(self.field.value()))

    @Slot(float)
    def _on_typed(self, number: float) -> None:
        value = self._number(number)
        if self.setting.allows(value):
            self.choose(value)

    def _number(self, value: float) -> int | float:
        if self.setting.kind is Kind.WHOLE:
            return round(value)
        return round(float(value), 2 if factor(self.setting) == 1 else 4)

    @Slot()
    def _on_look_changed(self) -> None:
        name = self._look.language.text(name_id(self.setting))
        self.field.setAccessibleName(name)
        self.field.lineEdit().setAccessibleName(name)


class LineControl(Control):
    """A text of one line."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        self._look = look
        self.field = QLineEdit()
        self.field.setMinimumWidth(180)
        self.field.editingFinished.connect(self._on_edited)
        self._shown = ""
        self._row.addWidget(self.field)
        look.follow(self._on_look_changed)

    def show_value(self, value: Value) -> None:
        """Show the text, unless another is being typed."""
        if value != self._shown or not self.field.hasFocus():
            self._shown = str(value)
            self.field.setText(self._shown)
            self.judged.emit(True)

    @Slot()
    def _on_edited(self) -> None:
        text = self.field.text().strip()
        is_allowed = self.setting.allows(text)
        self.judged.emit(is_allowed)
        if text != self._shown and is_allowed:
            self._shown = text
            self.chosen.emit(text)

    @Slot()
    def _on_look_changed(self) -> None:
        self.field.setAccessibleName(self._look.language.text(name_id(self.setting)))


class TextControl(Control):
    """A text of several lines, or a list of lines; saved when typing rests."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(setting)
        self._look = look
        self.field = _TextField()
        self.field.setObjectName("form-field")
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(140 if setting.kind is Kind.TEXT else 80)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._on_rested)
        self.field.textChanged.connect(self._typing.start)
        self.field.left.connect(self._on_rested)
        self._row.addWidget(self.field)
        look.follow(self._on_look_changed)

    def show_value(self, value: Value) -> None:
        """Show the text, unless it is what stands there already."""
        if value != self._value():
            self.field.blockSignals(True)
            self.field.setPlainText("\n".join(value) if isinstance(value, tuple) else str(value))
            self.field.blockSignals(False)
            self.judged.emit(True)

    def _value(self) -> Value:
        text = self.field.toPlainText()
        if self.setting.kind is Kind.LINES:
            return tuple(line.strip() for line in text.splitlines() if line.strip())
        return text.strip()

    @Slot()
    def _on_rested(self) -> None:
        if self._typing.isActive() or self.sender() is self._typing:
            self._typing.stop()
            value = self._value()
            is_allowed = self.setting.allows(value)
            self.judged.emit(is_allowed)
            if is_allowed:
                self.chosen.emit(value)

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        self.field.setAccessibleName(text(name_id(self.setting)))
        self.field.setPlaceholderText(text(f"{name_id(self.setting)}-empty"))


class _TextField(PlainField):
    """Tells when the focus leaves it."""

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell, unless it is for a menu."""
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.left.emit()


def control_for(look: Look, setting: Setting) -> Control:
    """Return the control of a setting's kind."""
    match setting.kind:
        case Kind.SWITCH:
            return SwitchControl(look, setting)
        case Kind.CHOICE:
            return ChoiceControl(look, setting)
        case Kind.WHOLE | Kind.DECIMAL:
            return NumberControl(look, setting)
        case Kind.FONT:
            from app.ui.settings.font_control import FontControl  # noqa: PLC0415 (built on this)

            return FontControl(look, setting)
        case Kind.LINE:
            return LineControl(look, setting)
        case Kind.TEXT | Kind.LINES:
            return TextControl(look, setting)
