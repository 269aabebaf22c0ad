"""What a model's README says about it: licence and languages, from its front matter.

The hub writes a small YAML table between two lines of three dashes. Only ``key: value`` and lists
are read here, which is all that these two keys ever are; no YAML parser is needed for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_LONGEST = 64 << 10  # bytes of the README looked at


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Empty where the card does not say."""

    license: str = ""
    languages: tuple[str, ...] = ()


def read_model_card(folder: Path) -> ModelCard:
    """The card beside the weights; an absent or unreadable one says nothing."""
    try:
        with (folder / "README.md").open("rb") as file:
            text = file.read(_LONGEST).decode("utf-8-sig", errors="replace")
    except OSError:
        return ModelCard()
    return parse_model_card(text)


def parse_model_card(text: str) -> ModelCard:
    """Licence and languages of a README's text."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return ModelCard()
    values: dict[str, list[str]] = {}
    key = ""
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if line.lstrip().startswith("- "):
            values.setdefault(key, []).append(_plain(line.lstrip()[2:]))
        elif not line.startswith((" ", "\t", "#")) and ":" in line:
            key, _, value = line.partition(":")
            values[key] = _values(value)
    name = _first(values.get("license_name")) if _first(values.get("license")) == "other" else ""
    return ModelCard(name or _first(values.get("license")), tuple(values.get("language", ())))


def _values(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_plain(one) for one in text[1:-1].split(",") if one.strip()]
    return [_plain(text)] if text else []


def _plain(text: str) -> str:
    return text.strip().strip("\"'")


def _first(values: list[str] | None) -> str:
    return values[0] if values else ""
