"""The audit log: every edit, every missing record and a cut end are found."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.cli import main
from engine.safety.audit import AuditLog

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def filled(folder: Path, records: int = 6) -> AuditLog:
    log = AuditLog(folder)
    for number in range(records):
        log.append("output", NOW + timedelta(seconds=number), rule=f"r{number}", 中="文")
    return log


def lines(folder: Path) -> list[str]:
    return (folder / "audit-2026-11.jsonl").read_text("utf-8").splitlines()


def write(folder: Path, kept: list[str]) -> None:
    text = "".join(line + "\n" for line in kept)
    (folder / "audit-2026-11.jsonl").write_text(text, "utf-8")


def test_a_whole_log_verifies(tmp_path: Path) -> None:
    log = filled(tmp_path)
    verdict = log.verify()
    assert (verdict.records, verdict.broken) == (6, "")
    assert [record["rule"] for record in log.records()] == [f"r{n}" for n in range(6)]
    assert log.verify(verdict.head).broken == ""
    assert "kept" in log.verify("0" * 64).broken


def test_a_record_with_a_line_end_of_another_kind_is_one_line(tmp_path: Path) -> None:
    rule = "a\u2028b\u0085c\r\nd"
    AuditLog(tmp_path).append("output", NOW, rule=rule)
    log = filled(tmp_path)
    assert log.verify().broken == ""
    assert next(log.records())["rule"] == rule


def test_an_empty_log_verifies(tmp_path: Path) -> None:
    assert AuditLog(tmp_path / "none").verify().broken == ""


def edited(all: list[str]) -> list[str]:
    return [*all[:2], all[2].replace('"r2"', '"rX"'), *all[3:]]


def rehashed(all: list[str]) -> list[str]:
    """Whoever edits a line and hashes it anew breaks the next one."""
    from engine.safety.audit import _hash

    record = json.loads(all[2]) | {"rule": "rX"}
    record["hash"] = _hash(record)
    return [*all[:2], json.dumps(record), *all[3:]]


@pytest.mark.parametrize(
    "change",
    [
        edited,
        rehashed,
        lambda all: all[1:],
        lambda all: [*all[:2], *all[3:]],
        lambda all: all[:-1],
        lambda all: all[:1],
        lambda all: [],
        lambda all: [all[1], all[0], *all[2:]],
        lambda all: [*all, all[-1]],
        lambda all: [*all[:-1], all[-1][:-9]],
        lambda all: [*all[:3], "rubbish", *all[3:]],
    ],
)
def test_every_change_is_found(tmp_path: Path, change: Callable[[list[str]], list[str]]) -> None:
    log = filled(tmp_path)
    write(tmp_path, change(lines(tmp_path)))
    assert log.verify().broken
    log.append("output", NOW)  # writing on heals nothing
    assert log.verify().broken


def test_a_missing_head_or_file_is_found(tmp_path: Path) -> None:
    log = filled(tmp_path)
    (tmp_path / "head.json").unlink()
    assert "head.json" in log.verify().broken


def test_a_record_more_than_the_head_knows_is_a_crash(tmp_path: Path) -> None:
    log = filled(tmp_path)
    head = (tmp_path / "head.json").read_bytes()
    log.append("output", NOW)
    (tmp_path / "head.json").write_bytes(head)
    assert log.verify().broken == ""


def test_retention_removes_whole_months_and_what_is_left_verifies(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, keep_days=60)
    for month in range(1, 13):
        log.append("output", datetime(2026, month, 15, tzinfo=UTC), month=month)
    assert [p.name[6:13] for p in sorted(tmp_path.glob("*.jsonl"))] == [
        "2026-10",
        "2026-11",
        "2026-12",
    ]
    verdict = log.verify()
    assert verdict.broken == ""
    assert verdict.records < 24
    (tmp_path / "audit-2026-10.jsonl").unlink()
    assert log.verify().broken


def test_the_command_verifies_and_exports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path)
    where = ["--folder", str(tmp_path)]
    assert main(["audit", "verify", *where]) == 0
    assert "6 records" in capsys.readouterr().err
    assert main(["audit", "export", str(tmp_path / "out.jsonl"), *where]) == 0
    exported = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert len(exported) == 7
    assert json.loads(exported[-1])["records"] == 6
    write(tmp_path, edited(lines(tmp_path)))
    assert main(["audit", "verify", *where]) == 1
    assert "line 3" in capsys.readouterr().err
