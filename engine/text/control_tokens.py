"""Control tokens in text: where they may be recognised, and how they are kept from being forged.

A control token (``<|im_end|>``, ``</s>``, ``[INST]``, but also ``<think>`` and ``<tool_call>``) has
a meaning that text must not be able to take on: only a chat template may write one. Whatever a
user, a file or a tool wrote is *guarded* first: an unguessable sentinel character is put inside
everything that could become the spelling of a control token, alone or together with what stands
beside it. Templates may then trim, split, escape or join the text as they like; after rendering,
control tokens are recognised, and the sentinels are taken out of what is left. No combination of
template and content can turn guarded text into a control token, and text without such spellings
is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_END = "\0"  # closes each spelling in the joined list that substrings are looked up in
_MARKER = re.compile(
    r"<[|｜].*>|<.*[|｜]>|\[/?[A-Z_]+\]|[◁].*[▷]"
    r"|</?(?:think|thinking|thought|reasoning|answer|tool_call|tool_calls|tool_response|tools"
    r"|tool|function_call|arg_key|arg_value|start_of_turn|end_of_turn|seed:think|unused\d+)>"
)


def is_marker(text: str) -> bool:
    """Whether an added token is a mark of the conversation's form rather than a piece of text.

    Some vocabularies declare ``<think>`` or ``<tool_call>`` as plain added tokens, beside runs of
    spaces and HTML tags, which are text. The marks are told apart by their spelling.
    """
    return _MARKER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class ControlToken:
    """A control token, and whether it takes the white space beside it with it."""

    id: int
    text: str
    strips_left: bool = False
    strips_right: bool = False


class ControlTokens:
    """All control tokens of a vocabulary: finds them in a template's text, guards other text."""

    def __init__(self, tokens: Iterable[ControlToken]) -> None:
        self._by_text = {token.text: token for token in tokens if token.text}
        self._texts = {token.id: token.text for token in self._by_text.values()}
        self._lengths: dict[str, tuple[int, ...]] = {}
        lengths: dict[str, set[int]] = {}
        for text in self._by_text:
            lengths.setdefault(text[0], set()).add(len(text))
        for first, found in lengths.items():
            self._lengths[first] = tuple(sorted(found, reverse=True))
        self._longest = max((len(text) for text in self._by_text), default=0)
        self._joined = "".join(text + _END for text in self._by_text)
        self._last = frozenset(text[-1] for text in self._by_text)
        self._start = _one_of(lengths)
        # a letter that begins a token ("sop") is everywhere in text: only whole spellings matter
        signs = (first for first in lengths if not (first.isalnum() or first.isspace()))
        self._signs = _one_of(signs)

    def __contains__(self, id: object) -> bool:
        return id in self._texts

    @property
    def ids(self) -> frozenset[int]:
        """The ids of all control tokens."""
        return frozenset(self._texts)

    def text(self, id: int) -> str:
        """The spelling of a control token."""
        return self._texts[id]

    def id(self, text: str) -> int | None:
        """The control token of this spelling, if there is one."""
        token = self._by_text.get(text)
        return None if token is None else token.id

    def split(self, text: str) -> list[str | int]:
        """Cut ``text`` into control ids and the plain text between them (never empty strings)."""
        parts: list[str | int] = []
        begin = 0
        strips = False
        for start, token in self._find(text):
            plain = text[begin:start]
            plain = plain.lstrip() if strips else plain
            parts += [plain.rstrip() if token.strips_left else plain, token.id]
            begin = start + len(token.text)
            strips = token.strips_right
        rest = text[begin:]
        parts.append(rest.lstrip() if strips else rest)
        return [part for part in parts if part != ""]

    def guard(self, text: str, sentinel: str, *, edges: bool = True) -> str:
        """Put ``sentinel`` into all of ``text`` that could become a control token.

        With ``edges`` also where it could complete one that the template began: ``think`` between
        a template's ``<`` and ``>``.
        """
        if not text or not self._by_text:
            return text
        guarded = text
        if self._signs is not None:
            guarded = self._signs.sub(lambda match: match[0] + sentinel, guarded)
        if self._signs is not self._start:
            guarded = self._break_whole(guarded, sentinel)
        if edges and self._continues(text.strip()):
            body = guarded.lstrip()
            guarded = guarded[: len(guarded) - len(body)] + sentinel + body
        return guarded

    def _find(self, text: str) -> Iterator[tuple[int, ControlToken]]:
        """Positions and tokens of all control tokens: leftmost first, the longest at each place."""
        position = 0
        while self._start is not None and (match := self._start.search(text, position)):
            token = self._at(text, match.start())
            position = match.start() + (1 if token is None else len(token.text))
            if token is not None:
                yield match.start(), token

    def _at(self, text: str, position: int) -> ControlToken | None:
        """The longest control token that stands at ``position``."""
        for length in self._lengths.get(text[position], ()):
            token = self._by_text.get(text[position : position + length])
            if token is not None:
                return token
        return None

    def _break_whole(self, text: str, sentinel: str) -> str:
        """Break whole spellings whose first character is a letter or a space."""
        for start, _ in reversed(list(self._find(text))):
            text = text[: start + 1] + sentinel + text[start + 1 :]
        return text

    def _continues(self, text: str) -> bool:
        """Whether ``text`` begins with the rest of a control token, or lies inside one."""
        if text and len(text) < self._longest and text in self._joined:
            return True
        return any(
            text[end - 1] in self._last and text[:end] + _END in self._joined
            for end in range(1, min(len(text), self._longest) + 1)
        )


def _one_of(characters: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for any one of ``characters``; None without any."""
    every = "".join(re.escape(character) for character in sorted(characters))
    return re.compile(f"[{every}]") if every else None
