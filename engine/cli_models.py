"""``python -m engine models``: what there is, what of it cannot be used, and the catalog."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from engine.cli_sizes import bytes_text
from engine.cli_window import window_settings
from engine.cli_words import fault_sentence
from engine.contract import ModelFacts, Support
from engine.library.folders import models_folder
from engine.library.hubs.catalog import read_catalog
from engine.library.scan import Found, scan
from engine.library.servers.address import is_here, server_name

_NAME = 32  # columns


def add_models(parser: argparse.ArgumentParser) -> None:
    """How the list is written."""
    parser.add_argument("--catalog", action="store_true", help="models worth having instead")
    parser.add_argument("--json", action="store_true", help="one JSON array")


def models(options: argparse.Namespace) -> int:
    """List the models here, or those of the catalog; the exit status."""
    if options.catalog:
        _show_catalog(options)
        return 0
    found = scan(window_settings().sources())
    if options.json:
        print(json.dumps([_told(each) for each in found], ensure_ascii=False))
        return 0
    whole = [each.facts for each in found if each.facts is not None]
    for facts in whole:
        server = facts.server
        where = _leaving(server) if server else shown_path(str(facts.path)) + _unfit(facts)
        _row(facts.name, "remote" if server else bytes_text(facts.size_bytes), where)
    broken = [
        f"{each.called}: {fault_sentence(each.fault)}" for each in found if each.fault is not None
    ]
    if broken:
        print("\nThese cannot be used:", *broken, sep="\n")
    if not found:
        print(
            f"There is no model yet, in {models_folder()} or where the window looks besides. "
            "`download starter` fetches a small one; `models --catalog` lists others.",
            file=sys.stderr,
        )
    return 0


def shown_path(path: str) -> str:
    """A path on one line: quoted with escapes where something in it cannot be shown."""
    return path if path.isprintable() else repr(path)


def _show_catalog(options: argparse.Namespace) -> None:
    known = read_catalog()
    if options.json:
        rows = [
            {
                "name": model.key, "size": model.size, "license": model.license,
                "repository": model.repository, "purposes": list(model.purposes),
            }
            for model in known
        ]  # fmt: skip
        print(json.dumps(rows, ensure_ascii=False))
        return
    for model in known:
        _row(model.key, bytes_text(model.size), model.repository)


def _row(name: str, size: str, where: str) -> None:
    from rich.cells import cell_len  # noqa: PLC0415 - Chinese letters take two columns

    print(f"{name}{' ' * (_NAME - cell_len(name))} {size:>10}  {where}")


def _told(found: Found) -> dict[str, Any]:
    """What a program is told; of what cannot be used its fault instead of its figures."""
    facts, place = found.facts, {"path": str(found.path), "source": found.source.value}
    if facts is None:
        fault = found.fault
        kind, said = (fault.kind.value, fault_sentence(fault)) if fault else ("", "")
        return {"name": found.called, **place, "support": "", "fault": kind, "sentence": said}
    return {
        "name": facts.name, "size": facts.size_bytes, "license": facts.license,
        "quantization": facts.quantization, **place, "server": facts.server,
        "support": facts.support.value, "fault": "",
    }  # fmt: skip


def _unfit(facts: ModelFacts) -> str:
    """Why a sound model cannot be run; nothing where it can."""
    if facts.support is not Support.UNSUPPORTED:
        return ""
    return f"  (cannot be run: {facts.architecture if facts.writes else 'it writes no replies'})"


def _leaving(server: str) -> str:
    """Where a remote model's text goes."""
    away = "" if is_here(server) else " (what you write leaves this computer)"
    return f"at {server_name(server)}{away}"
