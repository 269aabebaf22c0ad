"""``python -m engine``: the engine in a terminal, without a window.

    python -m engine chat [MODEL] [--prompt TEXT] [--remote URL --model NAME]
    python -m engine complete MODEL TEXT
    python -m engine inspect MODEL
    python -m engine bench MODEL [--against llama.cpp]
    python -m engine advise MODEL
    python -m engine quantize SOURCE TARGET [--to 8|4|4-small]
    python -m engine serve [MODEL] [--port N]
    python -m engine download NAME [--file Q4_K_M]
    python -m engine models
    python -m engine evaluate COPY --against SOURCE [--ask TEXT]
    python -m engine runtime [status|install|remove]
    python -m engine audit verify|export
    python -m engine rules [TEXT]
    python -m engine keys set|remove|status ADDRESS
    python -m engine completion bash|zsh|fish
    python -m engine manual

Text goes to standard output, everything else to standard error. A fault is one sentence and a
non-zero exit status. Ctrl-C stops a reply, not the program.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli_advise import add_advise, advise
from engine.cli_audit import add_audit, add_rules, audit, rules
from engine.cli_bench import add_bench, bench
from engine.cli_download import add_download, download
from engine.cli_evaluate import add_evaluate, evaluate
from engine.cli_help import EPILOG, add_completion, completing, examples, manual_of
from engine.cli_machine import add_machine, machine
from engine.cli_models import add_models, models
from engine.cli_options import add_conversation, add_generation, add_model, model_path
from engine.cli_quantize import add_quantize, quantize
from engine.cli_remote import add_keys, add_remote, keys
from engine.cli_runtime import add_runtime, runtime
from engine.cli_serve import add_serve, serve
from engine.cli_sizes import bytes_text
from engine.cli_talk import CANCELLED_STATUS, chat, complete
from engine.cli_words import fault_json, fault_sentence
from engine.contract import EngineError, Fault, FaultKind, ModelFacts, Support
from engine.job_events import tell_fault
from engine.library.identify import identify
from engine.library.memory import memory_needed
from engine.service.program import is_installed
from engine.startup import import_torch
from engine.version import program_version

if TYPE_CHECKING:
    from engine.kernels.described import DeviceKernels

_PIPE_STATUS = 141
"""The exit status of programs that a closed pipe ended: 128 + SIGPIPE."""

_CONTEXTS = (2048, 8192, 32768, 131072)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal's encoding may lack letters
        sys.stdout.reconfigure(errors="replace")
    options = _parser(_name()).parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except EngineError as error:
        return _tell(error.fault, options)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return CANCELLED_STATUS
    except BrokenPipeError:  # whoever reads has had enough, for example ``head``
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush goes there
        return _PIPE_STATUS
    except OSError as error:  # a place that was named and cannot be used, for example to write to
        place, reason = str(error.filename or "A file"), error.strerror or str(error)
        return _tell(Fault(FaultKind.FILE_UNREADABLE, {"path": place, "reason": reason}), options)


def _tell(fault: Fault, options: argparse.Namespace) -> int:
    """Say what is wrong, in the form that was asked for; the exit status."""
    if getattr(options, "events", False):
        tell_fault(fault)
    elif getattr(options, "json", False):
        print(fault_json(fault))
    print(fault_sentence(fault), file=sys.stderr)
    return 1


def _name() -> str:
    """How the program was called: ``inkstone`` where it is installed, else Python's module."""
    is_script = Path(sys.argv[0]).stem == "inkstone"
    return "inkstone" if is_installed() or is_script else "python -m engine"


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        name,
        description="Language models on this machine, in a terminal.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"Inkstone {program_version()}")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, help: str, run: Callable[[argparse.Namespace], int]) -> _Parser:
        added: _Parser = commands.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.",
            epilog=examples(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    _add_talks(command)
    _add_others(command)
    return parser


_Parser = argparse.ArgumentParser
_Command = Callable[[str, str, Callable[[argparse.Namespace], int]], _Parser]


def _add_talks(command: _Command) -> None:
    """The commands whose options stand here."""
    talk = command("chat", "talk with a model", chat)
    add_model(talk, default="starter")
    add_remote(talk)
    add_conversation(talk)
    add_generation(talk)
    text = command("complete", "continue a text, without a chat template", complete)
    add_model(text, default="starter")
    add_remote(text)
    text.add_argument("prompt", help="the text")
    add_generation(text)
    facts = command("inspect", "what a model is, without loading it", _inspect)
    facts.add_argument("model", help="a GGUF file, a model folder, a name, or: starter")
    facts.add_argument("--json", action="store_true", help="one JSON object")


def _add_others(command: _Command) -> None:
    """The commands that have a file of their own."""
    add_bench(command("bench", "how fast a model runs here", bench))
    add_advise(command("advise", "what makes a model slow, poor or too large here", advise))
    add_quantize(command("quantize", "make a smaller copy of a model", quantize))
    add_serve(command("serve", "answer other programs through OpenAI's interface", serve))
    add_download(command("download", "fetch a model into the model folder", download))
    add_machine(command("machine", "what this computer is, memory speed measured", machine))
    add_models(command("models", "the models that the window shows", models))
    add_evaluate(command("evaluate", "how like its source a smaller copy is", evaluate))
    add_runtime(command("runtime", "NVIDIA's GPUs: the CUDA runtime as a download", runtime))
    add_keys(command("keys", "the keys of other machines' servers, in the keyring", keys))
    add_audit(command("audit", "what the safety layer noted", audit))
    add_rules(command("rules", "check the safety layer's rules, and try them", rules))
    add_completion(command("completion", "completion for a shell", completing(_parser)))
    command("manual", "this help as a manual page (man)", manual_of(_parser))


def _inspect(options: argparse.Namespace) -> int:
    facts = identify(model_path(options.model))
    contexts = [c for c in _CONTEXTS if c < facts.context_length] + [facts.context_length]
    memory = {context: memory_needed(facts, context).total for context in contexts if context}
    kernels = _kernels(facts)
    if options.json:
        more = {"memory_needed": memory, "kernels": [asdict(each) for each in kernels]}
        print(json.dumps(asdict(facts) | more, default=str))
        return 0
    for name, value in _rows(facts):
        print(f"{name:16} {value}")
    for each in kernels:
        print(f"{'kernels':16} {each.device}: {each.kernels}")
        for reason in each.refused:
            print(f"{'not':>16} {reason}")
    for context, needed in memory.items():
        print(f"{'memory needed':16} {bytes_text(needed)} with a context of {context:,} tokens")
    return 0


def _kernels(facts: ModelFacts) -> tuple[DeviceKernels, ...]:
    """What would compute a model of a family of ours; others have transformers' own code."""
    if facts.support is not Support.FAST:
        return ()
    import_torch()
    from engine.device import device_names  # noqa: PLC0415 - torch takes seconds
    from engine.kernels.described import describe_kernels  # noqa: PLC0415

    return describe_kernels(device_names(None))


def _rows(facts: ModelFacts) -> list[tuple[str, str]]:
    rows = [
        ("name", facts.name),
        ("file", f"{facts.path} ({bytes_text(facts.size_bytes)})"),
        ("architecture", f"{facts.architecture} ({facts.support.value}), {facts.layers} layers"),
        ("parameters", f"{facts.parameters:,}"),
        ("weights", f"{facts.quantization}, {facts.bits_per_weight:.2f} bits each"),
        ("context", f"{facts.context_length:,} tokens"),
        ("vocabulary", f"{facts.vocabulary:,} tokens"),
        ("chat template", "yes" if facts.has_template else "no"),
        ("license", facts.license),
        ("publisher", facts.publisher),
        ("languages", ", ".join(facts.languages)),
    ]
    return [(name, value) for name, value in rows if value]
