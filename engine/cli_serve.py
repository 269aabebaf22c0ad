"""``serve``: a model behind OpenAI's interface, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from datetime import datetime
from queue import SimpleQueue

from engine.cli_options import add_model, load_settings, model_path, within
from engine.cli_terminal import ProgressLine, show_notices
from engine.contract import (
    EngineError,
    Event,
    Failed,
    FaultKind,
    Finished,
    Load,
    Loaded,
    Progress,
)
from engine.server import (
    DEFAULT_PORT,
    Phase,
    RequestRecord,
    ServerSettings,
    ServerState,
    is_loopback,
    new_key,
)
from engine.server.local_server import LocalServer
from engine.service import EngineService

KEY_VARIABLE = "INKSTONE_SERVER_KEY"
"""Where a key is looked for that no process list shows."""

_PROGRESS_S = 600.0  # a load that says nothing for this long is over


def add_serve(parser: argparse.ArgumentParser) -> None:
    """The options of ``serve``."""
    add_model(parser, default="starter")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port", type=within(int, 0, 65535), default=DEFAULT_PORT, help="0 takes a free one"
    )
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument(
        "--key", help=f"what clients send as their API key; else {KEY_VARIABLE}, else a new one"
    )
    keys.add_argument("--no-key", action="store_true", help="ask for none; on loopback only")
    parser.add_argument(
        "--queue",
        type=within(int, 1, 60),
        default=48,
        metavar="REQUESTS",
        help="that may run or wait; one more is answered 429",
    )
    parser.add_argument(
        "--reply-cache",
        type=within(int, 0, 100_000),
        default=0,
        metavar="REPLIES",
        help="kept for requests that are repeated exactly, at temperature 0 or with a seed",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a web page that may call, for example https://chat.example; repeatable",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name of this machine; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="the log as JSON, one object a line")


def serve(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; the exit status."""
    settings = _settings(options)
    settings.check()
    events: SimpleQueue[Event] = SimpleQueue()
    servers: list[LocalServer] = []

    def sink(event: Event) -> None:
        if event.request < 0:
            servers[0].hear(event)
        else:
            events.put(event)

    log = _Log(settings, as_json=options.json)
    service = EngineService(sink)
    server = LocalServer(settings, service, log.tell)
    servers.append(server)
    try:
        service.submit(Load(1, model_path(options.model), load_settings(options)))
        server.set_model(_wait_for_load(events))
        server.start()
        server.join()
    except KeyboardInterrupt:
        server.ask_to_stop()
        server.join(5.0)
    finally:
        service.close()
    return log.status


def _settings(options: argparse.Namespace) -> ServerSettings:
    key = options.key or os.environ.get(KEY_VARIABLE) or new_key()
    return ServerSettings(
        host=options.host,
        port=options.port,
        key="" if options.no_key else key,
        most_open=options.queue,
        cached_replies=options.reply_cache,
        origins=tuple(options.allow_origin),
        hosts=tuple(options.allow_host),
    )


def _wait_for_load(events: SimpleQueue[Event]) -> Loaded:
    """Show a load until its end.

    Raises:
        EngineError: what it failed by.
    """
    line, loaded = ProgressLine(), None
    while True:
        event = events.get(timeout=_PROGRESS_S)
        match event:
            case Progress():
                line.show(event)
            case Loaded():
                loaded = event
            case Failed(fault=fault):
                line.clear()
                raise EngineError(fault.kind, **fault.figures)
            case Finished():
                line.clear()
                if loaded is None:
                    raise EngineError(FaultKind.NO_MODEL)
                show_notices(loaded.notices)
                return loaded
            case _:
                pass


class _Log:
    """What the server tells, on standard error; as JSON on standard output.

    Args:
        settings: of the server.
        as_json: whether programs read it.
    """

    def __init__(self, settings: ServerSettings, *, as_json: bool) -> None:
        self._settings = settings
        self._as_json = as_json
        self.status = 0

    def tell(self, told: ServerState | RequestRecord) -> None:
        """Take a change of state, or a record."""
        if isinstance(told, ServerState) and told.phase is Phase.FAILED:
            self.status = 1
        if self._as_json:
            shown = asdict(told)
            if isinstance(told, ServerState) and told.phase is Phase.RUNNING:
                shown["key"] = self._settings.key
            print(json.dumps(shown), flush=True)
        elif isinstance(told, RequestRecord):
            print(_record_line(told), file=sys.stderr)
        else:
            self._tell_state(told)

    def _tell_state(self, state: ServerState) -> None:
        settings = self._settings
        match state.phase:
            case Phase.RUNNING:
                print(f"Listening on {state.address} (Ctrl-C stops it).", file=sys.stderr)
                print(f"API key: {settings.key or 'none is asked for'}", file=sys.stderr)
                if not is_loopback(settings.host):
                    print(
                        "Other machines that reach this address can use the model with this key; "
                        "what they send is not encrypted.",
                        file=sys.stderr,
                    )
            case Phase.FAILED:
                where = f"{settings.host}:{settings.port}"
                print(f"{where} cannot be listened on: {state.reason}.", file=sys.stderr)
            case Phase.STARTING | Phase.STOPPED:
                pass


def _record_line(record: RequestRecord) -> str:
    when = datetime.fromtimestamp(record.at).strftime("%H:%M:%S")
    parts = [f"{when} {record.path} {record.status}", f"{record.seconds:.2f} s"]
    if record.generated_tokens:
        parts += [f"{record.prompt_tokens} + {record.generated_tokens} tokens"]
    if record.reused_tokens:
        parts += [f"{record.reused_tokens} reused"]
    if record.tokens_per_second is not None:
        parts += [f"{record.tokens_per_second:.1f} tokens/s"]
    if record.cached:
        parts += ["from the cache"]
    return " · ".join(parts)
