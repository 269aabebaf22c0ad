"""What a curious person may look at: each token's way through the sampler, and the exact prompt.

Nothing of this is computed or sent unless it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SamplerStep(StrEnum):
    """A step between the model's scores and the drawn token; the order is the sampler's own."""

    SCORES = "scores"  # the model's own, before any step
    LOGIT_BIAS = "logit_bias"
    REPETITION_PENALTY = "repetition_penalty"
    FREQUENCY_PENALTY = "frequency_penalty"  # and presence
    DRY = "dry"
    CONSTRAINT = "constraint"  # and the end that would come before ``min_tokens``
    TOP_N_SIGMA = "top_n_sigma"
    TOP_K = "top_k"
    TYPICAL_P = "typical_p"
    TOP_P = "top_p"
    MIN_P = "min_p"
    XTC = "xtc"
    TEMPERATURE = "temperature"
    GREEDY = "greedy"  # temperature 0: the likeliest alone
    MIROSTAT = "mirostat"


@dataclass(frozen=True, slots=True)
class StepTrace:
    """What a step left.

    Attributes:
        step: which.
        value: the number that was chosen for it; 0 where it has none.
        left: tokens that may still be drawn.
        probabilities: of the trace's candidates, in their order, among what is left; 0 is cut.
    """

    step: SamplerStep
    value: float
    left: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that might have come.

    Attributes:
        id: in the vocabulary.
        raw: the bytes that it spells; half a character has bytes that are no text.
        logit: the model's score.
        is_control: it is never shown as text.
    """

    id: int
    raw: bytes
    logit: float
    is_control: bool = False


@dataclass(frozen=True, slots=True)
class TokenTrace:
    """A token's way through the sampler.

    Attributes:
        candidates: the likeliest by the model's scores, best first; the token that came is the last
            where it is none of them.
        steps: in the order in which they ran, the model's own scores first.
        draw: the random number in (0, 1] that chose among the last step's probabilities, laid end
            to end from the likeliest on; None where nothing was drawn, or is known of it.
    """

    candidates: tuple[Candidate, ...]
    steps: tuple[StepTrace, ...]
    draw: float | None = None


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A sampled token with its log-probability under the model, before any step.

    Attributes:
        alternatives: (id, text, log-probability, raw), best first.
        trace: only when ``GenerateSettings.traces`` asked for it.
        raw: the token's own bytes, which may be half a character.
    """

    id: int
    text: str
    logprob: float
    alternatives: tuple[tuple[int, str, float, bytes], ...] = ()
    trace: TokenTrace | None = None
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token that the model read; ``raw`` may be half a character."""

    id: int
    raw: bytes
    is_control: bool = False
