"""Prompts that are used again: a name, a text, and variables in it that are asked for each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.chat.carried import LONGEST_NAME, CarriedFileError, is_name, is_text

_VARIABLE = re.compile(r"\{\{\s*([^{}\s](?:[^{}\n]{0,58}[^{}\s])?)\s*\}\}")

_FORMAT = "inkstone-prompts"


@dataclass(frozen=True, slots=True)
class Template:
    """One prompt.

    Attributes:
        name: what is typed after the slash; one line.
        text: with variables as ``{{name}}``.
        is_own: whether a person wrote it; the others come with the program.
    """

    name: str
    text: str
    is_own: bool = True


def variables(text: str) -> tuple[str, ...]:
    """Return the names of a text's variables, each once, in their order."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in the place of variables; what a value says is not read again."""
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


def line_of(template: Template) -> str:
    """Return a template as the settings keep it: its name is the first line."""
    return f"{' '.join(template.name.split())}\n{template.text}"


def templates_of(lines: Iterable[str], built_in: Sequence[Template]) -> list[Template]:
    """Return a person's templates and the program's; one's own takes the place of its namesake."""
    own: dict[str, Template] = {}
    for line in lines:
        name, _, text = line.partition("\n")
        if name.strip() and text.strip():
            own[name.casefold()] = Template(name, text)
    others = [each for each in built_in if each.name.casefold() not in own]
    return sorted(
        [*own.values(), *others], key=lambda each: (not each.is_own, each.name.casefold())
    )


def matching(templates: Iterable[Template], typed: str) -> list[Template]:
    """Return the templates whose names have what was typed, at their beginning first."""
    sought = typed.strip().casefold()
    found = [each for each in templates if sought in each.name.casefold()]
    return sorted(found, key=lambda each: not each.name.casefold().startswith(sought))


def file_of(templates: Iterable[Template]) -> str:
    """Return the text of a file with prompts."""
    listed = [{"name": each.name, "text": each.text} for each in templates]
    return json.dumps({"format": _FORMAT, "prompts": listed}, ensure_ascii=False, indent=2) + "\n"


def read_file(text: str) -> list[Template]:
    """Return the prompts of a file, all of them or none.

    Raises:
        CarriedFileError: it is no file of prompts, or one of them is none.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise CarriedFileError("templates-file-unreadable") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise CarriedFileError("templates-file-other")
    listed = content.get("prompts")
    if not isinstance(listed, list) or not listed:
        raise CarriedFileError("templates-file-empty")
    return [_template(each) for each in listed]


def _template(entry: object) -> Template:
    if not isinstance(entry, dict):
        raise CarriedFileError("templates-file-other")
    name, text = entry.get("name"), entry.get("text")
    shown = str(name)[:LONGEST_NAME] if name else "?"
    if not isinstance(name, str) or not is_name(name):
        raise CarriedFileError("templates-file-name", shown)
    if not isinstance(text, str) or not is_text(text):
        raise CarriedFileError("templates-file-text", shown)
    return Template(name, text)
