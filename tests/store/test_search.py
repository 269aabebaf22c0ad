"""Search: Chinese words of any length, parts of code, all words of a turn, and nothing deleted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.store.opening import OpenedStore
from app.store.rows import ChatRow, TurnRow
from app.store.search import SearchResults, find_turns, words_of
from app.store.searching import Searcher
from app.store.worker import InlineWorker, ThreadWorker
from tests.store.conftest import Opener

TEXTS = {
    1: "签合同之前，要问清楚押金什么时候退。",
    2: "The deposit of $800 is due with the first rent.",
    3: "```python\n# doubling\n\ndef years_to_double(rate: float) -> float:\n"
    "    return log(2) / log(1 + rate)\n```",
    4: "房东说押金一个月内退",
    5: "Straße, ÄRGER, İstanbul and 😀😃 emoji",
    6: "C is a language; Go is one, too",
    7: "最后两个字是押金",
    8: "100% sure: don't use 'x' OR \"y\" AND (z*) NEAR",
}


def filled(opener: Opener) -> OpenedStore:
    opened = opener()
    opened.store.put_chat(ChatRow(1, title="Rent 房租", created=1))
    opened.store.add_turns(
        *(TurnRow(n, 1, n - 1 or None, "user", text, created=n) for n, text in TEXTS.items())
    )
    opened.store.index.catch_up()
    return opened


def found(opened: OpenedStore, text: str, **values: bool) -> list[int]:
    results = find_turns(opened.store.database.reading, text, **values)
    return sorted(hit.turn for hit in results.hits)


@pytest.mark.parametrize("is_indexed", [True, False])
@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("押金", [1, 4, 7]),
        ("退", [1, 4]),
        ("押金什么时候", [1]),
        ("押金 退", [1, 4]),
        ("押金 deposit", []),
        ("DEPOSIT", [2]),
        ("deposit rent", [2]),
        ("years_to", [3]),
        ("double(rate", [3]),
        ("-> float:", [3]),
        ('"to_double(rate: float)"', [3]),
        ("(1 + r", [3]),
        ("straße", [5]),
        ("ärger", [5]),
        ("😀", [5]),
        ("Go", [6]),
        ("100%", [8]),
        ("'x'", [8]),
        ("OR", [8]),
        ("(z*)", [8]),
        ("nothing of the kind", []),
        ("   ", []),
        ('""', []),
    ],
)
def test_words_and_parts_of_words_are_found(
    opener: Opener, text: str, turns: list[int], is_indexed: bool
) -> None:
    opened = filled(opener)
    assert found(opened, text, is_indexed=is_indexed) == turns


def test_short_words_far_from_the_newest_turns_are_found(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.search._NEWEST", 1)
    opened = filled(opener)
    assert found(opened, "押金") == [1, 4, 7]
    assert found(opened, "退") == [1, 4]
    assert found(opened, "押金 退") == [1, 4]


def test_a_hit_shows_what_stands_around_it_and_where_the_words_are(opener: Opener) -> None:
    opened = filled(opener)
    (hit,) = find_turns(opened.store.database.reading, "return rate").hits
    assert hit.snippet[hit.marks[0][0] : hit.marks[0][1]] in {"rate", "return"}
    assert {hit.snippet[start:end] for start, end in hit.marks} == {"rate", "return"}
    assert (hit.title, hit.role, hit.chat, hit.created) == ("Rent 房租", "user", 1, 3)
    assert hit.snippet.startswith("…")
    assert "\n" not in hit.snippet


def test_the_newest_come_first_and_there_may_be_more(opener: Opener) -> None:
    results = find_turns(filled(opener).store.database.reading, "押金", limit=2)
    assert ([hit.turn for hit in results.hits], results.has_more) == ([7, 4], True)


def test_one_chat_alone_can_be_searched(opener: Opener) -> None:
    opened = filled(opener)
    opened.store.put_chat(ChatRow(2, created=1))
    opened.store.add_turns(TurnRow(50, 2, None, "user", "押金"))
    reading = opened.store.database.reading
    assert [hit.turn for hit in find_turns(reading, "押金", chat=2).hits] == [50]


def test_changed_and_deleted_texts_are_not_found_any_more(opener: Opener) -> None:
    opened = filled(opener)
    store = opened.store
    store.add_turns(TurnRow(4, 1, 3, "user", "changed 押韵"))
    store.delete_turns([7], 1)
    assert found(opened, "押金") == [1]
    store.index.catch_up()
    assert (found(opened, "押金"), found(opened, "押韵")) == ([1], [4])
    store.delete_turns([7], None)
    assert found(opened, "押金") == [1, 7]
    store.delete_chat(1, 1)
    assert found(opened, "押金") == []


def test_text_that_a_kill_left_in_the_journal_is_found_after_the_restart(opener: Opener) -> None:
    from app.store.reply_journal import Piece

    store = filled(opener).store
    store.add_turns(TurnRow(20, 1, 8, "assistant", state="streaming"))
    store.append(20, 1, [Piece("answer", 0, "half an answer about 租金")])
    again = opener()
    again.store.index.catch_up()
    assert found(again, "租金") == [20]


def test_a_damaged_index_is_made_again_and_found_in_the_meantime(opener: Opener) -> None:
    opened = filled(opener)

    def damage(connection: object) -> None:
        connection.execute("UPDATE turn_text_data SET block = x'00112233'")  # type: ignore[attr-defined]

    opened.store.database.write(damage)
    opened = opener()
    results: list[SearchResults] = []
    searcher = Searcher(opened.store, InlineWorker(), results.append)
    opened.store.add_turns(TurnRow(30, 1, 8, "user", "new 押金"))
    searcher.find("押金")
    searcher.find("years_to_double")
    assert [[hit.turn for hit in each.hits] for each in results] == [[30, 7, 4, 1], [3]]
    assert opened.store.database.fault is None
    searcher.close()


def test_what_was_deleted_for_good_is_in_none_of_the_files(opener: Opener, tmp_path: Path) -> None:
    """Three rare characters: their bytes are nowhere, not in a page, the log or the index."""
    opened = filled(opener)
    opened.store.add_turns(TurnRow(40, 1, 8, "user", "a secret: 龘靐齉 and more"))
    opened.store.index.catch_up()
    opened.store.add_turns(TurnRow(40, 1, 8, "user", "another secret: 龗靎齾 instead"))
    opened.store.index.catch_up()
    opened.store.delete_turns([40], 1)
    opened.store.purge()
    opened.close()
    for file in tmp_path.rglob("*"):
        raw = file.read_bytes() if file.is_file() else b""
        for secret in ("龘靐齉", "龗靎齾"):
            assert secret.encode() not in raw, file.name


def test_a_search_runs_on_its_own_thread_and_the_newest_wins(opener: Opener) -> None:
    import threading

    opened = opener(ThreadWorker())
    opened.store.put_chat(ChatRow(1, created=1))
    opened.store.add_turns(*(TurnRow(n, 1, n - 1 or None, "user", f"t {n}") for n in range(1, 99)))
    told: list[tuple[int, SearchResults]] = []
    done = threading.Event()

    def hear(results: SearchResults) -> None:
        told.append((threading.get_ident(), results))
        done.set()

    searcher = Searcher(opened.store, ThreadWorker("inkstone-search"), hear)
    for number in range(1, 50):
        searcher.find(f"t {number}")
    searcher.find("t 98")
    while not (done.wait(5) and told[-1][1].text == "t 98"):
        done.clear()
    assert [hit.turn for hit in told[-1][1].hits] == [98]
    assert told[-1][0] != threading.get_ident()
    assert searcher.close()


def test_words_are_split_at_spaces_unless_quoted() -> None:
    assert words_of('One  two "Three four" "') == ("one", "two", "three four", '"')


def test_a_reply_that_grows_is_indexed_once_it_is_finished(opener: Opener) -> None:
    opened = filled(opener)
    row = TurnRow(60, 1, 8, "assistant", state="streaming")
    opened.store.add_turns(row)
    opened.store.finish(replace(row, content="finished 完成了", state="complete"))
    opened.store.index.catch_up()
    assert found(opened, "完成") == [60]
