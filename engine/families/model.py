"""What the engine sees of a loaded model, whatever its architecture."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from engine.contract.faults import Notice
from engine.kernels.batch import Batch
from engine.kernels.interface import CachePool, CacheShape


class Model(Protocol):
    """A causal language model over a paged cache."""

    @property
    def vocabulary(self) -> int:
        """Logits a token; padded vocabularies have more of them than the tokenizer has ids."""
        ...

    @property
    def context_length(self) -> int:
        """Tokens that the model was made for."""
        ...

    @property
    def cache_layers(self) -> tuple[CacheShape, ...]:
        """What each layer keeps of a token: the argument of ``Kernels.make_cache``."""
        ...

    @property
    def weight_bytes(self) -> int:
        """Bytes of all weights as they are packed."""
        ...

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a user must be told about the checkpoint."""
        ...

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; the cache holds the batch's tokens afterwards.

        Returns:
            float32 [len(batch.logit_rows), vocabulary].
        """
        ...
