"""Strings to token ids and back, whatever kind of vocabulary the model has.

A ``Tokenizer`` joins three things: an encoder for plain text, the control tokens, and the bytes
that each token spells. Plain text never yields a control id; only ``control=True``, meant for a
chat template's own text, recognises them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from engine.text.control_tokens import ControlTokens
from engine.text.token_bytes import SpellingRule


def strip_start(text: str, spaces: int) -> str:
    """``text`` without up to ``spaces`` leading spaces."""
    return text[:spaces].lstrip(" ") + text[spaces:]


class Encoder(Protocol):
    """Text without control tokens to ids."""

    def encode(self, text: str, *, starts: bool) -> list[int]:
        """Ids of ``text``; ``starts`` where it is the very beginning of what the model reads."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """What the tokenizer itself puts around a text, by its own configuration."""

    bos: int | None = None
    adds_bos: bool = False
    suffix: tuple[int, ...] = ()  # an end id, for the few models that want one


@dataclass(slots=True)
class Tokenizer:
    """A model's vocabulary.

    Attributes:
        size: number of ids; every id is below it.
        control: the control tokens.
        rule: how a token's string becomes bytes.
        frame: what is put around a text.
    """

    size: int
    control: ControlTokens
    rule: SpellingRule
    frame: Frame
    _encoder: Encoder
    _string: Callable[[int], str | None]
    _id: Callable[[str], int | None]
    _bytes: dict[int, bytes] = field(default_factory=dict)

    def encode(self, text: str, *, control: bool = False, starts: bool = True) -> list[int]:
        """Ids of ``text``, without BOS.

        Args:
            text: any text.
            control: recognise control tokens; only for text that nobody could forge.
            starts: whether this begins what the model reads; some vocabularies put a space there.
        """
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
        if not control:
            return self._encoder.encode(text, starts=starts) if text else []
        ids: list[int] = []
        for part in self.control.split(text):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += self._encoder.encode(part, starts=starts and not ids)
        return ids

    def id(self, text: str) -> int | None:
        """The id whose string in the vocabulary is ``text``."""
        found = self.control.id(text)
        return self._id(text) if found is None else found

    def string(self, id: int) -> str | None:
        """The vocabulary's string for an id; None for an id that it does not have."""
        return self._string(id)

    def is_control(self, id: int) -> bool:
        """Whether ``id`` is a control token, which is never shown as text."""
        return id in self.control

    def token_bytes(self, id: int) -> bytes:
        """The bytes that a token spells after another one; empty for ids that spell nothing."""
        found = self._bytes.get(id)
        if found is None:
            found = self._bytes[id] = self._spell(id)
        return found

    def first_bytes(self, id: int) -> bytes:
        """The bytes that a token spells at the beginning of a text."""
        return self._spell(id, first=True)

    def decode(self, ids: Iterable[int], *, control: bool = False) -> str:
        """Text of ``ids``, invalid bytes as U+FFFD, control tokens only if asked for.

        A character does not go on behind a control token, whether that is shown or not.
        """
        stretches: list[bytearray] = [bytearray()]
        is_first = True
        for id in ids:
            if self.is_control(id):
                stretches += [bytearray(self._spell(id) if control else b""), bytearray()]
                continue
            stretches[-1] += self.first_bytes(id) if is_first else self.token_bytes(id)
            is_first = False
        text = "".join(stretch.decode("utf-8", "replace") for stretch in stretches)
        return strip_start(text, self.rule.strip_start)

    def _spell(self, id: int, *, first: bool = False) -> bytes:
        if id in self.control:
            return self.control.text(id).encode()
        text = self._string(id) if 0 <= id < self.size else None
        if text is None:  # an id of another model, or of a vocabulary padded beyond its tokens
            return b""
        return self.rule.first(text) if first else self.rule.later(text)
