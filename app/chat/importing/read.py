"""From a path to bundles: which files there are, whose chats they hold, and what went wrong."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from app.chat.importing import chatgpt, inkstone, jan, lm_studio, open_webui
from app.chat.importing.values import (
    ForeignChat,
    ImportProblem,
    bundle_of,
    items,
    mapping,
    text,
)
from app.store.bundle import Bundle
from app.store.faults import Unreadable

_LARGEST = 2 * 1024**3  # bytes of one file; a larger one is a mistake or an attack
_NOT_CHATS = {  # of ChatGPT's export
    "export_manifest.json",
    "group_chats.json",
    "message_feedback.json",
    "model_comparisons.json",
    "shared_conversations.json",
    "user.json",
    "user_settings.json",
}


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """A file or a chat that could not be read."""

    name: str
    reason: Unreadable


@dataclass(slots=True)
class ImportReport:
    """What was read from a path."""

    bundles: list[Bundle] = field(default_factory=list)
    failures: list[ImportFailure] = field(default_factory=list)
    empty: int = 0  # chats in which nothing was said
    sources: set[str] = field(default_factory=set)  # "chatgpt", "open_webui", …


@dataclass(frozen=True, slots=True)
class _Format:
    """One program's chats: how they are known and read."""

    name: str
    is_chat: Callable[[Any], bool]
    read: Callable[[Any], ForeignChat]

    def bundle(self, value: Any) -> Bundle:
        """Read one chat as a bundle."""
        return bundle_of(self.read(value))


_FORMATS = (
    _Format("chatgpt", chatgpt.is_chat, chatgpt.read_chat),
    _Format("open_webui", open_webui.is_chat, open_webui.read_chat),
    _Format("lm_studio", lm_studio.is_chat, lm_studio.read_chat),
)


def read_chats(path: Path) -> ImportReport:
    """Read the chats of a file, a zip or a folder; every problem is in the report."""
    report = ImportReport()
    threads: dict[str, _Thread] = {}
    for name, raw in _files(path, report):
        if PurePosixPath(name).name in _NOT_CHATS:
            continue
        try:
            values = _values(name, raw)
        except (ValueError, RecursionError):
            report.failures.append(ImportFailure(name, Unreadable.NOT_JSON))
            continue
        _sort_out(name, values, report, threads)
    for name, thread in threads.items():
        _keep_thread(name, thread, report)
    return report


@dataclass(slots=True)
class _Thread:
    """The two files of one of Jan's threads, whichever comes first."""

    head: Any = None
    messages: list[Any] = field(default_factory=list)


def _sort_out(
    name: str, values: Sequence[Any], report: ImportReport, threads: dict[str, _Thread]
) -> None:
    """Give each value to the format that knows it."""
    folder = str(PurePosixPath(name).parent)
    unknown = []
    for value in values:
        if inkstone.is_export(value):
            for chat in items(value["chats"]):
                _keep(name, chat, report, inkstone.read_chat, "inkstone")
        elif jan.is_message(value):
            threads.setdefault(folder, _Thread()).messages.append(value)
        elif jan.is_thread(value):
            threads.setdefault(folder, _Thread()).head = value
        elif not _keep_foreign(name, value, report):
            unknown.append(text(mapping(value).get("title")))
    if len(unknown) == len(values) > 0:
        report.failures.append(ImportFailure(name, Unreadable.NO_CHATS))
    else:
        report.failures += [ImportFailure(title or name, Unreadable.NO_CHATS) for title in unknown]


def _keep_foreign(name: str, value: Any, report: ImportReport) -> bool:
    for form in _FORMATS:
        if form.is_chat(value):
            _keep(name, value, report, form.bundle, form.name)
            return True
    return False


def _keep_thread(name: str, thread: _Thread, report: ImportReport) -> None:
    _keep(
        name,
        thread.head or {},
        report,
        lambda head: bundle_of(jan.read_thread(head, thread.messages)),
        "jan",
    )


def _keep(
    name: str, value: Any, report: ImportReport, read: Callable[[Any], Bundle], source: str
) -> None:
    """Read one chat into the report, or say what is wrong with it."""
    try:
        report.bundles.append(read(value))
        report.sources.add(source)
    except ImportProblem:
        report.empty += 1
        report.sources.add(source)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        title = text(mapping(value).get("title")) or text(mapping(value).get("name"))
        report.failures.append(ImportFailure(title or name, Unreadable.MALFORMED))


def _files(path: Path, report: ImportReport) -> Iterator[tuple[str, bytes]]:
    """Yield the JSON files of a path, in the order of their names."""
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*.json*")):
                if file.is_file() and file.suffix in {".json", ".jsonl"}:
                    yield str(PurePosixPath(file.relative_to(path))), file.read_bytes()
        elif zipfile.is_zipfile(path):
            yield from _zipped(path, report)
        else:
            yield path.name, path.read_bytes()
    except OSError:
        report.failures.append(ImportFailure(path.name, Unreadable.REFUSED))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        report.failures.append(ImportFailure(path.name, Unreadable.DAMAGED))


def _zipped(path: Path, report: ImportReport) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            if not entry.filename.endswith((".json", ".jsonl")) or entry.is_dir():
                continue
            if entry.file_size > _LARGEST:
                report.failures.append(ImportFailure(entry.filename, Unreadable.TOO_LARGE))
                continue
            yield entry.filename, archive.read(entry)


def _values(name: str, raw: bytes) -> list[Any]:
    """Parse a file into its values: a list's items, the lines of a jsonl, or one object.

    Raises:
        ValueError: it is no JSON.
    """
    content = raw.decode("utf-8-sig", errors="replace")
    if name.endswith(".jsonl"):
        # not splitlines: U+2028 and its like stand in JSON's strings as they are
        return [json.loads(line) for line in content.split("\n") if line.strip()]
    value = json.loads(content)
    return value if isinstance(value, list) else [value]
