"""A step becomes a batch: rows, positions, pages, and the ids that a step stands on."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from engine.contract.faults import Notice
from engine.generation.pages import PageTable
from engine.generation.pools import Copy
from engine.generation.scheduler import Sequence, Share, Step
from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool, CacheShape
from engine.runner import ModelRunner
from tests.doubles.models import MockCache


@dataclass
class Recorder:
    """A model that keeps the batches it was given."""

    batches: list[Batch] = field(default_factory=list)
    vocabulary = 5
    context_length = 64
    cache_layers = (CacheShape(1, 1, 1),)
    weight_bytes = 0
    notices: tuple[Notice, ...] = ()

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        self.batches.append(batch)
        return batch.logit_rows.float().unsqueeze(1).expand(-1, self.vocabulary)


def test_shares_are_laid_end_to_end_with_the_ids_that_they_stand_on() -> None:
    model = Recorder()
    decoding = Sequence([1, 2, 3], 2, tables=[PageTable([4])], computed=2)
    reading = Sequence([7, 8, 9, 10], 4, tables=[PageTable([0, 3])])
    guessing = Sequence([5, 6], 1, tables=[PageTable([2])], computed=1)
    step = Step(
        (
            Share(decoding, [3], 2, 1),
            Share(reading, [7, 8, 9], 0, 0),
            Share(guessing, [6, 1, 1], 1, 3),
        ),
        (),
    )
    logits = ModelRunner(model, MockCache(5, 4), torch.device("cpu")).run(step)
    (batch,) = model.batches
    assert batch.ids.tolist() == [3, 7, 8, 9, 6, 1, 1]
    assert batch.positions.tolist() == [2, 0, 1, 2, 1, 2, 3]
    assert batch.logit_rows.tolist() == [0, 4, 5, 6]
    assert [(s.first, s.tokens, s.start, tuple(s.pages)) for s in batch.spans] == [
        (0, 1, 2, (4,)),
        (1, 3, 0, (0, 3)),
        (4, 3, 1, (2,)),
    ]
    # Models without pages rebuild their state from these.
    assert [list(span.ids[: span.start]) for span in batch.spans] == [[1, 2], [], [5]]
    assert logits[:, 0].tolist() == [0, 4, 5, 6]


def test_pages_are_copied_even_when_nothing_is_computed() -> None:
    cache = MockCache(3, 2)
    cache.slots[0] = [7, 8]
    model = Recorder()
    logits = ModelRunner(model, cache, torch.device("cpu")).run(
        Step((), (Copy(0, 0, 2), Copy(0, 2, 1)))
    )
    assert cache.slots[1].tolist() == [7, 8]
    assert logits.shape == (0, 5)
    assert model.batches == []
