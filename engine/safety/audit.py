"""The audit log: lines of JSON, each holding the hash of the one before it.

A changed, missing or moved line breaks the chain, and a cut end disagrees with the head file beside
the log. One file a month; what is older than the retention goes as whole files, and a record says
up to where, so that what is left still verifies. What people and models wrote is never in it.
Whoever can write both the log and its head can forge both: a head kept elsewhere (``export`` names
it) is what proves the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock

_NOTHING = "0" * 64
_HEAD, _LOCK = "head.json", "lock"
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verifying found.

    Attributes:
        records: how many there are.
        head: the last one's hash; keep it elsewhere to notice a cut later.
        broken: the file, the line and what is wrong there; empty if nothing is.
    """

    records: int
    head: str
    broken: str = ""


class AuditLog:
    """A log in a folder; several processes may write to it.

    Args:
        folder: made when the first record is written.
        keep_days: what is older goes; 0 keeps everything.
    """

    def __init__(self, folder: Path, keep_days: int = 0) -> None:
        self._folder, self._keep_days = folder, keep_days

    def append(self, kind: str, now: datetime | None = None, **values: str | int) -> None:
        """Add a record.

        Raises:
            OSError: it could not be written.
        """
        at = now or datetime.now(UTC)
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / _LOCK, timeout=_PATIENCE_S):
            number, last = self._end()
            number, last = self._write(number, last, at, kind, values)
            if self._keep_days and (gone := self._expire(at)) is not None:
                number, last = self._write(number, last, at, "retention", gone)
            self._set_head(number, last)

    def records(self) -> Iterator[dict[str, Any]]:
        """Every record, oldest first; lines that are none are left out."""
        for path in self._files():
            for line in _lines(path.read_bytes()):
                record = _parsed(line)
                if record is not None:
                    yield record

    def verify(self, head: str = "") -> Verdict:
        """Check the chain, and that it ends where it should.

        Args:
            head: a head that was kept elsewhere; it must be among the records.
        """
        number, last, count = 0, _NOTHING, 0
        heads: dict[int, str] = {}
        removed = self._removed()
        for path in self._files():
            for place, line in enumerate(_lines(path.read_bytes()), 1):
                record = _parsed(line)
                where = f"{path.name}, line {place}: "
                if record is None or record.get("hash") != _hash(record):
                    return Verdict(count, last, where + "it is not what was written")
                if count == 0 and removed is not None:
                    number, last = removed
                if (record.get("number"), record.get("before")) != (number + 1, last):
                    return Verdict(count, last, where + "what stood before it is missing")
                number, last, count = record["number"], record["hash"], count + 1
                heads[number] = last
        return Verdict(count, last, self._end_problem(heads, head))

    def _end_problem(self, heads: Mapping[int, str], kept: str) -> str:
        """What is wrong with the end; a record more than the head knows is a crash, not a cut."""
        noted = self._head()
        if noted is None and heads:
            return f"{_HEAD} is missing"
        if noted is not None and noted[0] and heads.get(noted[0]) != noted[1]:
            return f"the end is missing: record {noted[0]} was written"
        if kept and kept not in heads.values():
            return "the head that was kept is not among the records"
        return ""

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("audit-*.jsonl"))

    def _end(self) -> tuple[int, str]:
        """Number and hash of what was written last: a cut end must stay a gap.

        A torn last line is closed, so that what follows can be read; verifying finds it.
        """
        noted = self._head() or (0, _NOTHING)
        last = self._last_record() or (0, _NOTHING)
        return noted if noted[0] >= last[0] else last

    def _last_record(self) -> tuple[int, str] | None:
        for path in reversed(self._files()):
            with path.open("rb+") as file:
                data = file.read()
                if data and not data.endswith(b"\n"):
                    file.write(b"\n")
            for line in reversed(_lines(data)):
                if (record := _parsed(line)) is not None:
                    return int(record["number"]), str(record["hash"])
        return None

    def _write(
        self, number: int, last: str, at: datetime, kind: str, values: Mapping[str, str | int]
    ) -> tuple[int, str]:
        record: dict[str, Any] = {
            "number": number + 1,
            "at": at.isoformat(timespec="milliseconds"),
            "kind": kind,
            **values,
            "before": last,
        }
        record["hash"] = _hash(record)
        path = self._folder / f"audit-{at:%Y-%m}.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
        return number + 1, record["hash"]

    def _expire(self, now: datetime) -> dict[str, str | int] | None:
        """Delete the months that ended before the retention; up to which record they went."""
        oldest = f"audit-{now - timedelta(days=self._keep_days):%Y-%m}.jsonl"
        gone: dict[str, str | int] | None = None
        for path in self._files():
            if path.name >= oldest:
                break
            lines = _lines(path.read_bytes())
            if (record := _parsed(lines[-1]) if lines else None) is not None:
                gone = {"removed_to": int(record["number"]), "removed_hash": str(record["hash"])}
            path.unlink()
        return gone

    def _removed(self) -> tuple[int, str] | None:
        """Up to where the retention removed records."""
        found = None
        for record in self.records():
            if record.get("kind") == "retention":
                found = int(record["removed_to"]), str(record["removed_hash"])
        return found

    def _head(self) -> tuple[int, str] | None:
        try:
            head = json.loads((self._folder / _HEAD).read_text("utf-8"))
            return int(head["number"]), str(head["hash"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _set_head(self, number: int, last: str) -> None:
        part = self._folder / (_HEAD + ".part")
        part.write_text(json.dumps({"number": number, "hash": last}), "utf-8")
        os.replace(part, self._folder / _HEAD)


def _lines(data: bytes) -> list[str]:
    """The lines of a file, by their line feeds alone: U+2028 may stand in a record as it is."""
    text = data.decode("utf-8", "replace")
    return text.removesuffix("\n").split("\n") if text else []


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    is_whole = isinstance(record, dict) and "hash" in record and type(record.get("number")) is int
    return record if is_whole else None


def _hash(record: Mapping[str, Any]) -> str:
    """SHA-256 of a record without its own hash, as JSON with sorted names."""
    content = {name: value for name, value in record.items() if name != "hash"}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
