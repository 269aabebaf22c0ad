"""``python -m engine advise``: loads a model, asks it something, and says what could be better."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from engine.cli_advice_words import action_sentence, finding_sentence, fine_sentence
from engine.cli_options import (
    add_generation,
    add_model,
    generate_settings,
    load_settings,
    model_path,
)
from engine.cli_talk import load, stopped
from engine.cli_terminal import EngineAtTerminal
from engine.cli_window import window_settings
from engine.cli_words import fault_sentence
from engine.contract import (
    Channel,
    EngineError,
    Event,
    Finished,
    FinishReason,
    Generate,
    Loaded,
    Message,
    ModelFacts,
    Role,
    TextDelta,
    Thinking,
)
from engine.library.advice.facts import Answered, Facts, Refused, Surroundings, Wishes
from engine.library.advice.findings import Finding, Level
from engine.library.advice.gathered import packed_share, running_of, same_top_of
from engine.library.advice.rules import ADVISED
from engine.library.advice.rules import advise as found_by_rules
from engine.library.advice.surroundings import read_surroundings
from engine.library.identify import identify
from engine.library.scan import scan
from engine.startup import import_torch

FOUND_STATUS = 3
"""The exit status where something is wrong with the figures."""

_PROMPT = "Explain in a few sentences why ice floats on water."
_TOKENS = 128  # of the reply that is measured, where nobody says how many


def add_advise(parser: argparse.ArgumentParser) -> None:
    """The model, how it is loaded, and how its reply is sampled."""
    add_model(parser)
    parser.add_argument("--prompt", default=_PROMPT, help="what is asked for the measurement")
    add_generation(parser)


def advise(options: argparse.Namespace) -> int:
    """Measure a reply and print what the rules find; the exit status."""
    terminal = EngineAtTerminal()
    try:
        loaded = load(terminal, options, model_path(options.model))
    except EngineError as error:
        if error.fault.kind not in ADVISED:
            raise
        facts = _refused(options, error)
        _tell(facts, None, as_json=options.json, before=fault_sentence(error.fault))
        return 1
    if loaded is None:
        return stopped()
    measured = _measure(terminal, options, loaded)
    if measured is None:
        return stopped()
    found = _tell(_facts(options, loaded, measured), measured, as_json=options.json)
    return FOUND_STATUS if any(each.level is Level.CAUSE for each in found) else 0


@dataclass(frozen=True, slots=True)
class _Measured:
    """A reply and its end."""

    text: str
    end: Finished


def _measure(
    terminal: EngineAtTerminal, options: argparse.Namespace, loaded: Loaded
) -> _Measured | None:
    """Ask; None if Ctrl-C stopped it."""
    settings = generate_settings(options, loaded.default_sampling)
    if settings.max_tokens is None:
        options.max_tokens = _TOKENS
        settings = generate_settings(options, loaded.default_sampling)
        options.max_tokens = None
    asked = (Message(Role.USER, options.prompt),)
    events = terminal.run(Generate(terminal.next_request(), asked, settings))
    measured = _heard(events)
    is_stopped = measured.end.reason is FinishReason.CANCELLED
    return None if is_stopped else measured


def _heard(events: Iterable[Event]) -> _Measured:
    pieces: list[str] = []
    for event in events:
        if isinstance(event, TextDelta) and event.channel is Channel.ANSWER:
            pieces.append(event.text)
        elif isinstance(event, Finished):
            return _Measured("".join(pieces), event)
    raise RuntimeError("a reply ended without a terminal event")


def _facts(options: argparse.Namespace, loaded: Loaded, measured: _Measured) -> Facts:
    usage, timings, reason = measured.end.usage, measured.end.timings, measured.end.reason
    limits = {FinishReason.LENGTH, FinishReason.CONTEXT_FULL}
    is_ours = reason is FinishReason.LENGTH and options.max_tokens is None
    settings = generate_settings(options, loaded.default_sampling)
    path = model_path(options.model)
    return Facts(
        around=_surroundings(loaded.model),
        running=running_of(loaded, load_settings(options), same_top=same_top_of(path)),
        answered=Answered(
            speed=timings.tokens_per_second,
            first_token_s=timings.time_to_first_token_s,
            queue_s=timings.queue_s,
            prefill_s=timings.prefill_s,
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            generated_tokens=usage.generated_tokens,
            reasoning_tokens=usage.reasoning_tokens,
            left_out_turns=usage.left_out_turns,
            beside_server=timings.beside_server,
            is_cut=reason in limits and not is_ours,
            characters=len(measured.text),
            packed=packed_share(measured.text),
        ),
        wishes=Wishes(settings.sampling, Thinking.AUTO, options.max_tokens, settings.stop),
        here=_here(),
    )


def _refused(options: argparse.Namespace, error: EngineError) -> Facts:
    model = identify(model_path(options.model))
    refused = Refused(error.fault, model, load_settings(options))
    return Facts(around=read_surroundings(), refused=refused, here=_here())


def _surroundings(model: ModelFacts) -> Surroundings:
    """This computer, its memory measured; a server's model needs nothing of it."""
    if model.server:
        return Surroundings()
    import_torch()
    from engine.kernels.bandwidth import measure_read_bandwidth  # noqa: PLC0415 (behind torch)

    seen = read_surroundings(model.path)
    return replace(seen, bandwidth=measure_read_bandwidth(seen.cores))


def _here() -> tuple[ModelFacts, ...]:
    return tuple(f.facts for f in scan(window_settings().sources()) if f.facts is not None)


def _tell(
    facts: Facts, measured: _Measured | None, *, as_json: bool, before: str = ""
) -> tuple[Finding, ...]:
    """Print what was found, and say it where nothing is wrong."""
    found = found_by_rules(facts)
    if as_json:
        told = {"findings": [asdict(each) for each in found]}
        answered = asdict(facts.answered) if facts.answered is not None else None
        around = asdict(facts.around)
        print(json.dumps(told | {"answered": answered, "around": around}, default=str))
        return found
    if before:
        print(before)
    if measured is not None and not any(each.level is Level.CAUSE for each in found):
        print(fine_sentence(facts))
    for finding in found:
        print(f"- {finding_sentence(finding)}")
        for action in finding.actions:
            if said := action_sentence(action):
                print(f"    {said}")
    return found
