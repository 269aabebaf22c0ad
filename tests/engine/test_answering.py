"""The engine over a mock model: replies, reuse, batching, faults and honest figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.answering import Answering
from engine.contract import (
    Complete,
    Constraint,
    ConstraintKind,
    CountTokens,
    EngineError,
    Event,
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Load,
    Message,
    Metrics,
    NoticeKind,
    Priority,
    Progress,
    Role,
    Sampling,
    Stage,
    TextDelta,
    TokensCounted,
    Unload,
)
from engine.engine import Engine
from engine.loaded import LoadedModel
from tests.doubles.engines import DirectService
from tests.doubles.models import END, MockModel, expected_reply, mock_loaded
from tests.engine.laws import assert_cancelled_keeping, events_of, terminal_of, text_of


class Bench:
    """A service without a thread over the real engine with a mock model."""

    def __init__(self, loaded: LoadedModel | None = None) -> None:
        self.loaded = loaded or mock_loaded()
        self.events: list[Event] = []
        self.requests = 0

        def load(command: Load) -> Generator[Event, None, Answering]:
            yield Progress(command.request, Stage.READING, 1, 1)
            return Answering(self.loaded)

        self.service = DirectService(self.events.append, lambda: Engine(load))
        self.load_request = self.submit(lambda n: Load(n, Path("mock.gguf")))
        self.service.run_all()

    @property
    def model(self) -> MockModel:
        model = self.loaded.model
        assert isinstance(model, MockModel)
        return model

    def submit(self, command: Callable[[int], object]) -> int:
        self.requests += 1
        self.service.submit(command(self.requests))  # type: ignore[arg-type]
        return self.requests

    def complete(self, prompt: str, **settings: object) -> int:
        chosen = GenerateSettings(**settings)  # type: ignore[arg-type]
        return self.submit(lambda n: Complete(n, prompt, chosen))

    def ask(self, *messages: Message, **settings: object) -> int:
        chosen = GenerateSettings(**settings)  # type: ignore[arg-type]
        return self.submit(lambda n: Generate(n, messages, chosen))

    def finished(self, request: int) -> Finished:
        self.service.run_all()
        end = terminal_of(request, self.events)
        assert isinstance(end, Finished), end
        return end


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.service.close()


def question(text: str) -> Message:
    return Message(Role.USER, text)


def reply(end: Finished, text: str) -> Message:
    return Message(Role.ASSISTANT, text, ids=end.ids)


def test_a_reply_is_what_the_model_says_without_any_cache(bench: Bench) -> None:
    end = bench.finished(bench.complete("Hello, mock.", max_tokens=40))
    assert list(end.ids) == expected_reply(list(b"Hello, mock."), 40)
    assert end.usage.generated_tokens == len(end.ids)
    assert text_of(end.request, bench.events) == "".join(chr(i) for i in end.ids if i != END)


def test_a_reply_ends_at_its_limit_and_at_the_full_context(bench: Bench) -> None:
    end = bench.finished(bench.complete("x", max_tokens=7))
    assert (end.reason, end.usage.generated_tokens) == (FinishReason.LENGTH, 7)
    never_ends = Sampling(temperature=0, logit_bias=((END, float("-inf")),))
    end = bench.finished(bench.complete("x" * 500, sampling=never_ends))
    assert (end.reason, end.usage.generated_tokens) == (FinishReason.CONTEXT_FULL, 12)
    assert end.usage.context_used == end.usage.context_size == 512


def test_a_reply_ends_at_the_end_of_turn_and_at_a_stop_string(bench: Bench) -> None:
    always_ends = Sampling(temperature=0, logit_bias=((END, 100.0),))
    end = bench.finished(bench.complete("x", sampling=always_ends))
    assert (end.reason, end.ids) == (FinishReason.END_OF_TURN, (END,))
    third = chr(expected_reply(list(b"stop"), 3)[2])
    end = bench.finished(bench.complete("stop", stop=(third,), max_tokens=40))
    assert end.reason is FinishReason.STOP_STRING
    assert third not in text_of(end.request, bench.events)


def test_a_second_turn_computes_only_what_is_new(bench: Bench) -> None:
    first = bench.finished(bench.ask(question("One?"), max_tokens=20))
    before = bench.model.computed_tokens
    second = bench.finished(
        bench.ask(
            question("One?"),
            reply(first, "whatever the text says, the ids count"),
            question("Two?"),
            max_tokens=1,
        )
    )
    prompt_and_reply = first.usage.prompt_tokens + first.usage.generated_tokens
    assert second.usage.reused_tokens == prompt_and_reply - 1
    computed = bench.model.computed_tokens - before
    assert computed == second.usage.prompt_tokens - second.usage.reused_tokens


def test_regenerate_edit_and_branch_reuse_what_is_the_same(bench: Bench) -> None:
    first = bench.finished(bench.ask(question("One?"), max_tokens=5))
    again = bench.finished(bench.ask(question("One?"), max_tokens=5))
    assert again.usage.reused_tokens == first.usage.prompt_tokens - 1
    assert again.ids == first.ids
    edited = bench.finished(bench.ask(question("One!"), max_tokens=5))
    assert edited.usage.reused_tokens == 4  # the role and "One"
    branch = bench.finished(
        bench.ask(question("One?"), reply(first, ""), question("Three?"), max_tokens=5)
    )
    assert branch.usage.reused_tokens == first.usage.prompt_tokens + 4


def test_what_runs_beside_a_reply_does_not_change_it(bench: Bench) -> None:
    prompts = ["alpha", "alp", "something else entirely, and longer", "alpha"]
    requests = [bench.complete(prompt, max_tokens=25) for prompt in prompts]
    for request, prompt in zip(requests, prompts, strict=True):
        end = bench.finished(request)
        assert list(end.ids) == expected_reply(list(prompt.encode()), 25)


def test_replies_that_do_not_fit_together_all_end_right() -> None:
    bench = Bench(mock_loaded(context=120, pages=9))  # 144 tokens for all
    prompts = [chr(97 + n) * (20 + n) for n in range(5)]
    sampling = Sampling(temperature=0, logit_bias=((END, float("-inf")),))
    requests = [bench.complete(p, max_tokens=60, sampling=sampling) for p in prompts]
    ends = [bench.finished(request) for request in requests]
    alone = Bench(mock_loaded(context=120, pages=9))
    for end, prompt in zip(ends, prompts, strict=True):
        expected = alone.finished(alone.complete(prompt, max_tokens=60, sampling=sampling))
        assert end.ids == expected.ids
        assert end.usage.generated_tokens == 60


def test_a_cancelled_reply_keeps_its_text_and_its_pages(bench: Bench) -> None:
    request = bench.complete(
        "endless", sampling=Sampling(temperature=0, logit_bias=((END, -99.0),))
    )
    while not text_of(request, bench.events):
        bench.service.step()
    bench.service.cancel(request)
    bench.service.run_all()
    assert_cancelled_keeping(text_of(request, bench.events), request, bench.events)
    end = terminal_of(request, bench.events)
    assert isinstance(end, Finished)
    assert end.ids
    again = bench.finished(bench.complete("endless", max_tokens=1))
    assert again.usage.reused_tokens == len("endless") - 1


def test_prefill_is_sliced_and_its_progress_starts_at_what_is_reused() -> None:
    bench = Bench(mock_loaded(context=1024, pages=80))
    end = bench.finished(bench.complete("a" * 400, max_tokens=1))
    shown = [e for e in events_of(end.request, bench.events) if isinstance(e, Progress)]
    assert (shown[0].done, shown[0].total) == (0, 400)
    assert [e.done for e in shown] == sorted(e.done for e in shown)
    assert bench.model.largest_step <= 64
    end = bench.finished(bench.complete("a" * 400 + "b", max_tokens=1))
    shown = [e for e in events_of(end.request, bench.events) if isinstance(e, Progress)]
    assert (shown[0].done, shown[0].total) == (400, 401)


def test_a_waiting_reply_never_holds_the_others_up() -> None:
    """A request without room gives its turn back at once: the running one's text keeps coming."""
    bench = Bench(mock_loaded(context=120, pages=8))
    sampling = Sampling(temperature=0, logit_bias=((END, float("-inf")),))
    running = bench.complete("r" * 100, sampling=sampling, max_tokens=15)
    bench.service.step(3)
    waiting = bench.complete("w" * 100, max_tokens=1, priority=Priority.BACKGROUND)
    for _ in range(3):
        before = len(text_of(running, bench.events))
        bench.service.step(2)
        assert len(text_of(running, bench.events)) > before
    assert events_of(waiting, bench.events) == []
    bench.finished(waiting)


def test_figures_are_honest_for_one_token_and_for_long_prompts(bench: Bench) -> None:
    """Case I9: one token has no speed, and the prompt's time is never writing time."""
    end = bench.finished(bench.complete("p" * 300, max_tokens=1))
    assert end.timings.tokens_per_second is None
    assert end.timings.decode_s == 0
    assert end.timings.prefill_s > 0
    metrics = [e for e in events_of(end.request, bench.events) if isinstance(e, Metrics)]
    assert all(e.tokens_per_second is None for e in metrics)


def test_token_figures_are_told_when_asked_for(bench: Bench) -> None:
    end = bench.finished(bench.complete("figures", max_tokens=6, alternatives=3))
    deltas = [e for e in events_of(end.request, bench.events) if isinstance(e, TextDelta)]
    choices = [choice for delta in deltas for choice in delta.tokens]
    assert tuple(choice.id for choice in choices) == end.ids
    for choice in choices:
        assert choice.alternatives[0][0] == choice.id  # greedy
        assert choice.alternatives[0][2] == choice.logprob < 0
        assert len(choice.alternatives) == 3


def test_a_constrained_reply_matches_beside_a_free_one(bench: Bench) -> None:
    digits = Constraint(ConstraintKind.REGEX, "[0-9]{5}")
    free = bench.complete("free", max_tokens=8)
    bound = bench.complete("bound", constraint=digits)
    end = bench.finished(bound)
    assert end.reason is FinishReason.END_OF_TURN
    assert re.fullmatch(digits.text, text_of(bound, bench.events))
    assert list(bench.finished(free).ids) == expected_reply(list(b"free"), 8)
    refused = bench.complete("x", constraint=Constraint(ConstraintKind.REGEX, "("))
    bench.service.run_all()
    assert isinstance(terminal_of(refused, bench.events), Failed)


def test_a_conversation_that_does_not_fit_loses_whole_old_turns_and_says_so() -> None:
    bench = Bench(mock_loaded(context=200, pages=16))
    turns = [question(f"question number {n}") for n in range(12)]
    messages = [Message(Role.SYSTEM, "Be brief.")]
    for turn in turns:
        messages += [turn, Message(Role.ASSISTANT, "a reply")]
    end = bench.finished(bench.ask(*messages[:-1], max_tokens=5))
    assert end.usage.left_out_turns >= 1
    assert end.usage.left_out_tokens >= 28
    assert [notice.kind for notice in end.notices] == [NoticeKind.TURNS_LEFT_OUT]
    assert end.notices[0].figures["turns"] == end.usage.left_out_turns
    whole = sum(len(m.content) + 2 for m in messages[:-1]) + 1
    assert end.usage.prompt_tokens + end.usage.left_out_tokens == whole


def test_the_cut_stays_where_it_is_so_that_the_next_turn_is_reused() -> None:
    bench = Bench(mock_loaded(context=400, pages=40))
    messages: list[Message] = [Message(Role.SYSTEM, "System.")]
    computed: list[int] = []
    for n in range(40):
        messages.append(question(f"question {n:02d}"))
        end = bench.finished(bench.ask(*messages, max_tokens=4))
        computed.append(end.usage.prompt_tokens - end.usage.reused_tokens)
        messages.append(Message(Role.ASSISTANT, "r", ids=end.ids))
    assert end.usage.left_out_turns > 20
    # Most turns read only themselves; a few, at a new cut, read what is left after it.
    assert sorted(computed)[len(computed) * 3 // 4] < 30


def test_S11_what_cannot_be_left_out_is_refused_with_figures(bench: Bench) -> None:
    bench.service.submit(Generate(50, (Message(Role.SYSTEM, "s" * 600), question("?"))))
    bench.service.submit(Complete(51, "c" * 512))
    bench.service.submit(Generate(52, ()))
    bench.service.submit(Complete(53, ""))
    bench.service.run_all()
    ends = [terminal_of(n, bench.events) for n in (50, 51, 52, 53)]
    faults = [end.fault for end in ends if isinstance(end, Failed)]
    assert [fault.kind for fault in faults] == [
        FaultKind.PROMPT_TOO_LONG,
        FaultKind.PROMPT_TOO_LONG,
        FaultKind.PROMPT_EMPTY,
        FaultKind.PROMPT_EMPTY,
    ]
    assert faults[0].figures == {"tokens": 606, "context": 512}
    assert faults[1].figures == {"tokens": 512, "context": 512}


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"alternatives": -1}, "alternatives"),
        ({"sampling": Sampling(top_p=-0.5)}, "top_p"),
        ({"sampling": Sampling(temperature=float("nan"))}, "temperature"),
        ({"sampling": Sampling(repetition_penalty=0)}, "repetition_penalty"),
        ({"sampling": Sampling(logit_bias=((3, float("nan")),))}, "logit_bias"),
    ],
)
def test_a_setting_that_means_nothing_is_refused_by_name(
    bench: Bench, settings: dict[str, object], name: str
) -> None:
    request = bench.complete("x", **settings)
    bench.service.run_all()
    end = terminal_of(request, bench.events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.SETTING_INVALID
    assert end.fault.figures["name"] == name


def test_counting_counts_the_template_too(bench: Bench) -> None:
    request = bench.submit(lambda n: CountTokens(n, (question("12345"),)))
    bench.service.run_all()
    assert TokensCounted(request, 8, 512) in bench.events


def test_a_broken_step_fails_its_replies_and_the_next_one_works() -> None:
    model = MockModel(breaks_at=3)
    bench = Bench(mock_loaded(model=model))
    first, beside = bench.complete("first"), bench.complete("beside")
    bench.service.run_all()
    for request in (first, beside):
        end = terminal_of(request, bench.events)
        assert isinstance(end, Failed)
        assert end.fault.kind is FaultKind.INTERNAL
        assert "ZeroDivisionError: the model broke" in str(end.fault.figures["detail"])
    end = bench.finished(bench.complete("first", max_tokens=9))
    assert list(end.ids) == expected_reply(list(b"first"), 9)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried to allocate "
                     "123456 bytes. Error code 12 (Cannot allocate memory)"),
    ],
)  # fmt: skip
def test_running_out_of_memory_is_named_and_leaves_the_engine_usable(error: Exception) -> None:
    bench = Bench(mock_loaded(model=MockModel(breaks_at=2, error=error)))
    request = bench.complete("first")
    bench.service.run_all()
    end = terminal_of(request, bench.events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.OUT_OF_MEMORY
    assert end.fault.figures["device"] == "cpu"
    assert end.fault.figures["needed"] in (0, 123456)
    assert bench.finished(bench.complete("first", max_tokens=2)).ids


def test_unloading_frees_the_model() -> None:
    closed: list[bool] = []
    bench = Bench(replace(mock_loaded(), close=lambda: closed.append(True)))
    request = bench.submit(Unload)
    bench.finished(request)
    assert closed == [True]
    request = bench.complete("x")
    bench.service.run_all()
    end = terminal_of(request, bench.events)
    assert isinstance(end, Failed)
    assert end.fault.kind is FaultKind.NO_MODEL


def test_a_load_that_fails_leaves_no_model_and_can_be_repeated() -> None:
    attempts: list[int] = []

    def load(command: Load) -> Generator[Event, None, Answering]:
        attempts.append(command.request)
        yield Progress(command.request, Stage.READING, 0, 1)
        if len(attempts) == 1:
            raise EngineError(FaultKind.FILE_DAMAGED, path="mock", detail="planted")
        return Answering(mock_loaded())

    events: list[Event] = []
    service = DirectService(events.append, lambda: Engine(load))
    service.submit(Load(1, Path("m")))
    service.run_all()
    assert isinstance(terminal_of(1, events), Failed)
    service.submit(Load(2, Path("m")))
    service.run_all()
    assert isinstance(terminal_of(2, events), Finished)
    service.close()
