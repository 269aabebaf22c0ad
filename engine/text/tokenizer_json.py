"""Reading ``tokenizer.json`` piece by piece.

The file is 10 to 35 MB of JSON, nearly all of it two tables: the vocabulary and the merges. Parsed
at one blow, by Python's ``json`` or by the ``tokenizers`` library, it stops every other thread of
the process for half a second and more. Read entry by entry, others run meanwhile; the rest of the
file is small.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind

_STRING = r'"((?:[^"\\]|\\.)*)"'
_ENTRY = re.compile(rf"\s*{_STRING}\s*:\s*(\d+)\s*([,}}])")
_MERGE = re.compile(rf"\s*(?:{_STRING}|\[\s*{_STRING}\s*,\s*{_STRING}\s*\])\s*([,\]])")
_KEY = re.compile(rf"\s*{_STRING}\s*:\s*")
_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class TokenizerJson:
    """A ``tokenizer.json``.

    Attributes:
        spec: everything but the two tables.
        vocabulary: of a BPE model: strings and ids; empty for other models.
        merges: of a BPE model, each ``"left right"``.
    """

    spec: dict[str, Any]
    vocabulary: dict[str, int]
    merges: list[str]

    @property
    def model(self) -> dict[str, Any]:
        """The model's settings."""
        model: dict[str, Any] = self.spec["model"]
        return model


def read_tokenizer_json(path: Path) -> TokenizerJson:
    """Read a ``tokenizer.json``.

    Raises:
        EngineError: FILE_UNREADABLE; TOKENIZER_INVALID for what is no tokenizer.
    """
    reader = _Reader(_text_of(path))
    try:
        spec = reader.object({"model": reader.model})
    except (ValueError, IndexError, RecursionError) as error:
        raise _invalid(path, error) from error
    if not isinstance(spec.get("model"), dict):
        raise _invalid(path, "no model")
    return TokenizerJson(spec, reader.vocabulary, reader.merges)


def read_gpt2_files(folder: Path) -> TokenizerJson:
    """GPT-2's two files, ``vocab.json`` and ``merges.txt``, as the same.

    Raises:
        EngineError: FILE_UNREADABLE; TOKENIZER_INVALID for what is no vocabulary.
    """
    reader = _Reader(_text_of(folder / "vocab.json"))
    try:
        reader.vocab()
    except (ValueError, IndexError) as error:
        raise _invalid(folder / "vocab.json", error) from error
    lines = _text_of(folder / "merges.txt").splitlines()
    merges = [line for line in lines if line and not line.startswith("#version")]
    cutter = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    spec = {
        "model": {"type": "BPE"},
        "pre_tokenizer": cutter | {"use_regex": True},
        "decoder": cutter | {"use_regex": True},
    }
    return TokenizerJson(spec, reader.vocabulary, merges)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=str(error.strerror)
        ) from error
    except ValueError as error:
        raise _invalid(path, error) from error


def _invalid(path: Path, detail: object) -> EngineError:
    return EngineError(FaultKind.TOKENIZER_INVALID, path=str(path), detail=str(detail))


class _Reader:
    """A place in the text, and the tables that were read so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.vocabulary: dict[str, int] = {}
        self.merges: list[str] = []

    def object(self, readers: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        """An object, some of its values read by their own readers.

        Raises:
            ValueError: the text is no object here.
        """
        self._expect("{")
        found: dict[str, Any] = {}
        if self._sign() == "}":
            self._at += 1
            return found
        while True:
            match = _KEY.match(self._text, self._at)
            if match is None:
                raise ValueError(f"no key at character {self._at}")
            self._at = match.end()
            key = _unescaped(match[1])
            reader = readers.get(key)
            found[key] = self._value() if reader is None else reader()
            if self._sign() == "}":
                self._at += 1
                return found
            self._expect(",")

    def model(self) -> Any:
        """The model's object without its tables."""
        if self._sign() != "{":
            return self._value()
        return self.object({"vocab": self.vocab, "merges": self._merges})

    def vocab(self) -> Any:
        """The vocabulary's table; other models than BPE have lists, which stay in the object."""
        if self._sign() != "{":
            return self._value()
        for match in self._entries("{", "}", _ENTRY):
            self.vocabulary[_unescaped(match[1])] = int(match[2])
        return {}

    def _merges(self) -> Any:
        """The merges: texts, or since 2024 pairs."""
        if self._sign() != "[":
            return self._value()
        for match in self._entries("[", "]", _MERGE):
            whole = match[1]
            if whole is None:
                whole = f"{match[2]} {match[3]}"
            self.merges.append(_unescaped(whole))
        return []

    def _entries(self, opening: str, closing: str, entry: re.Pattern[str]) -> Any:
        """The matches of a table's entries."""
        self._expect(opening)
        if self._sign() == closing:
            self._at += 1
            return
        while True:
            match = entry.match(self._text, self._at)
            if match is None:
                raise ValueError(f"no entry at character {self._at}")
            self._at = match.end()
            yield match
            if match[match.lastindex or 0] == closing:
                return

    def _value(self) -> Any:
        self._sign()
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _sign(self) -> str:
        """The next character that is no white space."""
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space is not None else self._at
        return self._text[self._at]

    def _expect(self, sign: str) -> None:
        if self._sign() != sign:
            raise ValueError(f"no {sign} at character {self._at}")
        self._at += 1


def _unescaped(raw: str) -> str:
    """A JSON string's text; most have nothing to unescape."""
    if "\\" not in raw:
        return raw
    text: str = json.loads(f'"{raw}"')
    return text
