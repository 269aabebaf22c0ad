"""Another machine's model in the terminal: its card, and the key that is never typed as an option.

A command line is read by everyone on a machine (``ps``) and kept by shells, so a key comes from the
keyring, where the window keeps it too, or from the environment.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.cli_options import model_path
from engine.cli_window import window_settings
from engine.contract import EngineError, FaultKind
from engine.library.folders import models_folder
from engine.library.secrets import Secrets
from engine.library.servers.address import is_here, root_of, server_address
from engine.library.servers.card import (
    ENDING,
    RemoteCard,
    ServerKeys,
    is_card,
    key_account,
    read_card,
    write_card,
)
from engine.library.servers.proxy import kept_keys

KEY_VARIABLE = "INKSTONE_REMOTE_KEY"


def add_remote(parser: argparse.ArgumentParser) -> None:
    """Which model of which server, instead of one of this machine."""
    group = parser.add_argument_group("another machine's model")
    group.add_argument(
        "--remote", metavar="URL",
        help="an OpenAI-compatible server, for example http://localhost:11434/v1; its key is in "
        f"the keyring (see: keys) or in {KEY_VARIABLE}",
    )  # fmt: skip
    group.add_argument(
        "--model", dest="remote_model", metavar="NAME", default="",
        help="which of the server's models; may be left out where it has one",
    )  # fmt: skip
    group.add_argument(
        "--certificate", metavar="FILE", default="", help="of the server's own authority"
    )


@contextmanager
def chosen_model(options: argparse.Namespace, path: Path | None = None) -> Iterator[Path]:
    """The path of the model that is meant; a server named in the options gets a card for now.

    Raises:
        EngineError: as ``model_path`` and ``server_address``; ``SETTING_INVALID`` where a server
            has several models and none is named, and what asking it raises.
    """
    if path is not None:
        yield path
    elif getattr(options, "remote", None) is None:
        yield model_path(options.model)
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield write_card(Path(folder), _card(options))


def keys_for(path: Path) -> ServerKeys:
    """What a card's server and its proxy want to know; the environment's key goes first."""
    if not is_card(path):
        return ServerKeys()
    try:
        card = read_card(path)
    except EngineError:  # loading it says what is wrong
        return ServerKeys()
    return _keys_of(card)


def _keys_of(card: RemoteCard) -> ServerKeys:
    kept = kept_keys(card, Secrets())
    return replace(kept, key=os.environ.get(KEY_VARIABLE, "") or kept.key)


def _card(options: argparse.Namespace) -> RemoteCard:
    """What the options say, with what the window knows of the same server and model."""
    address = server_address(options.remote)
    own = str(Path(options.certificate).expanduser().absolute()) if options.certificate else ""
    for card in _cards():
        if card.address == address and options.remote_model in {"", card.model}:
            certificate = own or card.certificate
            return RemoteCard(
                address, card.model, card.name, card.kind, card.context, certificate, card.proxy
            )
    model = options.remote_model or _only_model(RemoteCard(address, "", certificate=own))
    return RemoteCard(address, model, certificate=own)


def _cards() -> Iterator[RemoteCard]:
    for path in sorted(models_folder().glob(f"*{ENDING}")):
        try:
            yield read_card(path)
        except EngineError:  # one damaged card is no reason not to ask another server
            continue


def _only_model(card: RemoteCard) -> str:
    from engine.library.servers.access import Access  # noqa: PLC0415 - imports httpx
    from engine.library.servers.asking import ask_server  # noqa: PLC0415

    kept = _keys_of(card)
    server = ask_server(Access(card, kept.key, window_settings().offline, kept.proxy_password))
    names = [model.id for model in server.models]
    if len(names) != 1:
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="--model",
            value="left out",
            allowed=", ".join(names) or "what the server calls its model",
        )
    return names[0]


def add_keys(parser: argparse.ArgumentParser) -> None:
    """What is to be done with which server's key."""
    parser.add_argument("deed", choices=("set", "remove", "status"))
    parser.add_argument("address", help="the server's, as of --remote")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def keys(options: argparse.Namespace) -> int:
    """Keep, forget or look for a server's key; 1 where there is no keyring, or no key."""
    address = _spelled(options.address)
    account, secrets, whose = key_account(address), Secrets(), root_of(address)
    if options.deed == "set":
        done = _set(secrets, account, whose)
    elif options.deed == "remove":
        done = secrets.keep(account, "")
    else:
        done = bool(secrets.read(account))
    instead = f"This system has no keyring: set {KEY_VARIABLE}"
    said = {
        "set": (f"The key of {whose} is in the keyring.", instead),
        "remove": (f"The keyring has no key of {whose}.", "This system has no keyring"),
        "status": (f"The keyring has a key of {whose}.", f"There is no key of {whose}"),
    }[options.deed]
    if options.json:
        print(json.dumps({"address": address, "deed": options.deed, "done": done}))
    print(said[0] if done else said[1] + ".", file=sys.stderr)
    return 0 if done else 1


def _spelled(typed: str) -> str:
    """The address of a server; a bare word is none, for its key would lie where nobody looks.

    Raises:
        EngineError: ADDRESS_INVALID.
    """
    address = server_address(typed)
    if not set(typed) & set(".:/") and not is_here(address):
        raise EngineError(FaultKind.ADDRESS_INVALID, address=typed[:200])
    return address


def _set(secrets: Secrets, account: str, whose: str) -> bool:
    """Take a key that nobody sees: from a person's keyboard, or from a pipe."""
    key = _typed(f"Key for {whose}: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not key.strip():
        raise EngineError(FaultKind.SETTING_INVALID, name="key", value="nothing", allowed="a key")
    return secrets.keep(account, key.strip())


def _typed(question: str) -> str:
    try:
        return getpass.getpass(question)
    except KeyboardInterrupt:
        print(file=sys.stderr)  # the question's line is left open
        raise
