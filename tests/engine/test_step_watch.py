"""Long steps of a reply that is alone, which end when nobody wants it any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from torch import Tensor

from engine.contract import Complete, FinishReason, GenerateSettings, Priority
from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool
from engine.kernels.interruption import Interruption, StepInterrupted
from engine.step_watch import watched
from tests.doubles.models import MockKernels, MockModel, expected_reply, mock_loaded
from tests.engine.laws import text_of
from tests.engine.test_answering import Bench

PROMPT = "the sea " * 40


@dataclass
class EndingKernels(MockKernels):
    """Kernels that can end a step."""

    interruption: Interruption = field(default_factory=Interruption)


@dataclass
class PatientModel(MockModel):
    """A model whose long steps go on until they are interrupted, once ``begun`` was called."""

    interruption: Interruption = field(default_factory=Interruption)
    begun: Callable[[], None] | None = None

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """As the mock model's, which an interruption leaves half written."""
        logits = super().forward(batch, cache)
        if self.begun is None:
            return logits
        self.begun()
        for _ in range(1000):
            if self.interruption.is_set:
                raise StepInterrupted
            time.sleep(0.01)
        raise AssertionError("nobody ended the step")


def patient_bench() -> tuple[Bench, PatientModel]:
    model = PatientModel(context_length=512)
    kernels = EndingKernels(interruption=model.interruption)
    loaded = replace(mock_loaded(model=model), kernels=kernels)  # type: ignore[arg-type]
    return Bench(loaded), model


def test_a_cancel_ends_a_long_step_in_its_middle() -> None:
    bench, model = patient_bench()
    request = bench.complete(PROMPT, max_tokens=5)
    model.begun = lambda: bench.service.cancel(request)
    assert bench.finished(request).reason is FinishReason.CANCELLED
    assert model.steps == 1
    assert not model.interruption.is_set
    assert [t.name for t in threading.enumerate() if t.name == "step-watch"] == []
    model.begun = None
    again = bench.finished(bench.complete(PROMPT, max_tokens=5))
    assert again.usage.reused_tokens == 0
    assert list(again.ids) == expected_reply(list(PROMPT.encode()), 5)
    assert text_of(request, bench.events) == ""
    bench.service.close()


def test_slices_are_long_for_one_visible_reply_alone() -> None:
    bench, model = patient_bench()
    pace = bench.loaded.pace()
    assert pace.alone > pace.budget
    bench.finished(bench.complete(PROMPT, max_tokens=2))
    assert model.largest_step == min(pace.alone, len(PROMPT))
    model.largest_step = 0
    settings = GenerateSettings(max_tokens=2, priority=Priority.BACKGROUND)
    behind = bench.submit(lambda n: Complete(n, "behind " + PROMPT, settings))
    bench.finished(behind)
    assert model.largest_step <= pace.budget
    model.largest_step = 0
    first = bench.complete("short", max_tokens=60)
    second = bench.complete("beside " + PROMPT, max_tokens=2)  # begins after a step of the first
    assert bench.finished(second).usage.generated_tokens == 2
    assert pace.budget <= model.largest_step <= pace.budget + 1
    assert bench.finished(first).usage.generated_tokens > 10
    bench.service.close()


def test_kernels_that_cannot_end_a_step_keep_short_slices() -> None:
    assert mock_loaded().pace().alone == mock_loaded().pace().budget


def test_a_wish_that_nobody_has_leaves_the_step_alone() -> None:
    interruption = Interruption()
    interruption.set()  # of an earlier step
    with watched(interruption, lambda: False):
        assert not interruption.is_set


def test_the_word_is_set_back_when_the_step_breaks() -> None:
    interruption = Interruption()

    def broken_step() -> None:
        while not interruption.is_set:
            time.sleep(0.001)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), watched(interruption, lambda: True):
        broken_step()
    assert not interruption.is_set
