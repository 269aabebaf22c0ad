"""The colours of code, line by line, with the lexer's state kept between lines.

Pygments lexers read a whole text. Its ``ExtendedRegexLexer`` runs the same rules on a context that
can be kept, so a class made of it and any rule-driven lexer goes on where it stopped: each line of
a growing block is read once. A token that may still grow (an open comment) holds the kept state
back to the line where it began. What cannot be known before the end (a here-document) is put right
by ``exact``, which reads the closed block once more by the language's own lexer, in slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature

from pygments.lexer import ExtendedRegexLexer, Lexer, LexerContext, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

# Kinds of tokens and the palette's name for each; the first that holds wins, the rest is ink.
_TONES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "ink3"),
    (Keyword.Constant, "ochre"),
    (Keyword, "azurite"),
    (Operator.Word, "azurite"),
    (String, "accent"),
    (Number, "ochre"),
    (Name.Function, "rouge"),
    (Name.Class, "rouge"),
    (Name.Tag, "azurite"),
    (Name.Attribute, "rouge"),
    (Name.Decorator, "rouge"),
    (Name.Constant, "ochre"),
)
_LONGEST_LINE = 2_000  # characters; a longer line is data, and stays ink
_MAX_OPEN_LINES = 60  # an open token that holds the state back longer than this is let go
_SLICE = 8  # lines


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of one line in one colour of the palette."""

    start: int
    length: int
    tone: str


Spans = tuple[Span, ...]


class Resumable(ExtendedRegexLexer):
    """Rules on a kept context, also where a rule reads part of a text by the same lexer anew."""

    def get_tokens_unprocessed(  # type: ignore[override]
        self,
        text: str | None = None,
        context: LexerContext | None = None,
        stack: tuple[str, ...] = ("root",),
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield (position, kind, value) of the tokens from the context's place on."""
        if context is None:
            context = LexerContext(text or "", 0, list(stack))
        return super().get_tokens_unprocessed(text, context)


class LineLexer:
    """Colours the lines of one growing block of code."""

    def __init__(self, language: str) -> None:
        self.spans: list[Spans] = []  # by line
        self._lexer = _lexer_class(language)
        self._lines: list[str] = []
        self._kept_line = 0
        self._kept_stack: tuple[str, ...] = ("root",)
        self._language = language

    @property
    def colours(self) -> bool:
        """Whether the language is known at all."""
        return self._lexer is not None

    def push(self, lines: list[str]) -> int:
        """Take whole lines, and return the first line whose colours may have changed."""
        first = len(self._lines)
        self._lines += [line if len(line) <= _LONGEST_LINE else "" for line in lines]
        self.spans += [()] * len(lines)
        if self._lexer is None or not lines:
            return first
        if not issubclass(self._lexer, Resumable):
            self._colour_alone(self._lexer(), first)
            return first
        return self._colour_on(self._lexer())

    def preview(self, line: str) -> Spans:
        """Return the colours of a line that has not ended, without taking it."""
        kept = self._kept_line, self._kept_stack, len(self._lines), list(self.spans)
        self.push([line])
        spans = self.spans[-1]
        self._kept_line, self._kept_stack, count, self.spans = kept
        del self._lines[count:]
        return spans

    def restart(self) -> None:
        """Forget all lines."""
        self.spans, self._lines = [], []
        self._kept_line, self._kept_stack = 0, ("root",)

    def read_whole(self, lines: list[str]) -> Iterator[int]:
        """Take all lines of a text that has ended, and read them as ``exact`` does."""
        self.restart()
        self._lines = [line if len(line) <= _LONGEST_LINE else "" for line in lines]
        self.spans = [()] * len(lines)
        return self.exact()

    def exact(self) -> Iterator[int]:
        """Read the whole block once more as it is, by the language's own lexer.

        Yields how many lines have been read between slices, to be driven in turn.
        """
        lexer = _find(self._language)
        if lexer is None:
            return
        text = "\n".join(self._lines) + "\n"
        for line, row in enumerate(_rows(iter(lexer.get_tokens_unprocessed(text)))):
            if line < len(self.spans):
                self.spans[line] = row
            if line % _SLICE == _SLICE - 1:
                yield line + 1

    def _colour_alone(self, lexer: Lexer, first: int) -> None:
        for line in range(first, len(self._lines)):
            text = self._lines[line] + "\n"
            self._spread(iter(lexer.get_tokens_unprocessed(text)), line)

    def _colour_on(self, lexer: Resumable) -> int:
        """Read from the kept state to the end, and keep the last state that cannot change."""
        first = self._kept_line
        text = "\n".join(self._lines[first:]) + "\n"
        context = LexerContext(text, 0, list(self._kept_stack), len(text))
        self._spread(self._watched(lexer, context, text), first)
        return first

    def _watched(
        self, lexer: Resumable, context: LexerContext, text: str
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield the tokens of a text, noting the state where lines begin."""
        line, seen, open_from = self._kept_line, 0, -1
        states: list[tuple[int, tuple[str, ...]]] = [(line, tuple(context.stack))]
        for position, kind, value in lexer.get_tokens_unprocessed(text, context):
            line += text.count("\n", seen, position)
            seen = position
            if open_from < 0 and position and text[position - 1] == "\n":
                states.append((line, tuple(context.stack)))
            if open_from < 0 and _may_grow(text, position, kind):
                open_from = line
            yield position, kind, value
        if open_from < 0 and not _spans_lines(text, seen):
            states.append((len(self._lines), tuple(context.stack)))
        self._kept_line, self._kept_stack = states[-1]
        if len(self._lines) - self._kept_line > _MAX_OPEN_LINES:
            self._kept_line = len(self._lines)

    def _spread(self, tokens: Iterator[tuple[int, _TokenType, str]], first: int) -> None:
        """Turn tokens into the spans of their lines."""
        for line, row in enumerate(_rows(tokens), first):
            if line < len(self.spans):
                self.spans[line] = row


def _rows(tokens: Iterator[tuple[int, _TokenType, str]]) -> Iterator[Spans]:
    """Yield the spans of each line that the tokens run over."""
    row: list[Span] = []
    column = 0
    for _position, kind, value in tokens:
        tone = tone_of(kind)
        for index, piece in enumerate(value.split("\n")):
            if index:
                yield tuple(row)
                row, column = [], 0
            if tone and piece:
                _extend(row, Span(column, len(piece), tone))
            column += len(piece)
    yield tuple(row)


def _may_grow(text: str, position: int, kind: _TokenType) -> bool:
    """Tell whether what begins here is the first line of something that its rule needs whole."""
    if kind is Error:
        return True
    return text.startswith("/*", position) and not (_is(kind, Comment) or _is(kind, String))


def _spans_lines(text: str, start: int) -> bool:
    """Tell whether the last token holds more than the end of its line: it may go on."""
    return text[start:] != "\n" and "\n" in text[start:]


def _extend(row: list[Span], span: Span) -> None:
    """Append a span, joined with the one before where that has the same colour."""
    last = row[-1] if row else None
    if last and last.tone == span.tone and last.start + last.length == span.start:
        row[-1] = Span(last.start, last.length + span.length, last.tone)
    else:
        row.append(span)


@lru_cache(maxsize=256)
def tone_of(kind: _TokenType) -> str:
    """Return the palette's name for a kind of token, "" for plain ink."""
    return next((tone for kinds, tone in _TONES if _is(kind, kinds)), "")


def _is(kind: _TokenType, group: _TokenType) -> bool:
    """Tell whether a kind of token belongs to a group of kinds (kinds are paths of names)."""
    return kind[: len(group)] == group


@lru_cache(maxsize=64)
def language_name(language: str) -> str:
    """Return how a language is called in print, as it was written where Pygments has no name."""
    lexer = _find(language)
    return lexer.name if lexer is not None else language


def language_suffix(language: str) -> str:
    """Return the usual ending of a file in a language, for example ``.py``."""
    lexer = _find(language)
    patterns = lexer.filenames if lexer is not None else []
    return next((p[1:] for p in patterns if p.startswith("*.") and p[2:].isalnum()), ".txt")


def _find(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language.lower()) if language else None
    except ClassNotFound:
        return None


@lru_cache(maxsize=64)
def _lexer_class(language: str) -> type[Lexer] | None:
    """Return a class that can go on from a kept state, or the language's own where none can be."""
    found = _find(language)
    if found is None:
        return None
    kind = type(found)
    own_reading = kind.get_tokens_unprocessed
    if isinstance(found, ExtendedRegexLexer):
        plain = own_reading is ExtendedRegexLexer.get_tokens_unprocessed
        return type(f"Resumable{kind.__name__}", (Resumable, kind), {}) if plain else kind
    if not isinstance(found, RegexLexer) or not _takes_context(found):
        return kind
    return type(f"Resumable{kind.__name__}", (Resumable, kind), {})


def _takes_context(lexer: RegexLexer) -> bool:
    """Tell whether all callbacks in a lexer's rules accept the context as a third argument."""
    rules = [rule for state in lexer._tokens.values() for rule in state]  # type: ignore[attr-defined]
    callbacks = [action for _, action, _ in rules if action and not isinstance(action, _TokenType)]
    return all(len(signature(callback).parameters) >= 3 for callback in callbacks)
