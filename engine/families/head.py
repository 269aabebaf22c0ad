"""The head: its own where the file has one, else the embedding.

The flag ``tie_word_embeddings`` and what is in the file can disagree. A head in the file that
differs from the embedding is used whatever the flag says, as transformers does; a missing one is
never made up: the embedding serves, and the user is told.
"""

from __future__ import annotations

from engine.contract.faults import Notice, NoticeKind
from engine.families.config import Config
from engine.families.weights_in import Rows, WeightsIn
from engine.kernels.interface import Packed
from engine.layers.linear import Linear

EMBEDDING, HEAD = "model.embed_tokens", "lm_head"


def output_head(
    config: Config, weights: WeightsIn, embedding: Packed, unit: bool = False
) -> tuple[Linear, tuple[Notice, ...]]:
    """The head and what must be said about it.

    Args:
        config: says whether the head is the embedding.
        weights: say whether the file has a head.
        embedding: the packed embedding.
        unit: divide each of the head's rows by its length.
    """
    rows, columns = embedding.shape
    tied = config.flag("tie_word_embeddings", False)
    has_own = weights.has(f"{HEAD}.weight")
    if has_own and not (tied and weights.same(f"{EMBEDDING}.weight", f"{HEAD}.weight")):
        packed = weights.matrix([Rows(HEAD, rows, unit=unit)], columns)
        bias = f"{HEAD}.bias"
        vector = weights.tensor(bias, rows) if weights.has(bias) else None
        return Linear(weights.kernels, packed, vector), ()
    says_untied = "tie_word_embeddings" in config and not tied
    notices = (Notice(NoticeKind.HEAD_TIED),) if says_untied and not has_own else ()
    return Linear(weights.kernels, (embedding,)), notices
