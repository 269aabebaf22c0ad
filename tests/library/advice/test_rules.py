"""Each threshold at both of its sides: what is found just beyond it, is not found just before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.contract import (
    Fault,
    FaultKind,
    LoadSettings,
    Memory,
    ModelFacts,
    NoticeKind,
    Sampling,
    Support,
    Thinking,
)
from engine.library.advice.facts import (
    Answered,
    Disk,
    Facts,
    Program,
    Refused,
    Running,
    Surroundings,
    Wishes,
)
from engine.library.advice.findings import Action, Finding, Level, Remedy
from engine.library.advice.rules import ADVISED, RULES, advise, symptom_of
from engine.library.memory import memory_needed
from tests.doubles.scripts import model_facts

GB = 1_000_000_000
MODEL = replace(
    model_facts(Path("four.gguf")), name="Four", size_bytes=int(2.5 * GB), weight_bytes=0,
    parameters=4 * GB, active_parameters=4 * GB, bits_per_weight=5.0, context_length=32_768,
    layers=36, cache_bytes_per_token=147_456,
)  # fmt: skip
AROUND = Surroundings(cores=4, memory=16 * GB, free=8 * GB, bandwidth=40e9)
RUNNING = Running(
    MODEL, LoadSettings(), 4096, 4, "cpu", Memory(int(2.5 * GB), int(0.6 * GB), GB // 2, 4 * GB),
    Sampling(),
)  # fmt: skip
ANSWERED = Answered(
    speed=13.0, first_token_s=0.4, prefill_s=0.3, prompt_tokens=300, reused_tokens=280,
    generated_tokens=200, characters=1000, packed=0.5, is_first=False,
)  # fmt: skip
FINE = Facts(AROUND, RUNNING, ANSWERED, here=(MODEL,))


def with_(**values: Any) -> Facts:
    """The facts of a model with which nothing is wrong, and some changed, by their names."""
    facts = FINE
    for name, value in values.items():
        for part in ("around", "running", "answered", "wishes"):
            held = getattr(facts, part)
            if hasattr(held, name):
                facts = replace(facts, **{part: replace(held, **{name: value})})
                break
        else:
            facts = replace(facts, **{name: value})
    return facts


def loaded(**values: Any) -> LoadSettings:
    return LoadSettings(**values)


def model(**values: Any) -> ModelFacts:
    return replace(MODEL, **values)


def found(facts: Facts, name: str) -> Finding | None:
    return next((each for each in advise(facts) if each.rule == name), None)


def sampled(**values: Any) -> Facts:
    return with_(sampling=Sampling(**values))


def failed(kind: FaultKind, has_schema: bool = False, **figures: Any) -> Facts:
    """A reply of a fine model broke off."""
    fault = Fault(kind, figures)
    return with_(refused=Refused(fault, MODEL, LoadSettings()), has_schema=has_schema)


SIDES: list[tuple[str, Facts, Facts]] = [
    ("memory-short", with_(swapped=1.0e6), with_(swapped=0.99e6)),
    ("memory-short", with_(stalled=0.1), with_(stalled=0.09)),
    ("busy-processor", with_(others=0.25), with_(others=0.24)),
    ("busy-processor", with_(others=0.25), with_(others=0.9, device="cuda:0")),
    ("few-threads", with_(settings=loaded(threads=2), threads=2),
     with_(settings=loaded(threads=3), threads=3)),
    ("few-threads", with_(settings=loaded(threads=2), threads=2), with_(threads=2)),
    ("many-threads", with_(settings=loaded(threads=5), threads=5),
     with_(settings=loaded(threads=4), threads=4)),
    ("gpu-unused", with_(settings=loaded(device="cpu"), gpus_free=4 * GB),
     with_(settings=loaded(device="cpu"), gpus_free=3 * GB)),
    ("gpu-unused", with_(settings=loaded(gpu_layers=18), device="cuda:0 + cpu", gpus_free=2 * GB),
     with_(settings=loaded(gpu_layers=36), device="cuda:0", gpus_free=2 * GB)),
    ("power-saving", with_(saving=True), FINE),
    ("slow-kernels", with_(notices={NoticeKind.KERNELS_SLOW: {"device": "cuda:0", "reason": "x"}}),
     FINE),
    ("queued", with_(queue_s=1.0, first_token_s=2.0), with_(queue_s=0.99, first_token_s=1.1)),
    ("queued", with_(queue_s=1.0, first_token_s=2.0), with_(queue_s=1.0, first_token_s=2.1)),
    ("not-reused", with_(reused_tokens=75, first_token_s=2.0),
     with_(reused_tokens=76, first_token_s=2.0)),
    ("not-reused", with_(reused_tokens=0, first_token_s=2.0),
     with_(reused_tokens=0, first_token_s=1.9)),
    ("not-reused", with_(reused_tokens=0, first_token_s=2.0),
     with_(reused_tokens=0, first_token_s=9.0, is_first=True)),
    ("not-reused", with_(reused_tokens=0, first_token_s=2.0, prompt_tokens=256),
     with_(reused_tokens=0, first_token_s=2.0, prompt_tokens=255)),
    ("long-prompt", with_(prefill_s=5.0), with_(prefill_s=4.9)),
    ("long-thought", with_(reasoning_s=5.0, reasoning_tokens=100),
     with_(reasoning_s=5.0, reasoning_tokens=99)),
    ("long-thought", with_(reasoning_s=5.0, reasoning_tokens=100),
     with_(reasoning_s=4.9, reasoning_tokens=100)),
    ("long-conversation", with_(prompt_tokens=8500, reused_tokens=8400),
     with_(prompt_tokens=8200, reused_tokens=8100)),
    ("long-conversation", with_(prompt_tokens=8500, reused_tokens=8400),
     with_(prompt_tokens=8500, reused_tokens=8400, speed=15.0)),
    ("below-expected", with_(speed=6.3), with_(speed=6.9)),
    ("below-expected", with_(speed=6.3), with_(speed=6.3, others=0.5)),
    ("below-expected", with_(speed=6.3), with_(speed=6.3, bandwidth=0.0)),
    ("slow-disk", with_(disk=Disk.TURNING, load_s=20.0), with_(disk=Disk.FAST, load_s=20.0)),
    ("slow-disk", with_(disk=Disk.NETWORK, load_s=20.0), with_(disk=Disk.NETWORK, load_s=19.0)),
    ("slow-disk", with_(disk=Disk.TURNING, load_s=20.0, model=model(size_bytes=int(2.9 * GB))),
     with_(disk=Disk.TURNING, load_s=20.0, model=model(size_bytes=int(3.1 * GB)))),
    ("large-model", with_(model=model(size_bytes=int(5.7 * GB))),
     with_(model=model(size_bytes=int(5.6 * GB)))),
    ("compatible-model", with_(model=model(support=Support.COMPATIBLE)), FINE),
    ("other-server", with_(model=model(server="http://localhost:1234/v1")), FINE),
    ("hot", sampled(temperature=1.31), sampled(temperature=1.3)),
    ("hot", sampled(temperature=3.1, min_p=0.05), sampled(temperature=3.0, min_p=0.05)),
    ("hot", sampled(temperature=1.7), with_(usual=Sampling(temperature=1.4),
     sampling=Sampling(temperature=1.65))),
    ("strong-penalty", sampled(repetition_penalty=1.3), sampled(repetition_penalty=1.29)),
    ("strong-penalty", sampled(repetition_penalty=0.96), sampled(repetition_penalty=0.97)),
    ("strong-penalty", sampled(frequency_penalty=1.1), sampled(frequency_penalty=1.0)),
    ("strong-penalty", sampled(presence_penalty=-0.6), sampled(presence_penalty=-0.5)),
    ("open-tail", sampled(temperature=0.9, top_k=0, top_p=1.0),
     sampled(temperature=0.89, top_k=0, top_p=1.0)),
    ("open-tail", sampled(temperature=0.9, top_k=0, top_p=1.0),
     sampled(temperature=0.9, top_k=0, top_p=0.99)),
    ("circles", with_(packed=0.149, characters=400), with_(packed=0.15, characters=400)),
    ("circles", with_(packed=0.05, characters=400), with_(packed=0.05, characters=399)),
    ("no-template", with_(notices={NoticeKind.TEMPLATE_MISSING: {}}), FINE),
    ("foreign-template", with_(has_template=True), FINE),
    ("turns-left-out", with_(left_out_turns=1), FINE),
    ("cut-short", with_(is_cut=True), FINE),
    ("few-bits", with_(model=model(bits_per_weight=3.49)), with_(model=model(bits_per_weight=3.5))),
    ("few-bits", with_(same_top=0.69), with_(same_top=0.7, model=model(bits_per_weight=2.0))),
    ("small-model", with_(model=model(parameters=GB - 1)), with_(model=model(parameters=GB))),
    ("inexact-cache", with_(notices={NoticeKind.CACHE_INEXACT: {"divergence": 0.2}}), FINE),
    ("bound-by-schema", with_(has_schema=True), FINE),
    ("stop-words", with_(stop=("END",), generated_tokens=19),
     with_(stop=("END",), generated_tokens=20)),
    ("no-thought", with_(can_think=True, thinking=Thinking.OFF),
     with_(can_think=False, thinking=Thinking.OFF)),
    ("context-reduced", with_(notices={NoticeKind.CONTEXT_REDUCED: {"wanted": 8192,
     "context": 4096}}), FINE),
    ("missing-device", failed(FaultKind.DEVICE_MISSING, device="cuda"), FINE),
    ("refused-template", failed(FaultKind.TEMPLATE_REFUSED, detail="x"), FINE),
    ("refused-form", failed(FaultKind.CONSTRAINT_INVALID, has_schema=True),
     failed(FaultKind.CONSTRAINT_INVALID)),
    ("long-question", failed(FaultKind.PROMPT_TOO_LONG, tokens=5000, context=4096), FINE),
    ("crowded", failed(FaultKind.BUSY, waiting=48, limit=48), FINE),
    ("far-server", failed(FaultKind.SERVER_SILENT, host="example.com"),
     failed(FaultKind.KEY_REFUSED, host="example.com")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "beyond", "before"), SIDES)
def test_a_threshold_at_both_sides(name: str, beyond: Facts, before: Facts) -> None:
    assert found(beyond, name) is not None
    assert found(before, name) is None


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert advise(FINE) == ()
    assert advise(Facts()) == ()


def refused(free: int, memory: int = 32 * GB, **values: Any) -> Facts:
    """A model that did not fit a computer, where so much is free."""
    fault = Fault(FaultKind.MEMORY_SHORT, {"needed": 1, "free": 0, "context": 2048})
    settings = LoadSettings(**values)
    around = replace(AROUND, free=free, memory=memory)
    return Facts(around, refused=Refused(fault, MODEL, settings), here=(MODEL,))


BARE = memory_needed(MODEL, 0).total
LEAST = memory_needed(MODEL, 2048).total


@pytest.mark.parametrize(
    ("free", "name"),
    [(BARE - 1, "large-weights"), (BARE, "long-context"), (LEAST - 1, "long-context"),
     (LEAST, "fits-now")],
)  # fmt: skip
def test_what_did_not_fit_has_one_reason(free: int, name: str) -> None:
    reasons = {"large-weights", "long-context", "fits-now"}
    assert {each.rule for each in advise(refused(free))} & reasons == {name}


def test_others_are_blamed_only_where_closing_them_would_help() -> None:
    enough = int(LEAST / 0.9) + 1
    assert found(refused(BARE, enough), "others-hold") is not None
    assert found(refused(BARE, enough - GB), "others-hold") is None
    assert found(refused(LEAST, enough), "others-hold") is None


def test_the_largest_programs_are_named() -> None:
    facts = refused(BARE)
    programs = (Program("firefox", 3 * GB), Program("slack", GB), Program("tiny", 1000))
    held = found(replace(facts, around=replace(facts.around, largest=programs)), "others-hold")
    assert held is not None
    assert held.figures["programs"] == "firefox, slack"
    assert held.figures["held_bytes"] == 4 * GB


def test_a_shorter_context_or_a_smaller_cache_is_offered_where_it_fits() -> None:
    eight = memory_needed(MODEL, 2048, 8).total
    offered = found(refused(eight), "long-context")
    assert offered is not None
    assert Action(Remedy.CACHE_BITS, 8) in offered.actions
    context = next(a for a in offered.actions if a.remedy is Remedy.CONTEXT)
    assert int(context.value) % 256 == 0
    assert memory_needed(MODEL, int(context.value)).total <= eight
    less = found(refused(BARE), "long-context")
    assert less is not None
    assert {a.remedy for a in less.actions} == {Remedy.MODELS}


def test_a_full_gpu_is_told_apart() -> None:
    figures = {"needed": GB, "free": GB // 2, "device": "cuda:0"}
    fault = Fault(FaultKind.OUT_OF_MEMORY, figures)
    facts = Facts(AROUND, refused=Refused(fault, MODEL, LoadSettings()))
    assert found(facts, "gpu-full") is not None
    on_cpu = Fault(FaultKind.OUT_OF_MEMORY, {**figures, "device": "cpu"})
    cpu = Facts(AROUND, refused=Refused(on_cpu, MODEL, LoadSettings()))
    assert found(cpu, "gpu-full") is None


def test_a_context_that_nobody_asked_for_is_no_fault() -> None:
    notices = {NoticeKind.CONTEXT_REDUCED: {"wanted": 32_768, "context": 4096}}
    own = found(with_(notices=notices), "context-reduced")
    asked = found(with_(notices=notices, settings=loaded(context=32_768)), "context-reduced")
    assert own is not None
    assert asked is not None
    assert (own.level, asked.level) == (Level.NATURE, Level.CAUSE)


def remedies(facts: Facts, name: str) -> list[Remedy]:
    finding = found(facts, name)
    assert finding is not None
    return [each.remedy for each in finding.actions]


def test_a_template_of_the_chat_gives_way_to_the_models() -> None:
    refused = failed(FaultKind.TEMPLATE_INVALID, detail="line 1")
    assert remedies(refused, "refused-template") == [Remedy.TEMPLATE]
    own = replace(refused, wishes=Wishes(has_template=True))
    assert remedies(own, "refused-template") == [Remedy.OWN_TEMPLATE]


def test_a_question_that_is_too_long_gets_a_context_or_a_model_with_room_for_it() -> None:
    long = failed(FaultKind.PROMPT_TOO_LONG, tokens=5000, context=4096)
    finding = found(long, "long-question")
    assert finding is not None
    assert finding.actions == (Action(Remedy.CONTEXT, 8192),)
    longer = failed(FaultKind.PROMPT_TOO_LONG, tokens=9000, context=4096)
    assert remedies(longer, "long-question") == [], "twice the context is still too little"
    roomy = replace(longer, here=(MODEL, SMALLER))
    assert first_load(roomy, "long-question") == "Small"
    whole = failed(FaultKind.CONVERSATION_TOO_LONG, host="example.com", tokens=0, context=0)
    assert Remedy.NEW_CHAT in remedies(whole, "long-question")


def test_a_model_of_this_computer_stands_in_for_a_server() -> None:
    far = model(path=Path("far.remote.json"), server="http://example.com/v1", parameters=0)
    for kind, more in ((FaultKind.SERVER_BROKE_OFF, [Remedy.LOAD_AGAIN]), (FaultKind.OFFLINE, [])):
        lost = replace(failed(kind, host="example.com"), here=(far, MODEL))
        assert first_load(lost, "far-server") == "Four"
        assert remedies(lost, "far-server") == [Remedy.LOAD, *more]
        assert remedies(replace(lost, here=(far,)), "far-server") == more


@pytest.mark.parametrize("kind", sorted(ADVISED))
def test_every_fault_beside_which_the_advisor_is_offered_is_explained(kind: FaultKind) -> None:
    """By a rule, whatever its figures are; of a schema only where there still is one."""
    facts = replace(failed(kind, has_schema=True, device="cuda"), running=None)
    assert symptom_of(Fault(kind)) in {each.symptom for each in advise(facts)}


SMALLER = model(path=Path("small.gguf"), name="Small", size_bytes=GB, parameters=int(1.7 * GB))
FEWER = model(path=Path("fewer.gguf"), name="Fewer", size_bytes=int(1.8 * GB), bits_per_weight=3.0)
MORE = model(path=Path("more.gguf"), name="More", size_bytes=int(4.3 * GB), bits_per_weight=8.5)
LARGE = model(path=Path("large.gguf"), name="Large", size_bytes=60 * GB, parameters=70 * GB)


def first_load(facts: Facts, name: str) -> str:
    finding = found(facts, name)
    assert finding is not None
    return next((a.name for a in finding.actions if a.remedy is Remedy.LOAD), "")


def test_another_model_is_proposed_that_fits_and_the_same_one_first() -> None:
    short = with_(stalled=0.5, here=(SMALLER, MODEL, LARGE))
    assert first_load(short, "memory-short") == "Small"
    assert first_load(replace(short, here=(*short.here, FEWER)), "memory-short") == "Fewer"
    poor = with_(model=FEWER, here=(FEWER, MORE, LARGE))
    assert first_load(poor, "few-bits") == "More"
    assert first_load(replace(poor, here=(FEWER, LARGE)), "few-bits") == ""  # it would not fit


def test_a_longer_context_is_offered_where_model_and_memory_have_it() -> None:
    cut = found(with_(left_out_turns=2), "turns-left-out")
    assert cut is not None
    assert cut.actions == (Action(Remedy.CONTEXT, 8192), Action(Remedy.NEW_CHAT))
    for full in (with_(left_out_turns=2, free=0), with_(left_out_turns=2, context=32_768)):
        short = found(full, "turns-left-out")
        assert short is not None
        assert short.actions == (Action(Remedy.NEW_CHAT),)


def test_a_limit_is_told_from_a_full_context() -> None:
    limit = found(with_(is_cut=True, max_tokens=200), "cut-short")
    full = found(with_(is_cut=True, max_tokens=300), "cut-short")
    assert limit is not None
    assert full is not None
    assert limit.actions == (Action(Remedy.NO_LIMIT),)
    assert full.figures["kind"] == "context"


def test_what_the_model_samples_with_anyway_is_not_blamed() -> None:
    odd = Sampling(temperature=2.0, repetition_penalty=1.5, top_k=0, top_p=1.0)
    assert found(with_(usual=odd, sampling=odd), "hot") is None
    assert advise(with_(usual=odd, sampling=odd)) == ()


def test_what_is_wrong_is_told_before_how_things_are() -> None:
    small = model(parameters=GB // 2, active_parameters=GB // 2)
    levels = [each.level for each in advise(with_(others=0.5, model=small))]
    assert levels == [Level.CAUSE, Level.NATURE]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_seen_to_find_something(rule: Any) -> None:
    beyond: list[Callable[[], Facts]] = [lambda f=facts: f for name, facts, _ in SIDES
                                         if name == rule.name]  # fmt: skip
    others = {"fits-now", "large-weights", "long-context", "others-hold", "gpu-full"}
    assert beyond or rule.name in others
    assert "\n" in (type(rule).__doc__ or "") or len(type(rule).__doc__ or "") > 40
