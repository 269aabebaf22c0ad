"""Prompts that are used again: a name, a text, and variables in it that are asked for each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_VARIABLE = re.compile(r"\{\{\s*([^{}\s](?:[^{}\n]{0,58}[^{}\s])?)\s*\}\}")


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
