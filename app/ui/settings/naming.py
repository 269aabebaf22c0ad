"""What settings, choices and units are called: ids of texts made from the catalogue's keys."""

from __future__ import annotations

from app.language import Language
from engine.contract.setting import Applies, Setting, Value


def name_id(setting: Setting) -> str:
    """Return the id of a setting's name; its sentence is the same with ``-about``."""
    return f"setting-{_dashed(setting.key)}"


def about_id(setting: Setting) -> str:
    """Return the id of the sentence about a setting."""
    return f"{name_id(setting)}-about"


def choice_id(setting: Setting, value: str | int) -> str:
    """Return the id of what one of a setting's choices is called."""
    return f"choice-{_dashed(setting.key)}-{_dashed(str(value)) or 'auto'}"


def unit_id(setting: Setting) -> str:
    """Return the id of a number with its unit, empty for a bare one."""
    return f"unit-{setting.unit}" if setting.unit else ""


def off_id(setting: Setting) -> str:
    """Return the id of the word for "automatic", "off", "no limit" or "the usual typeface"."""
    return f"off-{_dashed(setting.key)}"


def applies_id(setting: Setting) -> str:
    """Return the id of the sentence that says when a change takes effect; empty for "at once"."""
    return "" if setting.applies is Applies.NOW else f"applies-{setting.applies.value}"


def wrong_id(setting: Setting) -> str:
    """Return the id of the sentence that says how a text has to look."""
    return f"wrong-{_dashed(setting.key)}"


def text_ids(setting: Setting) -> tuple[str, ...]:
    """Return the ids of every text that belongs to a setting and needs no figure."""
    choices = (choice_id(setting, each) for each in setting.choices)
    off = () if setting.off is None and not setting.fonts else (off_id(setting),)
    applies = (applies_id(setting),) if applies_id(setting) else ()
    wrong = (wrong_id(setting),) if setting.pattern else ()
    return (name_id(setting), about_id(setting), *choices, *off, *applies, *wrong)


def value_text(language: Language, setting: Setting, value: Value) -> str:
    """Return a value as it is read: with its unit, or by its word."""
    if setting.choices and isinstance(value, str | int):
        return language.text(choice_id(setting, value))
    if isinstance(value, bool | str | tuple):
        return str(value)
    if setting.off is not None and value == setting.off:
        return language.text(off_id(setting))
    shown = number_text(setting, value)
    return language.text(unit_id(setting), number=shown, count=value) if setting.unit else shown


def number_text(setting: Setting, value: float) -> str:
    """Return a number with grouped thousands and as many decimals as its step has."""
    grouped = "" if setting.unit == "port" else ","  # a port is a name rather than a count
    return f"{value * factor(setting):{grouped}.{decimals(setting)}f}"


def factor(setting: Setting) -> float:
    """Return by what a number is multiplied where it is shown: shares are shown as percent."""
    return 100 if setting.unit == "percent" else 1


def decimals(setting: Setting) -> int:
    """Return how many decimals a number is shown with."""
    return 0 if type(setting.default) is int or setting.unit == "percent" else 2


def _dashed(key: str) -> str:
    return key.replace("_", "-")
