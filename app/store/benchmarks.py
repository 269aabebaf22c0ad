"""The measured speeds of models on this computer: one JSON file, replaced as a whole.

What cannot be read counts as nothing measured: a measurement can be made again.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from app.store.settings import write_atomically
from app.store.worker import Worker

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Speed:
    """One model's speed with one number of threads; rates in tokens or bytes a second.

    Attributes:
        bytes_per_token: weights and cache that are read for one token of a reply.
        bandwidth: bytes a second that the memory delivers, measured in the same run.
        processor: its instructions, for example "AVX2".
        measured_at: Unix time in seconds.
        peer: the engine that ran the same file beside this one; empty: none did.
        peer_decode, peer_prefill: the better of its ways to run it; 0 where none did.
    """

    path: str
    name: str
    file_bytes: int
    device: str
    processor: str
    threads: int
    decode: float
    prefill: float
    first_token_s: float
    second_turn_s: float
    load_s: float
    peak_bytes: int
    bytes_per_token: int
    bandwidth: float
    measured_at: int
    peer: str = ""
    peer_decode: float = 0.0
    peer_prefill: float = 0.0

    @property
    def limit(self) -> float:
        """Tokens a second that the memory would allow."""
        return self.bandwidth / self.bytes_per_token if self.bytes_per_token else 0.0

    @property
    def share(self) -> float:
        """How much of that limit is reached."""
        return self.decode / self.limit if self.limit else 0.0


@dataclass(frozen=True, slots=True)
class LastRun:
    """When models were last measured (Unix seconds), how many, and how long it took."""

    ended_at: int
    models: int
    seconds: float


class Benchmarks:
    """The latest speed of every model and number of threads, and when the last run was."""

    def __init__(self, path: Path, worker: Worker) -> None:
        self._path, self._worker = path, worker
        self._speeds: dict[tuple[str, int], Speed] = {}
        self.last_run: LastRun | None = None
        self._bandwidth = 0.0
        self._read()

    def speeds(self, threads: int | None = None) -> tuple[Speed, ...]:
        """Return what was measured, fastest first; of one number of threads, or all."""
        kept = (s for s in self._speeds.values() if threads in {None, s.threads})
        return tuple(sorted(kept, key=lambda speed: (-speed.decode, speed.name)))

    @property
    def bandwidth(self) -> float:
        """Bytes a second at which memory is read here; 0 until it was measured.

        The most that any measurement found: whatever else runs makes memory look slower than it is.
        """
        return max([self._bandwidth, *(speed.bandwidth for speed in self._speeds.values())])

    def keep_bandwidth(self, bandwidth: float) -> None:
        """Keep what the memory was measured at, if it is the most so far."""
        if bandwidth > self._bandwidth:
            self._bandwidth = bandwidth
            self._save()

    def keep(self, speed: Speed) -> None:
        """Keep a speed in place of the model's earlier one."""
        self._bandwidth = self.bandwidth  # also what the one that goes has seen
        self._speeds[speed.path, speed.threads] = speed
        self._save()

    def end_run(self, run: LastRun) -> None:
        """Remember when a run ended."""
        self.last_run = run
        self._save()

    def _save(self) -> None:
        content = {
            "speeds": [asdict(speed) for speed in self._speeds.values()],
            "last_run": asdict(self.last_run) if self.last_run else None,
            "bandwidth": self._bandwidth,
        }
        data = json.dumps(content, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass")
        self._worker.post(lambda: _write(self._path, data))

    def _read(self) -> None:
        try:
            content = json.loads(self._path.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError):
            return
        if not isinstance(content, dict):
            return
        stored = content.get("speeds")
        for each in stored if isinstance(stored, list) else ():
            if (speed := _made(Speed, each)) is not None:
                self._speeds[speed.path, speed.threads] = speed
        self.last_run = _made(LastRun, content.get("last_run"))
        bandwidth = content.get("bandwidth")
        self._bandwidth = float(bandwidth) if isinstance(bandwidth, int | float) else 0.0


def as_csv(speeds: Iterable[Speed]) -> str:
    """Return speeds as a table with a head, one line each."""
    written = io.StringIO()
    table = csv.DictWriter(written, [field.name for field in fields(Speed)], lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(speed) for speed in speeds)
    return written.getvalue()


def as_json(speeds: Iterable[Speed]) -> str:
    """Return speeds as a list of JSON objects."""
    return json.dumps([asdict(speed) for speed in speeds], ensure_ascii=False, indent=2) + "\n"


def _write(path: Path, data: bytes) -> None:
    try:
        write_atomically(path, data)
    except OSError:
        return  # the disk's fault is told by the chats, which matter more


def _made(kind: type[_T], value: object) -> _T | None:
    """Return a stored value as its dataclass; None where a field is missing or of another type."""
    if not isinstance(value, dict):
        return None
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        stored = value.get(field.name, field.default)
        if type(stored) is int and field.type == "float":
            stored = float(stored)
        if type(stored).__name__ != field.type:
            return None
        values[field.name] = stored
    return kind(**values)
