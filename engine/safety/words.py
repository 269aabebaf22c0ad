"""Words as expressions: as they are written, and as people write them to get past a rule.

Found are the word itself, with signs between its letters (b.a-d), cut by the end of a line with a
hyphen or without, with spaces between all of them (b a d), with a letter drawn out (baaad) and with
digits that look like letters (b4d). A word is a whole word: letters that go on before or after it
make it another one, and Chinese, which has no spaces, names the longer words in which it does not
count. Two ordinary words around the end of a line are no word that is cut ("pen" and "is").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import re2

from engine.safety.fold import Folding
from engine.safety.ordinary import ORDINARY
from engine.safety.rules import (
    LINE_BREAK,
    Action,
    Rule,
    Side,
    Span,
    compiled,
    is_han,
    outside,
    pattern_finder,
    reads_as_word,
)

LONGEST_WORD = 48  # letters
LONGEST_PHRASE = 16
"""Of the phrases in which a word does not count: so much is seen on both sides of a place."""

_SIGNS = r"[-._*~'·•/\\|+=^]"
_BROKEN = r"[-\x{2010}]\s"  # a word that goes on in the next line, folded
_BETWEEN = r"[-\s._*~'·•/\\|+=^>]{0,2}"
_CUT = rf"{_BETWEEN}\n{_BETWEEN}"
_WIDEST_CUT = 5
_PIECE = re.compile(r"[^\W_](?:[^\W_]|[^\w\s](?=\w))*")  # letters, and signs between them
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
_NOT_IN_WORD = rf"[^\pL\pN]|[{_UNSPACED}]"
_LIKE = {"a": "[a4@]", "e": "[e3]", "i": "[i1!]", "l": "[l1|]", "o": "[o0]", "s": "[s5$]"}
_MORE = r"\pL{0,8}"
_MORE_SPACED = rf"[^\PL{_UNSPACED}]{{0,8}}"  # Chinese after an English word begins another one


def word_rule(
    word: str,
    group: str,
    action: Action,
    sides: frozenset[Side],
    folding: Folding,
    phrases: Sequence[str] = (),
) -> Rule:
    """The rule of a word; a star at its end (or beginning) stands for any further letters.

    Raises:
        ValueError: there is no letter in it, or too many, or a phrase is too long.
    """
    folded = " ".join(folding.fold(word).strip("* ").split())
    letters = [c for c in folded if not c.isspace()]
    if not any(c.isalnum() for c in letters):
        raise ValueError("there is no letter in it")
    if len(letters) > LONGEST_WORD:
        raise ValueError(f"it is longer than {LONGEST_WORD} letters")
    known = [folding.fold(phrase) for phrase in phrases]
    if any(len(phrase) > LONGEST_PHRASE + len(letters) for phrase in known):
        raise ValueError(f"a phrase is more than {LONGEST_PHRASE} letters longer than the word")
    body = _body(folded, letters)
    before = "" if is_han(letters[0]) else f"(?:^|{_NOT_IN_WORD})"
    after = "" if is_han(letters[-1]) else f"(?:$|{_NOT_IN_WORD})"
    start, end = word.strip().startswith("*"), word.strip().endswith("*")
    middle = (_more(letters[0]) if start else "") + f"(?:{body})"
    middle += _more(letters[-1]) if end else ""
    clear = outside(known)
    count = sum(c.isalpha() for c in letters)

    parts = folded.split()

    def accepts(text: str, span: Span) -> bool:
        if not reads_as_word(text, span, count) or not clear(text, span):
            return False
        found = text[slice(*span)]
        is_whole = len(parts) > 1 or LINE_BREAK not in found
        return is_whole or _is_cut(found, len(letters), start, end)

    find = pattern_finder(compiled(f"{before}({middle}){after}"), 1, accepts)
    usual, cut = 3 * len(letters), len(letters) + _WIDEST_CUT * (len(letters) - 1)
    width = (cut if len(parts) == 1 else usual + _WIDEST_CUT) + 8 * (start + end)
    return Rule(word.strip(), group, action, sides, find, width, body, reads_lines=True)


def _more(letter: str) -> str:
    """The letters that may go on beside an outermost one."""
    return _MORE if is_han(letter) else _MORE_SPACED


def _is_cut(found: str, letters: int, start: bool, end: bool) -> bool:
    """Whether what was found over the end of a line is one word, and not two that stand there.

    Args:
        found: folded, with line breaks.
        letters: of the word.
        start: whether any letters may go on before it.
        end: whether any letters may go on after it.
    """
    pieces = _PIECE.findall(found)
    if all(len(piece) == 1 or is_han(piece[0]) for piece in pieces):
        return True
    if sum(map(len, pieces)) > letters:  # letters that go on make any word of the outermost piece
        pieces = pieces[1 if start else 0 : -1 if end else None]
    return any(piece not in ORDINARY for piece in pieces)


def _body(folded: str, letters: Sequence[str]) -> str:
    """The ways to write a word, as alternatives."""
    if all(is_han(letter) for letter in letters):
        return rf"(?:(?:\s|{_SIGNS}){{0,2}}|{_CUT})".join(re2.escape(c) for c in letters)
    parts = [_written(part) for part in folded.split()]
    ways = [rf"(?:\s|{_SIGNS}){{0,3}}".join(parts)]
    if len(letters) > 2:
        ways.append(rf"(?:\s|{_SIGNS}){{1,2}}".join(_letter(c) for c in letters))
    return "|".join(ways)


def _written(part: str) -> str:
    """One word with signs between its letters, and letters that stand alone drawn out."""
    forms: list[str] = []
    for place, letter in enumerate(part):
        neighbours = (part[place - 1 : place], part[place + 1 : place + 2])
        form = _letter(letter)
        is_drawn = letter.isalpha() and letter not in neighbours and not is_han(letter)
        forms.append(f"(?:{form}|{form}{{3,6}})" if is_drawn else form)
    return rf"(?:{_SIGNS}{{0,2}}|{_BROKEN}|{_CUT})".join(forms)


def _letter(letter: str) -> str:
    return _LIKE.get(letter) or re2.escape(letter)
