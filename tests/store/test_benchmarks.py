"""Measured speeds on disk: the latest of each model and number of threads, and their exports."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.store.benchmarks import Benchmarks, LastRun, Speed, as_csv, as_json
from app.store.worker import InlineWorker

SPEED = Speed(
    path="/模型/a.gguf", name="A, 1B", file_bytes=1_000_000_000, device="cpu", processor="AVX2",
    threads=2, decode=20.0, prefill=100.0, first_token_s=0.5, second_turn_s=0.1, load_s=1.0,
    peak_bytes=2_000_000_000, bytes_per_token=1_000_000_000, bandwidth=25e9,
    measured_at=1_790_000_000,
)  # fmt: skip


def opened(folder: Path) -> Benchmarks:
    return Benchmarks(folder / "benchmarks.json", InlineWorker())


def test_the_limit_is_what_the_memory_delivers() -> None:
    assert SPEED.limit == 25
    assert SPEED.share == pytest.approx(0.8)
    assert replace(SPEED, bytes_per_token=0).share == 0


def test_what_was_measured_is_there_at_the_next_start(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.keep(SPEED)
    first.keep(replace(SPEED, threads=1, decode=12.0))
    first.keep(replace(SPEED, decode=21.0))  # measured again
    first.end_run(LastRun(1_790_000_100, 1, 62.5))
    again = opened(tmp_path)
    assert [speed.decode for speed in again.speeds(2)] == [21.0]
    assert [speed.decode for speed in again.speeds()] == [21.0, 12.0]
    assert again.last_run == LastRun(1_790_000_100, 1, 62.5)


def test_a_slower_run_in_the_place_of_an_earlier_one_slows_no_memory(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.keep(SPEED)
    first.keep(replace(SPEED, bandwidth=12e9))  # another program was at work
    assert first.bandwidth == 25e9
    assert opened(tmp_path).bandwidth == 25e9


def test_what_was_kept_before_there_were_peers_is_read(tmp_path: Path) -> None:
    opened(tmp_path).keep(SPEED)
    file = tmp_path / "benchmarks.json"
    content = json.loads(file.read_text("utf-8"))
    for name in ("peer", "peer_decode", "peer_prefill"):
        del content["speeds"][0][name]
    file.write_text(json.dumps(content), "utf-8")
    assert opened(tmp_path).speeds() == (SPEED,)


def test_the_memory_is_as_fast_as_it_ever_was(tmp_path: Path) -> None:
    first = opened(tmp_path)
    assert first.bandwidth == 0
    first.keep_bandwidth(20e9)
    first.keep_bandwidth(6e9)  # other programs were at work
    assert opened(tmp_path).bandwidth == 20e9
    first.keep(SPEED)
    assert opened(tmp_path).bandwidth == SPEED.bandwidth


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 400,
        b"[1]",
        b'{"speeds": 7, "last_run": [], "bandwidth": "fast"}',
        b'{"speeds": [{"path": "a"}, null, 3], "last_run": {"ended_at": "x"}}',
    ],
)
def test_a_damaged_file_counts_as_nothing_measured(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "benchmarks.json").write_bytes(content)
    damaged = opened(tmp_path)
    assert damaged.speeds() == ()
    assert damaged.last_run is None
    assert damaged.bandwidth == 0
    damaged.keep(SPEED)
    assert opened(tmp_path).speeds() == (SPEED,)


def test_exports_can_be_read_back() -> None:
    [row] = csv.DictReader(io.StringIO(as_csv([SPEED])))
    assert row["name"] == "A, 1B"
    assert float(row["decode"]) == 20
    assert json.loads(as_json([SPEED]))[0]["path"] == "/模型/a.gguf"
