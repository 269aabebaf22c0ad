"""What chats cost: saving, opening 10,000 turns, searching 100,000. Prints a table.

Every second reply has a thought, every twentieth question a file of 4,000 characters.

Run: ``python -m tests.bench.chats`` (about three minutes, most of it filling the store).
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from app.chat.attachment import Attachment, attachments_text
from app.chat.conversation import Conversation
from app.store.opening import OpenedStore, open_store
from app.store.rows import ChatRow, TurnRow
from app.store.search import find_turns
from app.store.worker import InlineWorker

CHATS, TURNS_A_CHAT = 1_000, 100
LONG = 10_000
QUERIES = {
    "rare English word": "zyzzyva",
    "part of code": "years_to_double(",
    "frequent word": "aa",
    "Chinese word, 2 characters": "押金",
    "Chinese word, rare": "龘靐",
    "Chinese character, frequent": "的",
    "Chinese character, rare": "龘",
    "three words": "押金 zyzzyva years_to",
    "rare word of a thought": "ponderance",
    "Chinese word of a thought": "沉吟",
    "rare word of a file": "appendixword",
    "Chinese word of a file": "附录",
    "not there": "qqqqzzzz",
    "not there, 2 characters": "靐龘",
}


def texts() -> Callable[[int], str]:
    """Make texts of about 500 bytes, words by Zipf's law, Latin and Chinese in turns."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(20_000)]
    chars = "的" + "".join(chr(0x4E00 + place) for place in range(3_000))
    word_odds = list(accumulate(1 / (place + 1) for place in range(len(words))))
    char_odds = list(accumulate(1 / (place + 5) for place in range(len(chars))))

    def make(number: int) -> str:
        if number % 2:
            text = " ".join(rng.choices(words, cum_weights=word_odds, k=90))
        else:
            text = "".join(rng.choices(chars, cum_weights=char_odds, k=170))
        if number % 30_000 == 7:
            text += " zyzzyva def years_to_double(rate) 押金 龘靐"
        return text + " 押金" if number % 500 == 3 else text

    return make


def turn_row(make: Callable[[int], str], turn: int, chat: int, place: int) -> TurnRow:
    """Return a turn of the store: replies with thoughts, questions with files now and then."""
    is_reply = place % 2 == 1
    thought = make(turn) if is_reply and turn % 4 == 0 else ""
    if turn % 10_000 == 4:
        thought = f"{make(turn)} ponderance 沉吟"
    files = ""
    if not is_reply and turn % 40 == 1:
        text = "\n".join(make(turn + line) for line in range(8))
        rare = " appendixword 附录" if turn % 8_000 == 1 else ""
        files = attachments_text((Attachment(f"report {turn}.txt", "text", text + rare),))
    return TurnRow(
        turn,
        chat,
        turn - 1 if place else None,
        "assistant" if is_reply else "user",
        make(turn),
        reasoning=thought,
        attachments=files,
    )


def fill(opened: OpenedStore) -> None:
    """Write the chats, and one of 10,000 turns."""
    make = texts()
    turn = 0
    for chat in range(1, CHATS + 1):
        opened.store.put_chat(ChatRow(chat, f"chat {chat}", created=1, updated=chat))
        rows = []
        for place in range(TURNS_A_CHAT):
            turn += 1
            rows.append(turn_row(make, turn, chat, place))
        opened.store.add_turns(*rows)
    opened.store.put_chat(ChatRow(CHATS + 1, "long", created=1, updated=CHATS + 1))
    opened.store.add_turns(
        *(
            TurnRow(
                turn + place,
                CHATS + 1,
                turn + place - 1 if place > 1 else None,
                "assistant" if place % 2 else "user",
                make(place),
                ids=tuple(range(300)) if place % 2 else (),
            )
            for place in range(1, LONG + 1)
        )
    )


def milliseconds(act: Callable[[], object], times: int = 5) -> float:
    """Return the median time of an act."""
    measured = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        measured.append((time.perf_counter() - start) * 1e3)
    return statistics.median(measured)


def slices(book: Conversation) -> Iterator[float]:
    """Yield how long each slice of fetching a chat takes."""
    more = True
    while more:
        start = time.perf_counter()
        more = book.fetch_some()
        yield (time.perf_counter() - start) * 1e3


def report(name: str, figure: float, unit: str = "ms") -> None:
    print(f"| {name} | {figure:,.1f} {unit} |", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        measure(Path(name))


def measure(folder: Path) -> None:
    opened = open_store(folder, InlineWorker(), InlineWorker())
    fill(opened)
    print("| what | figure |\n| --- | --- |")
    start = time.perf_counter()
    opened.store.index.catch_up()
    count = CHATS * TURNS_A_CHAT + LONG
    report("indexing", count / (time.perf_counter() - start), "turns/s")
    opened.close()
    report("database and index", (folder / "chats.db").stat().st_size / 1e6, "MB")
    report("opening the store", milliseconds(lambda: open_store_once(folder), 1))
    opened = open_store(folder, InlineWorker(), InlineWorker())
    store = opened.store
    report(f"list of {CHATS:,} chats", milliseconds(store.chats))
    row = store.chats()[0]
    report(f"opening {LONG:,} turns, its end", milliseconds(lambda: open_end(row, opened)))
    book = Conversation(row, store)
    last = book.tree.leaf()
    report("longest slice of fetching its turns", max(slices(book)))
    report("first prompt of it", milliseconds(lambda: book.messages(last, 8192, ""), 1))
    report("next prompt of it", milliseconds(lambda: book.messages(last, 8192, "")))
    for kind, query in QUERIES.items():
        reading = store.database.reading
        hits = len(find_turns(reading, query).hits)
        took = milliseconds(partial(find_turns, reading, query))
        report(f"search: {kind} ({hits} shown)", took)
    opened.close()


def open_store_once(folder: Path) -> None:
    open_store(folder, InlineWorker(), InlineWorker()).close()


def open_end(row: ChatRow, opened: OpenedStore) -> None:
    """Open a chat as the window does: the tree, and the turns at its end."""
    assert len(Conversation(row, opened.store).path()[-20:]) == 20


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    main()
