"""What ``--help`` says beyond the options, the manual page, and the completion of shells."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
examples:
  inkstone chat
  inkstone chat starter --prompt "Why does ice float?" --preset precise
  inkstone chat --remote http://localhost:11434/v1 --model qwen3:4b
  inkstone models
  inkstone COMMAND --help    has each command's own

settings:
  Models are looked for where the window looks. Context, device, layers on GPUs, threads and bits
  of the KV cache are the window's; an option goes before them, and 0 (layers: -1) leaves the
  choice to the engine. Downloads follow the window's mirror, limit and token; with its offline
  switch on nothing but this computer is asked.

output:
  Text goes to standard output, everything else to standard error. With --json it is JSON, and a
  fault is {"fault": name, "figures": {...}, "sentence": text}.

environment:
  INKSTONE_HOME        the folder of settings and models
  INKSTONE_SERVER_KEY  the key that "serve" asks clients for
  INKSTONE_REMOTE_KEY  the key for another machine's server; else the keyring's (see: keys)
  INKSTONE_POLICY      an administrator's policy, where the system's place has none
  INKSTONE_INSTRUCTIONS
                       takes the processor for a lesser one: AVX-VNNI, AVX2 or portable
  HF_TOKEN             the token for Hugging Face's closed models; else the window's
  HTTPS_PROXY          a proxy, with a password where it wants one; NO_PROXY names exceptions
  NO_COLOR             colours are left out

exit status:
  0    done
  1    a fault: one sentence on standard error says which
  2    wrong arguments
  3    advise: something is wrong
  130  stopped (Ctrl-C)
  141  whoever read the output went away
"""

_EXAMPLES = {
    "chat": (
        "inkstone chat",
        "inkstone chat starter --system 'Answer in one sentence.'",
        "inkstone chat starter --prompt 'Why does ice float?' --json",
        "inkstone chat --remote http://localhost:11434/v1 --model qwen3:4b",
    ),
    "complete": (
        "inkstone complete starter 'Once upon a time' --max-tokens 50",
        "inkstone complete starter 'One, two,' --temperature 0 --stop five --json",
    ),
    "inspect": ("inkstone inspect starter", "inkstone inspect model.gguf --json"),
    "bench": (
        "inkstone bench starter",
        "inkstone bench starter --against llama.cpp --peer /path/to/python",
    ),
    "advise": ("inkstone advise starter", "inkstone advise starter --temperature 2 --json"),
    "quantize": (
        "inkstone quantize starter ~/smaller --to 4",
        "inkstone quantize MODEL-FOLDER ~/smaller --bits 4 --group 128 --method gptq",
        "inkstone quantize starter ~/smaller --discard",
    ),
    "serve": (
        "inkstone serve starter --port 8420",
        "INKSTONE_SERVER_KEY=… inkstone serve starter --host 0.0.0.0 --json",
    ),
    "download": (
        "inkstone download starter",
        "inkstone download Qwen/Qwen3-0.6B-GGUF --files",
        "inkstone download Qwen/Qwen3-0.6B-GGUF --file Q8_0 --limit 500",
        "inkstone download modelscope:Qwen/Qwen3-0.6B",
    ),
    "machine": ("inkstone machine", "inkstone machine --json"),
    "models": ("inkstone models", "inkstone models --catalog", "inkstone models --json"),
    "evaluate": (
        "inkstone evaluate ~/smaller --against starter --tokens 256",
        "inkstone evaluate ~/smaller --against starter --ask 'Why does ice float?' --json",
    ),
    "runtime": ("inkstone runtime", "inkstone runtime install", "inkstone runtime remove"),
    "keys": (
        "inkstone keys set https://api.example.com/v1",
        "inkstone keys status https://api.example.com/v1",
        "pass show example | inkstone keys set https://api.example.com/v1",
    ),
    "audit": ("inkstone audit verify", "inkstone audit export log.jsonl"),
    "rules": ("inkstone rules", "inkstone rules --profile family 'a text to try them on'"),
    "completion": (
        "inkstone completion bash > ~/.local/share/bash-completion/completions/inkstone",
        "inkstone completion zsh > ~/.zsh/completions/_inkstone",
        "inkstone completion fish > ~/.config/fish/completions/inkstone.fish",
    ),
    "manual": ("inkstone manual > ~/.local/share/man/man1/inkstone.1",),
}

_FILES = frozenset(
    {"model", "source", "against", "calibration", "peer_model", "peer", "certificate"}
)
_FOLDERS = frozenset({"target"})

Make = Callable[[str], argparse.ArgumentParser]


def examples(command: str) -> str:
    """The examples of a command, as its help shows them."""
    return "\n".join(("examples:", *(f"  {line}" for line in _EXAMPLES[command])))


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", choices=SHELLS)


def completing(make: Make) -> Callable[..., int]:
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


def manual_of(make: Make) -> Callable[..., int]:
    """Return the command that prints a manual page of what ``make`` parses."""

    def manual(options: argparse.Namespace) -> int:
        from argparse_manpage.manpage import Manpage  # noqa: PLC0415 - for this command alone

        parser = make("inkstone")
        parser.man_short_description = "language models on this machine"  # type: ignore[attr-defined]
        print(Manpage(parser))
        return 0

    return manual


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action
