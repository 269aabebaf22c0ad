"""What requests measured: bounded, thinned by the minute, read again, exported."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from app.store.monitor import FULL_S, MOST_KEPT, Measured, MonitorLog, as_csv, as_json, thinned
from app.store.worker import InlineWorker

NOW = 1_790_000_000.0


def at(seconds: float, **values: object) -> Measured:
    return Measured(NOW + seconds, "window", "模型", **values)  # type: ignore[arg-type]


def opened(folder: Path) -> MonitorLog:
    return MonitorLog(folder / "new" / "monitor.jsonl", InlineWorker())


def test_what_was_measured_is_there_at_the_next_start(tmp_path: Path) -> None:
    log = opened(tmp_path)
    kept = [at(0, first_token_s=0.5, token_s=0.1), at(9, fault="internal", failed=1)]
    for each in kept:
        log.add(each)
    assert opened(tmp_path).kept == kept


def test_older_requests_become_the_medians_of_their_minutes() -> None:
    begin = NOW // 60 * 60 - NOW
    old = [
        at(begin + second, token_s=token_s, prompt_tokens=10, failed=int(token_s is None))
        for second, token_s in ((1, 0.1), (2, 0.2), (30, 0.9), (40, None))
    ]
    later = at(begin + FULL_S + 70)
    made = thinned([*old, later], later.at)
    assert len(made) == 2
    minute = made[0]
    assert (minute.token_s, minute.prompt_tokens) == (0.2, 40)
    assert (minute.requests, minute.failed) == (4, 1)
    assert minute.at == NOW // 60 * 60
    assert made[1] == later
    assert thinned(made, later.at) == made
    assert thinned([*old, later], NOW + FULL_S - 60) == [*old, later]  # not old yet


def test_a_minute_keeps_what_gpus_took_where_some_did() -> None:
    later = at(2 * FULL_S)
    some = [at(0, gpu=0.2, gpu_bytes=5), at(1), at(2, gpu=0.6, gpu_bytes=9)]
    minute = thinned([*some, later], later.at)[0]
    assert (minute.gpu, minute.gpu_bytes) == (0.4, 9)
    none = thinned([at(0), at(1), later], later.at)[0]
    assert (none.gpu, none.gpu_bytes) == (None, None)


def test_lines_from_before_gpus_were_read_are_read_still(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.add(at(0, token_s=0.1))
    path = tmp_path / "new" / "monitor.jsonl"
    line = json.loads(path.read_text("utf-8"))
    del line["gpu"], line["gpu_bytes"]
    path.write_text(json.dumps(line) + "\n", "utf-8")
    assert opened(tmp_path).kept == [at(0, token_s=0.1)]


def test_askers_and_models_are_not_mixed() -> None:
    two = [Measured(0, "window", "A"), Measured(1, "server", "A"), Measured(2, "window", "B")]
    assert thinned(two, NOW) == two


def test_file_and_memory_stay_bounded(tmp_path: Path) -> None:
    log = opened(tmp_path)
    for number in range(MOST_KEPT + 700):
        log.add(at(number / 10))
    assert len(log.kept) == MOST_KEPT
    assert log.kept[-1] == at((MOST_KEPT + 699) / 10)
    lines = (tmp_path / "new" / "monitor.jsonl").read_text("utf-8").splitlines()
    assert len(lines) <= MOST_KEPT + 500
    assert opened(tmp_path).kept == log.kept


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "null", '{"at": 1}', json.dumps(asdict(at(0)) | {"token_s": "1"})]
)
def test_a_line_that_is_not_ours_is_passed_over(tmp_path: Path, line: str) -> None:
    log = opened(tmp_path)
    log.add(at(0))
    with (tmp_path / "new" / "monitor.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert opened(tmp_path).kept == [at(0)]


def test_a_folder_that_cannot_be_written_to_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("a file")
    log = opened(tmp_path)
    log.add(at(0))
    assert log.kept == [at(0)]


def test_exports_hold_every_field() -> None:
    kept = [at(0, token_s=0.25, gpu=0.5, gpu_bytes=7), at(1, fault="internal", failed=1)]
    rows = list(csv.DictReader(io.StringIO(as_csv(kept))))
    assert [row["model"] for row in rows] == ["模型", "模型"]
    assert (rows[0]["token_s"], rows[1]["token_s"]) == ("0.25", "")
    assert (rows[0]["gpu"], rows[0]["gpu_bytes"], rows[1]["gpu"]) == ("0.5", "7", "")
    assert [Measured(**each) for each in json.loads(as_json(kept))] == kept
    assert kept[0].tokens_per_second == 4
    assert kept[1].tokens_per_second is None
