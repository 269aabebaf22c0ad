"""Finding words in all chats: the newest turns that have every word, with what stands around it.

A turn is looked through as a whole: what was said, the thought, the text of attached files.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from app.store.columns import read_text
from app.store.turn_text import TEXT_COLUMNS, Passage, Where, passages

_TRIGRAMS = 32  # of one word looked up; the text itself is checked afterwards
_NEWEST = 2_000  # turns that are simply read through before the vocabulary is asked
_BATCH = 100  # candidates checked at once
_BEFORE, _AFTER = 32, 96  # characters around the first hit
_TEXTS = ", ".join(f"t.{name}" for name in TEXT_COLUMNS)
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A turn that has every word."""

    turn: int
    chat: int
    title: str
    role: str
    created: int  # microseconds UTC
    snippet: str
    marks: tuple[tuple[int, int], ...]  # where words stand in the snippet: start, end
    where: Where = Where.SAID  # what the snippet is of
    file: str = ""  # the name of the file it is of


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What was found."""

    text: str
    hits: tuple[SearchHit, ...]
    has_more: bool = False
    unindexed: int = 0  # turns that could not be looked through yet, for example after an import


def words_of(text: str) -> tuple[str, ...]:
    """Return what has to be found: words, and what stands in double quotes as a whole."""
    found = (quoted or word for quoted, word in re.findall(r'"([^"]+)"|(\S+)', text))
    return tuple(dict.fromkeys(_lower(word) for word in found if word.strip()))


def find_turns(
    connection: sqlite3.Connection,
    text: str,
    limit: int = 50,
    chat: int | None = None,
    *,
    is_indexed: bool = True,
) -> SearchResults:
    """Find the newest turns that have every word of ``text``.

    Args:
        connection: of the thread that searches; ``interrupt`` ends the search from another one.
        text: what a person typed.
        limit: hits at most.
        chat: look into this chat only.
        is_indexed: False reads every text instead of asking the index.

    Raises:
        sqlite3.DatabaseError: the index is damaged; sqlite3.OperationalError when interrupted.
    """
    words = words_of(text)
    if not words:
        return SearchResults(text, ())
    hits = list(islice(_hits(connection, words, chat, is_indexed), limit + 1))
    unindexed = int(connection.execute("SELECT count(*) FROM unindexed").fetchone()[0])
    return SearchResults(text, tuple(hits[:limit]), len(hits) > limit, unindexed)


def _hits(
    connection: sqlite3.Connection, words: Sequence[str], chat: int | None, is_indexed: bool
) -> Iterator[SearchHit]:
    seen: set[int] = set()
    if chat is not None:
        turns = _turns_of(connection, chat)
    elif is_indexed:
        turns = _candidates(connection, words)
    else:
        turns = _newest(connection, -1)
    for batch in _batches(turns):
        new = [turn for turn in batch if turn not in seen]
        seen.update(new)
        yield from _checked(connection, new, words, chat)


def _candidates(connection: sqlite3.Connection, words: Sequence[str]) -> Iterator[int]:
    """Return turns that may have every word, the newest first."""
    long = [word for word in words if len(word) >= 3]
    if long:
        terms = " AND ".join(_quoted(gram) for word in long for gram in _trigrams(word))
        sql = "SELECT rowid FROM turn_text WHERE turn_text MATCH ? ORDER BY rowid DESC"
        yield from (turn for (turn,) in connection.execute(sql, (terms,)))
        return
    yield from _newest(connection, _NEWEST)
    yield from _with_short_words(connection, words)


def _newest(connection: sqlite3.Connection, count: int) -> Iterator[int]:
    rows = connection.execute("SELECT id FROM turns ORDER BY id DESC LIMIT ?", (count,))
    return (turn for (turn,) in rows)


def _turns_of(connection: sqlite3.Connection, chat: int) -> Iterator[int]:
    """Return all turns of one chat: few enough to read them through."""
    sql = "SELECT id FROM turns WHERE chat = ? ORDER BY id DESC"
    return (turn for (turn,) in connection.execute(sql, (chat,)).fetchall())


def _with_short_words(connection: sqlite3.Connection, words: Sequence[str]) -> list[int]:
    found: set[int] | None = None
    for word in words:
        sql = "SELECT DISTINCT doc FROM turn_trigrams WHERE term >= ? AND term < ?"
        turns = {turn for (turn,) in connection.execute(sql, (word, word + _LAST))}
        found = turns if found is None else found & turns
    return sorted(found or (), reverse=True)


def _trigrams(word: str) -> list[str]:
    """Return trigrams that cover a word; every third one does."""
    places = [*range(0, len(word) - 2, 3), len(word) - 3]
    return list(dict.fromkeys(word[place : place + 3] for place in places))[:_TRIGRAMS]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _batches(turns: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(turns)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _checked(
    connection: sqlite3.Connection, turns: Sequence[int], words: Sequence[str], chat: int | None
) -> Iterator[SearchHit]:
    """Look at the texts themselves."""
    rows = connection.execute(
        f"SELECT t.id, t.chat, c.title, t.role, t.created, {_TEXTS}"
        " FROM turns t JOIN chats c ON c.id = t.chat"
        f" WHERE t.id IN ({', '.join('?' * len(turns))})"
        " AND t.deleted IS NULL AND c.deleted IS NULL AND (? IS NULL OR t.chat = ?)"
        " ORDER BY t.id DESC",
        (*turns, chat, chat),
    )
    for turn, of_chat, title, role, created, *columns in rows.fetchall():
        best = _best_passage(tuple(passages(*columns)), words)
        if best is not None:
            snippet, marks = _snippet(best.text, _lower(best.text), words)
            yield SearchHit(
                turn,
                of_chat,
                read_text(title),
                role,
                created,
                snippet,
                marks,
                best.where,
                best.name,
            )


def _best_passage(texts: Sequence[Passage], words: Sequence[str]) -> Passage | None:
    """Return the text with most of the words, the first of several; None: some word is nowhere."""
    best, most, missing = None, 0, set(words)
    for each in texts:
        low = _lower(each.text)
        here = {word for word in words if word in low}
        missing -= here
        if len(here) > most:
            best, most = each, len(here)
    return None if missing else best


def _lower(text: str) -> str:
    """Lower a text without changing its length, so that places stay places."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(each if len(each := char.lower()) == 1 else char for char in text)


def _snippet(text: str, low: str, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut out what stands around the first word; line ends become spaces."""
    first = min(place for word in words if (place := low.find(word)) >= 0)
    start = max(first - _BEFORE, 0)
    end = min(first + _AFTER, len(text))
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    marks = [
        (match.start() + len(head), match.end() + len(head))
        for word in words
        for match in re.finditer(re.escape(word), low[start:end])
    ]
    snippet = head + re.sub(r"\s", " ", text[start:end]) + tail
    return snippet, tuple(sorted(marks))
