"""What ``--help`` says beyond the options, and the completion of shells."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
examples:
  inkstone chat starter
  inkstone chat starter --prompt "Why does ice float?" --preset precise
  inkstone complete starter "Once upon a time" --max-tokens 50 --json
  inkstone models
  inkstone download starter
  inkstone quantize starter smaller --to 4
  inkstone evaluate smaller --against starter
  inkstone serve starter --port 8420
  inkstone completion bash > ~/.local/share/bash-completion/completions/inkstone

settings:
  Models are looked for where the window looks. Context, device, layers on GPUs, threads and bits
  of the KV cache are the window's; an option goes before them, and 0 (layers: -1) leaves the
  choice to the engine.

environment:
  INKSTONE_HOME        the folder of settings and models
  INKSTONE_SERVER_KEY  the key that "serve" asks clients for
  INKSTONE_POLICY      an administrator's policy, where the system's place has none
  HF_TOKEN             the token for Hugging Face's closed models

exit status:
  0    done
  1    a fault: one sentence on standard error says which
  2    wrong arguments
  130  stopped (Ctrl-C)
  141  whoever read the output went away
"""

_FILES = frozenset({"model", "source", "against", "calibration", "peer_model", "peer"})
_FOLDERS = frozenset({"target"})


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", choices=SHELLS)


def completing(make: Callable[[str], argparse.ArgumentParser]) -> Callable[..., int]:
    """Return the command that prints a completion script for what ``make`` parses."""

    def completion(options: argparse.Namespace) -> int:
        import shtab  # noqa: PLC0415 - for this command alone

        parser = make("inkstone")
        for action in _actions(parser):
            kind = shtab.FILE if action.dest in _FILES else None
            kind = shtab.DIRECTORY if action.dest in _FOLDERS else kind
            if kind is not None and action.choices is None:
                setattr(action, "complete", kind)  # noqa: B010 - shtab's own name for it
        print(shtab.complete(parser, shell=options.shell))
        return 0

    return completion


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action
