"""The window's start: the one that is open already, or a new one."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from PySide6.QtWidgets import QApplication

from app.application import Application
from app.start.request import StartRequest, read_arguments
from app.start.screen import no_screen
from app.store.folders import data_folder
from app.surroundings import run_once
from app.watching import watched
from engine.library.starter import starter_path
from engine.version import program_version


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program until its window is closed, and end the process.

    Where the window is open already, it is raised and given what this start was asked for.
    """
    leave(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program until its window is closed, and return its exit status."""

    def build(app: QApplication, request: StartRequest) -> Application:
        first = starter_path() if request.starter else None
        return Application(app, model=request.file, first_model=first)

    request = read_arguments(arguments, program_version())
    installed = bool(getattr(sys, "frozen", False))
    if reason := no_screen(sys.platform, os.environ, installed=installed):
        print(reason, file=sys.stderr)
        return 1
    with watched(data_folder()):
        return run_once(request, data_folder(), build)


def leave(status: int) -> NoReturn:
    """End the process at once; everything is saved and closed by now.

    Python would first wait for every thread of a pool, and one may wait for a person who never
    answers a keyring, or for a silent server.
    """
    logging.shutdown()
    streams: tuple[TextIO | None, ...] = (sys.stdout, sys.stderr)  # a window has none on Windows
    for stream in streams:
        if stream is not None:
            stream.flush()
    os._exit(status)
