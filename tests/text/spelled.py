"""A tokenizer whose tokens are given as bytes, for tests that need to choose every cut."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text.channels import ReplyForm
from engine.text.control_tokens import ControlToken, ControlTokens
from engine.text.reply_stream import ReplyStream
from engine.text.token_bytes import SpellingRule
from engine.text.tokenizer import Frame, Tokenizer


class _ByteEncoder:
    """Every byte of a text is the token of that number."""

    def encode(self, text: str, *, starts: bool) -> list[int]:
        return list(text.encode())


def spelled_tokenizer(
    pieces: Sequence[bytes], control: Sequence[str] = (), *, strip_start: int = 0
) -> Tokenizer:
    """Ids 0…255 are bytes; then come ``pieces``, then ``control`` tokens."""
    strings = [bytes([byte]).decode("latin-1") for byte in range(256)]
    strings += [piece.decode("latin-1") for piece in pieces]
    first = len(strings)
    strings += control
    tokens = [ControlToken(first + place, text) for place, text in enumerate(control)]

    def spell(text: str) -> bytes:
        return text.encode("latin-1")

    by_text = {text: id for id, text in enumerate(strings)}
    return Tokenizer(
        size=len(strings),
        control=ControlTokens(tokens),
        rule=SpellingRule(spell, spell, strip_start),
        frame=Frame(),
        _encoder=_ByteEncoder(),
        _string=lambda id: strings[id] if id < len(strings) else None,
        _id=by_text.get,
    )


def stream_of(
    chunks: Sequence[str | bytes], form: ReplyForm | None = None, **options: object
) -> tuple[ReplyStream, list[int]]:
    """A stream whose tokens are ``chunks`` (text that is in ``<|…|>`` alone is a control token)."""
    raw = [chunk.encode() if isinstance(chunk, str) else chunk for chunk in chunks]
    tokenizer = spelled_tokenizer(raw)
    stream = ReplyStream(tokenizer, form or ReplyForm(), **options)  # type: ignore[arg-type]
    return stream, [256 + place for place in range(len(raw))]
