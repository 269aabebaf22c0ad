"""What watches over the program from its start to its end: a rotated log, and crash reports."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.store.folders import crashes_folder, log_path
from engine.service.crash_file import FOLDER_VARIABLE, CrashFile

_LOG_BYTES, _OLDER = 500_000, 3  # of a file, and how many older ones are kept


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
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
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
