"""What requests measured, kept in a file of lines that stays bounded: the past of the monitor.

The last hour is kept request by request; what is older, as the medians of its minutes. No text is
in it, and no name of a chat. What cannot be read counts as nothing measured.
"""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from app.store.settings import write_atomically
from app.store.worker import Worker

MOST_KEPT = 2_000  # requests and minutes together
FULL_S = 3_600.0  # so long every request is kept by itself
_SPARE = 500  # lines beyond, before the file is written anew


@dataclass(frozen=True, slots=True)
class Measured:
    """A request that ended, or all of a minute; None where it did not get so far.

    Attributes:
        at: when it ended, or its minute began; Unix seconds.
        asker: "window" or "server".
        model: its name.
        first_token_s: from submission.
        token_s: for each token of the reply after the first.
        prompt_tokens, reused_tokens, generated_tokens: sums.
        weight_bytes, cache_bytes, workspace_bytes: of the loaded model, then.
        processor: load of all cores, 0 to 1, since it began.
        used_bytes: of the computer's memory.
        fault: the kind of the last failure; empty where there was none.
        requests, failed: how many it stands for.
        gpu: load of the busiest GPU while it ran, 0 to 1; None where none can be read.
        gpu_bytes: of all GPUs' memory, of every program.
    """

    at: float
    asker: str
    model: str
    first_token_s: float | None = None
    token_s: float | None = None
    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    weight_bytes: int = 0
    cache_bytes: int = 0
    workspace_bytes: int = 0
    processor: float | None = None
    used_bytes: int = 0
    fault: str = ""
    requests: int = 1
    failed: int = 0
    gpu: float | None = None
    gpu_bytes: int | None = None

    @property
    def tokens_per_second(self) -> float | None:
        """Of decode."""
        return 1 / self.token_s if self.token_s else None

    @property
    def reuse(self) -> float | None:
        """The share of the prompt that was found in the cache, 0 to 1."""
        return self.reused_tokens / self.prompt_tokens if self.prompt_tokens else None


class MonitorLog:
    """The latest measured requests, the oldest first.

    Args:
        path: a file of JSON lines; it may not exist yet.
        worker: the thread that writes.
    """

    def __init__(self, path: Path, worker: Worker) -> None:
        self._path, self._worker = path, worker
        self.kept: list[Measured] = []
        self._lines = 0
        self._read()

    def add(self, measured: Measured) -> None:
        """Keep one more, and bring what became old into minutes."""
        self.kept = thinned([*self.kept, measured], measured.at)
        self._lines += 1
        if self._lines > MOST_KEPT + _SPARE:
            self._lines = len(self.kept)
            text = "".join(_line(each) for each in self.kept)
            self._worker.post(lambda: self._replace(text))
        else:
            line = _line(measured)
            self._worker.post(lambda: self._append(line))

    def _read(self) -> None:
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return
        self._lines = len(lines)
        read = [each for line in lines if (each := _measured(line)) is not None]
        self.kept = thinned(read, max((each.at for each in read), default=0.0))

    def _append(self, line: str) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            return  # figures can be lost: nothing else stands still for them

    def _replace(self, text: str) -> None:
        try:
            write_atomically(self._path, text.encode("utf-8", "surrogatepass"))
        except OSError:
            return


def thinned(kept: Sequence[Measured], now: float) -> list[Measured]:
    """Return requests with those of older minutes brought together, the oldest let go."""
    limit = (now - FULL_S) // 60 * 60  # whole minutes only: none is brought together twice
    minutes: dict[tuple[float, str, str], list[Measured]] = {}
    recent: list[Measured] = []
    for each in kept:
        if each.at >= limit:
            recent.append(each)
        else:
            minutes.setdefault((each.at // 60 * 60, each.asker, each.model), []).append(each)
    old = [_together(at, several) for (at, _, _), several in minutes.items()]
    return [*old, *recent][-MOST_KEPT:]


def as_csv(kept: Iterable[Measured]) -> str:
    """Return what was kept as a table with a head, one line each."""
    written = io.StringIO()
    names = [field.name for field in fields(Measured)]
    table = csv.DictWriter(written, names, lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(each) for each in kept)
    return written.getvalue()


def as_json(kept: Iterable[Measured]) -> str:
    """Return what was kept as a list of JSON objects."""
    return json.dumps([asdict(each) for each in kept], ensure_ascii=False, indent=2) + "\n"


def _together(at: float, several: Sequence[Measured]) -> Measured:
    """The requests of one minute as one: medians of what varies, sums of what is counted."""
    if len(several) == 1:
        return several[0]
    last = several[-1]
    return Measured(
        at,
        last.asker,
        last.model,
        _median(each.first_token_s for each in several),
        _median(each.token_s for each in several),
        sum(each.prompt_tokens for each in several),
        sum(each.reused_tokens for each in several),
        sum(each.generated_tokens for each in several),
        last.weight_bytes,
        max(each.cache_bytes for each in several),
        max(each.workspace_bytes for each in several),
        _median(each.processor for each in several),
        max(each.used_bytes for each in several),
        next((each.fault for each in reversed(several) if each.fault), ""),
        sum(each.requests for each in several),
        sum(each.failed for each in several),
        _median(each.gpu for each in several),
        max((each.gpu_bytes for each in several if each.gpu_bytes is not None), default=None),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _line(measured: Measured) -> str:
    return json.dumps(asdict(measured)) + "\n"


def _measured(line: str) -> Measured | None:
    """Return a line as what it says; None where it is none of ours."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    values: dict[str, Any] = {}
    for field in fields(Measured):
        stored = value.get(field.name)
        if type(stored) is int and "float" in str(field.type):
            stored = float(stored)
        name = "None" if stored is None else type(stored).__name__
        if name not in str(field.type).split(" | "):
            return None
        values[field.name] = stored
    return Measured(**values)
