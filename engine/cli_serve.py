"""``serve``: a model behind OpenAI's interface, until Ctrl-C."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, replace
from datetime import datetime
from queue import SimpleQueue
from typing import Any

from engine.cli_options import add_model, load_settings, model_path, of_setting
from engine.cli_talk import stopped
from engine.cli_terminal import ProgressLine, show_notices
from engine.cli_window import window_settings
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
from engine.contract.ranges import SERVING
from engine.contract.setting import by_key
from engine.library.secrets import Secrets
from engine.server import (
    KEY_ACCOUNT,
    Obstacle,
    Phase,
    RequestRecord,
    ServerSettings,
    ServerState,
    is_loopback,
    new_key,
    wished,
)
from engine.server.local_server import LocalServer
from engine.service import EngineService

KEY_VARIABLE = "INKSTONE_SERVER_KEY"
"""Where a key is looked for that no process list shows."""

_SERVING = by_key(SERVING)
_PROGRESS_S = 600.0  # a load that says nothing for this long is over


def add_serve(parser: argparse.ArgumentParser) -> None:
    """The options of ``serve``."""
    add_model(parser, default="starter")
    parser.add_argument(
        "--host", help="the address to listen on; 0.0.0.0 are all networks of this computer"
    )
    parser.add_argument("--port", **_number("server_port"), help="0 takes a free one")
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument(
        "--key",
        help=f"what clients send as their API key; else {KEY_VARIABLE}, else that of the window's "
        "server, else a new one",
    )
    keys.add_argument("--no-key", action="store_true", help="ask for none; on loopback only")
    parser.add_argument(
        "--queue",
        **_number("server_queue"),
        metavar="REQUESTS",
        help="that may run or wait; one more is answered 429",
    )
    parser.add_argument(
        "--reply-cache",
        **_number("server_reply_cache"),
        metavar="REPLIES",
        help="kept for requests that are repeated exactly, at temperature 0 or with a seed",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="a web page that may call, for example https://chat.example; repeatable",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="a further name of this machine; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="the log as JSON, one object a line")


def _number(key: str) -> dict[str, Any]:
    """How argparse reads a number of the catalogue; without it the window's holds."""
    return {"type": of_setting(_SERVING[key])}


def serve(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C; the exit status."""
    settings = _settings(options)
    settings.check()
    load = Load(1, model_path(options.model), load_settings(options))
    log, heard = _Log(settings, as_json=options.json), _Heard(load)
    service = heard.service = EngineService(heard.hear)
    server = heard.server = LocalServer(settings, service, log.tell)
    is_serving = False
    try:
        service.submit(load)
        server.set_model(_wait_for_load(heard.events))
        server.start()
        is_serving = True
        server.join()
    except KeyboardInterrupt:
        if not is_serving:  # the model was still being loaded
            return stopped()
        server.ask_to_stop()
        server.join(5.0)
    finally:
        service.close()
    return log.status


class _Heard:
    """What the engine says: to clients by the server, of the load to this command.

    A model that went with the engine's process is loaded again, unless its load had ended it.
    """

    def __init__(self, load: Load) -> None:
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.service: EngineService | None = None
        self.server: LocalServer | None = None
        self._load, self._is_loaded = load, False

    def hear(self, event: Event) -> None:
        """Take an event, on the engine's thread."""
        if event.request < 0:
            if self.server is not None:
                self.server.hear(event)
            return
        self._is_loaded = self._is_loaded or isinstance(event, Loaded)
        if event.request == 0 and self._is_loaded and self.service is not None:
            self._is_loaded = False
            print("The engine ended; the model is loaded again.", file=sys.stderr)
            self.service.submit(self._load)
        self.events.put(event)


def _settings(options: argparse.Namespace) -> ServerSettings:
    """What the options say, and where they say nothing what the window's server does.

    Raises:
        EngineError: OFFLINE for an address that other machines reach.
    """
    window = window_settings()
    if window.offline and options.host and not is_loopback(options.host):
        raise EngineError(FaultKind.OFFLINE, host=options.host)
    given = {
        "server_reach": options.host and "address",
        "server_address": options.host,
        "server_port": options.port,
        "server_asks_key": True if options.key else False if options.no_key else None,
        "server_queue": options.queue,
        "server_reply_cache": options.reply_cache,
        "server_origins": options.allow_origin and tuple(options.allow_origin),
        "server_hosts": options.allow_host and tuple(options.allow_host),
    }
    values = dict(window.serving)
    values |= {key: value for key, value in given.items() if value is not None}
    settings = wished(values, "asked for", is_offline=window.offline)
    refuses = options.no_key and not is_loopback(settings.host)  # checked where it starts
    return replace(settings, key=_key(options) if settings.key and not refuses else "")


def _key(options: argparse.Namespace) -> str:
    """The key that clients are asked for."""
    given = options.key or os.environ.get(KEY_VARIABLE)
    return given or Secrets().read(KEY_ACCOUNT) or new_key()


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
                print(_refusal(settings, state), file=sys.stderr)
            case Phase.STARTING | Phase.STOPPED:
                pass


def _refusal(settings: ServerSettings, state: ServerState) -> str:
    """Why there is no server, and what to do."""
    others = f"Try --port {state.free_port}" if state.free_port else "Try --port 0"
    match state.obstacle:
        case Obstacle.TAKEN:
            return f"Port {settings.port} is taken by another program. {others}."
        case Obstacle.FORBIDDEN:
            return f"The system does not let you listen on port {settings.port}. {others}."
        case Obstacle.NO_ADDRESS:
            return (
                f"{settings.host} is no address of this computer. Try --host 0.0.0.0 for all that "
                "it has, or leave it out."
            )
        case _:
            where = f"{settings.host}:{settings.port}"
            return f"{where} cannot be listened on: {state.reason}."


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
