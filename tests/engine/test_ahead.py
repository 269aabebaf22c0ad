"""Drawing on the device, one step ahead: the same replies as when the host draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

from engine.contract import FaultKind, Sampling
from engine.kernels.cuda.sampling import draw, rule_numbers
from engine.kernels.drawing import NextToken
from engine.kernels.interface import CachePool
from tests.doubles.models import MockCache, MockModel, expected_reply, mock_loaded
from tests.engine.laws import terminal_of
from tests.engine.test_answering import Bench


@dataclass
class DrawingModel(MockModel):
    """Draws as the CUDA kernels do, and notes in which order it was asked."""

    most_rows: int = 4
    log: list[str] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)
    breaks_drawing: bool = False

    def queue(self, tokens: Sequence[NextToken], cache: CachePool) -> Callable[[], list[int]]:
        assert isinstance(cache, MockCache)
        self.log.append("queued")
        rows = []
        for row, token in enumerate(tokens):
            (pages,) = token.tables
            page, place = divmod(token.start, cache.page_size)
            cache.slots[pages[page], place] = self.drawn[row] if token.id is None else token.id
            seen = cache.slots[list(pages)].reshape(-1)[: token.start + 1]
            rows.append(self.rule(seen))
        numbers = rule_numbers([t.rule for t in tokens], [t.uniform for t in tokens])
        logits = torch.from_numpy(np.stack(rows))
        if self.breaks_drawing:
            logits = logits * torch.nan
        self.drawn = drawn = draw(logits, torch.tensor(numbers, dtype=torch.float64)).tolist()

        def read() -> list[int]:
            self.log.append("read")
            return drawn

        return read


def ids(model: MockModel, *prompts: str, sampling: Sampling | None = None) -> list[tuple[int, ...]]:
    bench = Bench(mock_loaded(model=model))
    chosen = {} if sampling is None else {"sampling": sampling}
    numbers = [bench.complete(prompt, max_tokens=45, **chosen) for prompt in prompts]
    ends = [bench.finished(number).ids for number in numbers]
    bench.service.close()
    return ends


def test_replies_are_those_of_the_host() -> None:
    model = DrawingModel()
    (got,) = ids(model, "Hello, mock.", sampling=Sampling(temperature=0))
    assert list(got) == expected_reply(list(b"Hello, mock."), 45)
    assert model.log.count("queued") > 20


def test_the_next_step_is_queued_before_this_one_is_read() -> None:
    model = DrawingModel()
    ids(model, "Hello, mock.", sampling=Sampling(temperature=0))
    assert model.log[:5] == ["queued", "queued", "read", "queued", "read"]


@pytest.mark.parametrize("prompts", [("One",), ("One", "Two of them", "Three")], ids=len)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_draws_the_same_as_on_the_host(prompts: tuple[str, ...], seed: int) -> None:
    sampling = Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.02, seed=seed)
    model = DrawingModel()
    assert ids(model, *prompts, sampling=sampling) == ids(MockModel(), *prompts, sampling=sampling)
    assert model.log


def test_what_the_device_cannot_draw_the_host_does() -> None:
    sampling = Sampling(temperature=0.8, repetition_penalty=1.2, seed=3)
    model = DrawingModel()
    assert ids(model, "One", sampling=sampling) == ids(MockModel(), "One", sampling=sampling)
    assert model.log == []


def test_logits_that_are_no_numbers_end_the_reply_by_name() -> None:
    bench = Bench(mock_loaded(model=DrawingModel(breaks_drawing=True)))
    request = bench.complete("x", sampling=Sampling(temperature=0))
    bench.service.run_all()
    end = terminal_of(request, bench.events)
    assert getattr(end, "fault").kind is FaultKind.INTERNAL  # noqa: B009 - of a Failed
    bench.service.close()
