"""Search: Chinese words of any length, parts of code, all words of a turn, and nothing deleted."""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from app.store.opening import OpenedStore
from app.store.rows import ChatRow, TurnRow
from app.store.schema import MIGRATIONS
from app.store.search import SearchResults, find_turns, words_of
from app.store.searching import Searcher
from app.store.turn_text import Where
from app.store.worker import InlineWorker, Job, ThreadWorker
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


def with_all(turn: int, content: str, reasoning: str = "", file: str = "") -> TurnRow:
    held = json.dumps([{"name": "lease.pdf", "kind": "pdf", "text": file}]) if file else ""
    return TurnRow(turn, 1, None, "user", content, reasoning=reasoning, attachments=held)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_thoughts_and_files_are_found_and_the_hit_says_where(
    opener: Opener, is_indexed: bool
) -> None:
    opened = filled(opener)
    file = "第一条\n租期两年，违约金三百元。" + "fill " * 50
    opened.store.add_turns(with_all(70, "what about it?", "the user means subletting", file))
    opened.store.index.catch_up()
    reading = opened.store.database.reading
    (thought,) = find_turns(reading, "subletting", is_indexed=is_indexed).hits
    assert (thought.turn, thought.where, thought.file) == (70, Where.THOUGHT, "")
    (filed,) = find_turns(reading, "违约", is_indexed=is_indexed).hits
    assert (filed.turn, filed.where, filed.file) == (70, Where.FILE, "lease.pdf")
    assert [filed.snippet[start:end] for start, end in filed.marks] == ["违约"]
    (named,) = find_turns(reading, "lease.pdf", is_indexed=is_indexed).hits
    assert named.where is Where.FILE
    (both,) = find_turns(reading, "subletting 违约金", is_indexed=is_indexed).hits
    assert both.turn == 70
    assert find_turns(reading, "subletting zebra", is_indexed=is_indexed).hits == ()


def test_a_changed_thought_and_a_dropped_file_are_found_no_longer(opener: Opener) -> None:
    opened = filled(opener)
    opened.store.add_turns(with_all(70, "said", "about subletting", "a clause"))
    opened.store.index.catch_up()
    opened.store.add_turns(with_all(70, "said", "about walruses"))
    opened.store.index.catch_up()
    assert (found(opened, "subletting"), found(opened, "clause"), found(opened, "walrus")) == (
        [],
        [],
        [70],
    )
    assert terms(opened.store.database.reading, "sub") == set()


def terms(connection: sqlite3.Connection, term: str) -> set[int]:
    sql = "SELECT DISTINCT doc FROM turn_trigrams WHERE term = ?"
    return {turn for (turn,) in connection.execute(sql, (term,))}


class StepWorker:
    """Runs its jobs when it is told to, and loses what is left."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()

    def post(self, job: Job) -> None:
        self._jobs.append(job)

    def run(self, count: int) -> None:
        for _ in range(count):
            self._jobs.popleft()()

    def flush(self, timeout_s: float = 5.0) -> bool:
        return True

    def close(self, timeout_s: float = 5.0) -> bool:
        return True


def older_database(opener: Opener, monkeypatch: pytest.MonkeyPatch, count: int = 1) -> None:
    """Leave a file as a program left it that knew neither thoughts nor files in its search."""
    with monkeypatch.context() as past:
        past.setattr("app.store.schema.MIGRATIONS", MIGRATIONS[:3])
        past.setattr("app.store.search_index.searched_text", lambda said, *others: said)
        opened = opener()
        opened.store.put_chat(ChatRow(1, created=1))
        opened.store.add_turns(
            *(with_all(n, f"said {n}", f"thought {n}", f"filed {n}") for n in range(1, count + 1))
        )
        opened.store.index.catch_up()
        assert (bool(found(opened, "said")), found(opened, "thought")) == (True, [])
        opened.close()


def test_an_older_index_learns_thoughts_and_files_slice_by_slice(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    older_database(opener, monkeypatch, count=200)
    worker = StepWorker()
    opened = opener(worker)
    results = find_turns(opened.store.database.reading, '"thought 150"')
    assert (results.hits, results.unindexed) == ((), 200)
    assert found(opened, '"said 150"') == [150]  # what it knew is found all the while
    opened.store.index.catch_up()
    worker.run(2)
    again = opener()  # what the worker had not done by then is lost
    assert 0 < find_turns(again.store.database.reading, "x").unindexed < 200
    again.store.index.catch_up()
    assert found(again, '"thought 150"') == found(again, '"filed 150"') == [150]
    assert find_turns(again.store.database.reading, "x").unindexed == 0


def test_a_turn_changed_before_its_older_index_was_renewed_leaves_nothing_behind(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    older_database(opener, monkeypatch, count=3)
    opened = opener()
    opened.store.add_turns(with_all(1, "other words", "thought 1"))
    opened.store.delete_turns([2], 1)
    opened.store.purge()
    opened.store.index.catch_up()
    reading = opened.store.database.reading
    assert terms(reading, "sai") == {3}
    assert (found(opened, "other"), found(opened, '"thought 1"')) == ([1], [1])
    check = "INSERT INTO turn_text(turn_text) VALUES('integrity-check')"
    opened.store.database.write(lambda c: c.execute(check).close())
    assert opened.store.database.fault is None
