"""What watches over the program from its start to its end: a rotated log, and crash reports."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from app.store.folders import crashes_folder, log_path
from engine.service.crash_file import FOLDER_VARIABLE, CrashFile

_LOG_BYTES, _OLDER = 500_000, 3  # of a file, and how many older ones are kept


class _WithoutWords(logging.Formatter):
    """Writes where an error came from and its type; its message may hold what somebody wrote."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a line, whoever formatted the same record before."""
        record.exc_text = None
        return super().format(record)

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        """Return the places of an error and of what it came from, the first one first."""
        return "\n".join(_places(ei[1]))


def _places(error: BaseException | None) -> Iterator[str]:
    if error is None:
        return
    yield from _places(error.__cause__ or error.__context__)
    for frame in traceback.extract_tb(error.__traceback__):
        yield f'  File "{frame.filename}", line {frame.lineno} in {frame.name}'
    yield type(error).__name__


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Write a log and crash reports into the data folder, as long as this lasts.

    A folder that cannot be written to is no reason not to start.
    """
    crashes, log = crashes_folder(folder), log_path(folder)
    try:
        report = CrashFile(crashes, "window")
        log.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            log, maxBytes=_LOG_BYTES, backupCount=_OLDER, encoding="utf-8", delay=True
        )
    except OSError:
        yield
        return
    handler.setFormatter(_WithoutWords("%(asctime)s %(levelname)s %(name)s %(message)s"))
    loggers = [logging.getLogger(name) for name in ("app", "engine")]
    for logger in loggers:
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
    os.environ[FOLDER_VARIABLE] = str(crashes)
    try:
        yield
    finally:
        os.environ.pop(FOLDER_VARIABLE, None)
        for logger in loggers:
            logger.removeHandler(handler)
        handler.close()
        report.close()
