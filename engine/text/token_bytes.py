"""What each token spells, as bytes: the rules by which vocabularies write bytes as text.

A vocabulary is a list of strings, but a token is a run of bytes, and may end in the middle of a
character. Everything that shows text works on bytes and asks here; nothing decodes a list of ids
again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.contract import EngineError, FaultKind

SPACE = "\u2581"  # SentencePiece writes a space as a low line
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
Spell = Callable[[str], bytes]


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's alphabet: every byte has a printable character, the printable ones themselves."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in set(printable)]
    alphabet = {chr(byte): byte for byte in printable}
    alphabet.update({chr(256 + place): byte for place, byte in enumerate(rest)})
    return alphabet


BYTE_ALPHABET: Mapping[str, int] = _byte_alphabet()


@dataclass(frozen=True, slots=True)
class SpellingRule:
    """How a vocabulary's strings become bytes.

    Attributes:
        later: bytes of a token that follows another one.
        first: bytes of a token that begins the text.
        strip_start: spaces taken off the very start of the text.
    """

    later: Spell
    first: Spell
    strip_start: int = 0


def spell_byte_level(text: str) -> bytes:
    """Bytes of a byte-level token; a string outside the alphabet (an added token) is itself."""
    try:
        return bytes(map(BYTE_ALPHABET.__getitem__, text))
    except KeyError:
        return text.encode()


def spell_sentencepiece(text: str) -> bytes:
    """Bytes of a SentencePiece token: low lines are spaces, ``<0x0A>`` is a byte."""
    if match := _BYTE.fullmatch(text):
        return bytes([int(match[1], 16)])
    return text.replace(SPACE, " ").encode()


BYTE_LEVEL = SpellingRule(spell_byte_level, spell_byte_level)


def sentencepiece_rule(*, strip_start: bool) -> SpellingRule:
    """SentencePiece's rule; ``strip_start`` where the tokenizer puts a space before every text."""
    return SpellingRule(spell_sentencepiece, spell_sentencepiece, int(strip_start))


def rule_of_decoder(decoder: Mapping[str, Any] | None) -> SpellingRule:
    """The rule that a ``tokenizer.json`` decoder describes.

    Raises:
        EngineError: TOKENIZER_INVALID for a decoder that is not made of per-token steps.
    """
    steps = _steps(decoder)
    strip_start = 0
    fused = False
    later: list[Callable[[str], str]] = []
    first: list[Callable[[str], str]] = []
    final: Spell = str.encode
    for step in steps:
        match step.get("type"):
            case "ByteLevel":
                final = spell_byte_level
            case "ByteFallback":
                final = _spell_fallback
            case "Fuse":
                fused = True
            case "Strip" if fused or step.get("content", " ") == " ":
                strip_start = int(step.get("start", 0))
            case _:
                later.append(_text_step(step, first=False))
                first.append(_text_step(step, first=True))
    return SpellingRule(_compose(later, final), _compose(first, final), strip_start)


def _steps(decoder: Mapping[str, Any] | None) -> Sequence[Mapping[str, Any]]:
    """The decoder's steps, a nested sequence laid flat."""
    if decoder is None:
        return ()
    if decoder.get("type") != "Sequence":
        return (decoder,)
    return [step for inner in decoder.get("decoders", ()) for step in _steps(inner)]


def _spell_fallback(text: str) -> bytes:
    match = _BYTE.fullmatch(text)
    return bytes([int(match[1], 16)]) if match else text.encode()


def _compose(steps: Sequence[Callable[[str], str]], final: Spell) -> Spell:
    """One function that applies ``steps`` in order and then ``final``."""

    def spell(text: str) -> bytes:
        for step in steps:
            text = step(text)
        return final(text)

    return spell


def _text_step(step: Mapping[str, Any], *, first: bool) -> Callable[[str], str]:
    """A step that maps one token's string to another."""
    match step.get("type"):
        case "Replace":
            return _replace_step(step)
        case "Metaspace":
            return _metaspace_step(step, first=first)
        case "WordPiece":
            return _wordpiece_step(step, first=first)
        case "BPEDecoder":
            suffix = str(step.get("suffix", "</w>"))
            return lambda text: text.replace(suffix, " ")
        case kind:
            raise EngineError(FaultKind.TOKENIZER_INVALID, path="", detail=f"decoder {kind}")


def _replace_step(step: Mapping[str, Any]) -> Callable[[str], str]:
    pattern, content = step.get("pattern", {}), str(step.get("content", ""))
    if "String" in pattern:
        return lambda text: text.replace(pattern["String"], content)
    compiled = re.compile(str(pattern.get("Regex", "(?!)")))
    return lambda text: compiled.sub(lambda _: content, text)


def _metaspace_step(step: Mapping[str, Any], *, first: bool) -> Callable[[str], str]:
    low_line = str(step.get("replacement", SPACE))
    prepends = step.get("prepend_scheme", "always") != "never" and step.get(
        "add_prefix_space", True
    )
    return lambda text: text.replace(low_line, "" if first and prepends else " ")


# the contractions and marks that BERT's decoder joins to the word before them
_JOINED = (" .", " ?", " !", " ,", " n't", " 'm", " 's", " 've", " 're")


def _wordpiece_step(step: Mapping[str, Any], *, first: bool) -> Callable[[str], str]:
    prefix, cleans = str(step.get("prefix", "##")), bool(step.get("cleanup", True))

    def spell(text: str) -> str:
        if not first:
            text = text.removeprefix(prefix) if text.startswith(prefix) else f" {text}"
        if not cleans:
            return text
        for joined in (*_JOINED, " ' ", " do not"):
            swap = {" ' ": "'", " do not": " don't"}.get(joined, joined[1:])
            text = text.replace(joined, swap)
        return text

    return spell
