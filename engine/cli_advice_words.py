"""What the advisor found, as English sentences for a terminal, each with what to type for it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.cli_sizes import bytes_text, sizes_text
from engine.contract import Figure
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Action, Finding, Remedy

_FOUND: Mapping[str, str] = {
    "few-threads": "{threads} of {cores} cores compute.",
    "many-threads": "{threads} threads share {cores} cores, and wait for each other.",
    "busy-processor": "Other programs use {others_share} of all {cores} cores.",
    "memory-short": (
        "Memory is short: {free_bytes} of {memory_bytes} are free, programs wait for it "
        "{stalled_share} of the time, and {swapped_bytes} a second go to or from the disk."
    ),
    "power-saving:saving": "The system saves power, which slows the processor down.",
    "power-saving:battery": "The computer runs on its battery; many are slower then.",
    "gpu-unused": "The GPU has {free_bytes} free and computes {inside} of {layers} layers.",
    "slow-kernels": "The fast path of {device} cannot be used: {reason}.",
    "compatible-model": (
        "{architecture} runs through transformers' code, which is slower than a family of our own."
    ),
    "large-model": (
        "Each token reads {weights_bytes}, and the memory delivers {bandwidth_bytes} a second: "
        "{expected_speed} tokens/s can be expected (a person reads about {reading_speed})."
    ),
    "below-expected": (
        "{measured_speed} tokens/s were measured where {expected_speed} can be expected of "
        "{bandwidth_bytes} a second, and nothing that was looked at explains it."
    ),
    "queued": "{queue_s} of the {first_s} to the first word went by behind other requests.",
    "not-reused": "Only {reused} of {prompt} prompt tokens were still known ({first_s}).",
    "long-prompt": "Reading {tokens} prompt tokens took {prefill_s} ({prefill_speed} tokens/s).",
    "long-thought": "{thoughts} of {tokens} tokens were thoughts; they took {thought_s}.",
    "long-conversation": (
        "A conversation of {tokens} tokens: its cache of {cache_bytes} is read for each token "
        "besides {weights_bytes} of weights."
    ),
    "slow-disk": "{size_bytes} took {load_s} to load: {pace_bytes} a second, a {disk} disk.",
    "other-server": "{server} writes; its speed and the network are in the figures ({first_s}).",
    "hot": "The temperature is {temperature}; the model wants {usual}.",
    "strong-penalty": (
        "Repeat penalty {repeat}, frequency {frequency}, presence {presence}: outside what models "
        "bear (0.97 to 1.3; -0.5 to 1)."
    ),
    "open-tail": "Nothing cuts the unlikely words off at a temperature of {temperature}.",
    "circles": "The reply runs in circles: its {characters} characters pack to {packed_share}.",
    "no-template": "{name} has no chat template: most likely a base model.",
    "foreign-template": "The chat is not written in the template of {name}.",
    "turns-left-out": "{turns} turns did not fit the context of {context} tokens.",
    "cut-short:limit": "The reply was cut at the limit of {tokens} tokens.",
    "cut-short:context": "The reply was cut: the context of {tokens} tokens was full.",
    "few-bits:bits": "{bits} bits a weight: answers suffer below 3.5.",
    "few-bits:measured": "This copy agrees with its source in {same_share} of the next words only.",
    "small-model": "The model has {millions} million weights: whole sentences, few facts.",
    "inexact-cache": "The model does not bear an 8-bit cache: {divergence} nats a token.",
    "bound-by-schema": "The answers have to match a JSON schema.",
    "stop-words": "The reply ended after {tokens} tokens; the stop words are {words}.",
    "no-thought": "The model can think before it answers, and was told not to.",
    "fits-now": "{needed_bytes} are needed, and by now {free_bytes} are free.",
    "large-weights": (
        "The weights of {name} ({weights_bytes}) and what running takes ({beside_bytes}) are more "
        "than the {free_bytes} that are free."
    ),
    "long-context": (
        "The weights fit, a context of {context} tokens does not: it takes {cache_bytes}, "
        "{needed_bytes} in all, and {free_bytes} are free."
    ),
    "others-hold": (
        "{needed_bytes} of {memory_bytes} would do; other programs hold the rest ({programs})."
    ),
    "gpu-full": "The memory of {device} ran out: {needed_bytes} more, {free_bytes} free.",
    "context-reduced:own": "The context is {context} tokens: the model has no more than that.",
    "context-reduced:memory": "The context is {context} of {wanted} tokens: memory is short.",
    "missing-device": "The model was to be computed on {device}, which is not there.",
    "refused-template:chat": "The template of its own does not take this conversation.",
    "refused-template:model": "The model's template does not take this conversation.",
    "refused-form": "No answer can be held to this schema.",
    "long-question:question": "The question takes {tokens} tokens; the context holds {context}.",
    "long-question:whole": "The conversation is longer than the server reads.",
    "crowded": "{waiting} requests were waiting, and no more than {limit} may.",
    "far-server:server": "{host} writes the answers, and it failed; a model here needs no server.",
    "far-server:offline": "The offline switch keeps {host} away; a model here needs no network.",
}

_DO: Mapping[Remedy, str] = {
    Remedy.THREADS_AUTO: "--threads 0",
    Remedy.CONTEXT: "--context {value}",
    Remedy.CACHE_BITS: "--cache-bits {value}",
    Remedy.GPU_AUTO: "--device cuda --gpu-layers -1",
    Remedy.DEVICE_AUTO: "leave --device away",
    Remedy.LOAD: "use {value}",
    Remedy.LOAD_AGAIN: "close other programs, and load it again",
    Remedy.MAKE_SMALLER: "quantize {value} TARGET --to 4",
    Remedy.MODELS: "models, or models --catalog",
    Remedy.USUAL_SAMPLING: "leave the options of the sampler away",
    Remedy.PENALISE: "--repetition-penalty 1.05 --temperature 0.8",
    Remedy.THINKING_OFF: "--thinking off",
    Remedy.THINKING_AUTO: "--thinking auto",
    Remedy.NO_LIMIT: "leave --max-tokens away",
    Remedy.NO_STOPS: "leave --stop away",
    Remedy.BENCHMARK: "bench MODEL, when the machine is at rest",
    Remedy.LOOK_AGAIN: "end it, and look again",
    Remedy.NEW_CHAT: "begin a new conversation",
}


def finding_sentence(finding: Finding) -> str:
    """Return a finding in one sentence."""
    kind = finding.figures.get("kind")
    form = _FOUND[f"{finding.rule}:{kind}" if kind else finding.rule]
    said = {name: _said(name, each) for name, each in finding.figures.items()}
    return form.format_map(said | sizes_text(finding.sizes))


def action_sentence(action: Action) -> str:
    """Return what to type for an action; empty where only the window has it."""
    return _DO.get(action.remedy, "").format(value=action.value)


def fine_sentence(facts: Facts) -> str:
    """Return what is said where nothing is wrong, with the figures that were looked at."""
    answered, around = facts.answered, facts.around
    speed = answered.speed if answered is not None else None
    first = answered.first_token_s if answered is not None else 0.0
    return (
        f"Nothing is wrong: {_said('speed', speed or 0.0)} tokens/s, first word after "
        f"{first:.2f} s, {bytes_text(around.free)} of memory free, other programs use "
        f"{_said('others_share', around.others)} of the processor."
    )


def _said(name: str, value: Figure) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("_bytes"):
        return bytes_text(value)
    if name.endswith("_share"):
        return f"{value:.0%}"
    if name.endswith("_s"):
        return f"{value:.1f} s"
    if name.endswith("speed"):
        return f"{value:,.{0 if value >= 100 else 1}f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
