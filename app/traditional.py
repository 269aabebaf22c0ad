"""Traditional Chinese, made from the simplified texts of the window by OpenCC.

Nobody keeps a second copy by hand: ``resources/translations/zh_TW/words.json`` holds only the words
that OpenCC cannot know from a text of a few words (a parameter of a model is 參數, of a function
引數). Their keys are the simplified words; what stands for them is taken as it is. Ids, placeables
and selectors are ASCII, and stay as they are.

A conversion takes 0.13 s, most of it for opening OpenCC's dictionaries, so it is kept on disk until
a text, a word or OpenCC is another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_PLACE = 0xE000  # private use: a character that no text has, and that OpenCC leaves alone


def traditional(source: str, words: Mapping[str, str]) -> str:
    """Return a simplified text in traditional characters, as Taiwan writes them.

    Args:
        source: Fluent messages, or any text.
        words: simplified words, and what stands for them; the longest goes first.
    """
    import opencc  # noqa: PLC0415 (only where somebody reads traditional Chinese)

    ordered = sorted(words, key=len, reverse=True)
    places = {word: chr(_PLACE + number) for number, word in enumerate(ordered)}
    said = {place: words[word] for word, place in places.items()}
    pattern = "|".join(map(re.escape, ordered)) or "(?!)"
    marked = re.sub(pattern, lambda found: places[found[0]], source)
    converted: str = opencc.OpenCC("s2twp").convert(marked)
    return "".join(said.get(character, character) for character in converted)


def traditional_texts(simplified: Path, folder: Path, kept: Path | None) -> str:
    """Return all messages of a language's folder in traditional characters.

    Args:
        simplified: the folder with the texts.
        folder: where ``words.json`` lies.
        kept: a file that may hold the conversion, and shall; None keeps none. One that cannot be
            read or written costs the time of a conversion.
    """
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted(simplified.glob("*.ftl"))
    )
    words = (folder / "words.json").read_text(encoding="utf-8")
    from importlib.metadata import version  # noqa: PLC0415 - it brings the email package

    key = hashlib.sha256(f"{version('opencc')}\n{words}\n{source}".encode()).hexdigest()
    found = _read(kept, key) if kept is not None else None
    if found is None:
        found = traditional(source, json.loads(words))
        if kept is not None:
            _keep(kept, key, found)
    return found


def _read(kept: Path, key: str) -> str | None:
    """Return what is kept for these very texts."""
    try:
        first, _, rest = kept.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rest if first == f"# {key}" else None


def _keep(kept: Path, key: str, texts: str) -> None:
    """Put a conversion in the place of another, so that no reader meets half of it."""
    part = kept.with_name(kept.name + ".part")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(f"# {key}\n{texts}", encoding="utf-8", newline="\n")
        part.replace(kept)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
