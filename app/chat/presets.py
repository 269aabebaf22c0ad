"""Presets of one's own: a name for a way of sampling, kept in the settings, carried as a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.chat.carried import LONGEST_NAME, CarriedFileError, is_name
from engine.contract import Sampling
from engine.contract.presets import PRESETS, sampling_of, values_of
from engine.contract.ranges import SAMPLING
from engine.contract.setting import Value

OTHER = "other"
_FORMAT = "inkstone-presets"


@dataclass(frozen=True, slots=True)
class Preset:
    """A name and what it stands for."""

    name: str
    sampling: Sampling


def line_of(preset: Preset) -> str:
    """Return a preset as the settings keep it: its name is the first line."""
    return f"{preset.name}\n{json.dumps(_changed(preset.sampling))}"


def presets_of(lines: Iterable[str]) -> list[Preset]:
    """Return the presets that the settings keep; one that cannot be read is left out."""
    found = []
    for line in lines:
        name, _, text = line.partition("\n")
        try:
            found.append(_preset(name, json.loads(text)))
        except ValueError:
            continue
    return found


def name_of(sampling: Sampling | None, own: Sequence[Preset]) -> str:
    """Return the name of the preset with these values, or OTHER; one's own begin with "="."""
    for name, values in PRESETS.items():
        if values == sampling:
            return name
    return next((f"={each.name}" for each in own if each.sampling == sampling), OTHER)


def file_of(presets: Sequence[Preset]) -> str:
    """Return the text of a file with presets."""
    listed = [{"name": each.name, "sampling": _changed(each.sampling)} for each in presets]
    return json.dumps({"format": _FORMAT, "presets": listed}, ensure_ascii=False, indent=2) + "\n"


def read_file(text: str) -> list[Preset]:
    """Return the presets of a file, all of them or none.

    Raises:
        CarriedFileError: it is no file of presets, or a value in it is not allowed.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise CarriedFileError("preset-file-unreadable") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise CarriedFileError("preset-file-other")
    listed = content.get("presets")
    if not isinstance(listed, list) or not listed:
        raise CarriedFileError("preset-file-empty")
    return [_preset(each.get("name"), each.get("sampling")) for each in map(_entry, listed)]


def _entry(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise CarriedFileError("preset-file-other")
    return value


def _preset(name: object, values: object) -> Preset:
    shown = str(name)[:LONGEST_NAME] if name else "?"
    if not isinstance(name, str) or not is_name(name):
        raise CarriedFileError("preset-file-name", shown)
    if not isinstance(values, dict):
        raise CarriedFileError("preset-file-value", shown, "sampling")
    try:
        return Preset(name, sampling_of(values))
    except ValueError as error:
        raise CarriedFileError("preset-file-value", shown, str(error)) from None


def _changed(sampling: Sampling) -> dict[str, Value]:
    values = values_of(sampling)
    return {each.key: values[each.key] for each in SAMPLING if values[each.key] != each.default}
