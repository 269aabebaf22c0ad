"""Which token comes next: a chain of small closures, built once a request from the user's numbers.

The order, which users see (``SamplingOrder``): logit bias, minimum tokens and constraint,
penalties (repetition, frequency, presence), DRY, then the truncations top-n-sigma, top-k,
typical-p, top-p, min-p, XTC, then temperature and the draw; that is llama.cpp's order. With
``TEMPERATURE_FIRST`` the temperature comes before the truncations, as transformers has it.

* ``temperature <= 0`` takes the most likely token after the penalties, the lowest id of equals; no
  truncation can change that, and none runs.
* Mirostat replaces everything after the constraint.
* The draw is an inverse distribution function over the sorted, pruned list, from one generator a
  request: the same seed on the same device with the same settings repeats a reply. Elsewhere the
  logits differ in their last bits, and nothing is promised.
* Ids at or above the tokenizer's size (padded vocabularies) do not exist, whatever a bias says.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.contract import EngineError, FaultKind, Sampling, SamplingOrder
from engine.generation import penalties, truncation
from engine.generation.candidates import Candidates, Scores, best_indices, likely_prefix
from engine.generation.penalties import History, Penalty
from engine.generation.truncation import Step


class TokenMask(Protocol):
    """What a grammar allows next."""

    def allowed(self, size: int) -> NDArray[np.bool_]:
        """Which ids may come next, as bool [size]."""
        ...

    def accept(self, token: int) -> None:
        """Note the token that came."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sampled token.

    Attributes:
        id: the token.
        logprob: its log-probability under the model, before any step; None if nobody asked.
        alternatives: the most likely (id, log-probability), best first.
    """

    id: int
    logprob: float | None = None
    alternatives: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a sampler must know of the tokenizer.

    Attributes:
        size: ids below this exist.
        end_ids: tokens that end a reply.
        breaker_ids: tokens that contain one of the DRY breakers.
    """

    size: int
    end_ids: Collection[int] = ()
    breaker_ids: Collection[int] = ()


class Sampler:
    """Draws the tokens of one request.

    Args:
        sampling: the user's numbers.
        vocabulary: the tokenizer's side of it.
        prompt: ids that the penalties look back on.
        alternatives: how many alternatives to report with each token; 0 is no figures at all.
        mask: a constraint, or None.
        is_constrained: whether the mask holds from the first token on, or from ``constrain``.

    Raises:
        EngineError: SETTING_INVALID.
    """

    def __init__(
        self,
        sampling: Sampling,
        vocabulary: Vocabulary,
        prompt: Sequence[int] = (),
        alternatives: int = 0,
        mask: TokenMask | None = None,
        *,
        is_constrained: bool = True,
    ) -> None:
        check_sampling(sampling)
        self._sampling = sampling
        self._vocabulary = vocabulary
        self._alternatives = alternatives
        self._waiting_mask = mask
        self._mask = mask if is_constrained else None
        self._random = Random(sampling.seed)
        looks_back = sampling.repetition_penalty != 1 or sampling.dry_multiplier > 0
        self._history = History(prompt if looks_back else (), sampling.penalty_window)
        self._generated = 0
        self._end_ids = np.array(
            [token for token in vocabulary.end_ids if token < vocabulary.size], dtype=np.int64
        )
        self._penalties = list(_penalties(sampling, vocabulary, self._history))
        self._steps = list(_steps(sampling, self._random))
        self._mu = 2 * sampling.mirostat_tau

    def draw(self, logits: Scores) -> Drawn:
        """Draw the next token and remember it.

        Args:
            logits: float32 [vocabulary of the model]; not changed.

        Raises:
            EngineError: INTERNAL if no token is left or the logits are no numbers (an overflow).
        """
        row = logits[: self._vocabulary.size]
        scores = row.copy()
        for apply in self._penalties:
            apply(scores)
        self._forbid(scores)
        token = self._choose(scores)
        drawn = self._with_figures(row, token) if self._alternatives > 0 else Drawn(token)
        self._generated += 1
        self._history.add(token)
        if self._mask is not None:
            self._mask.accept(token)
        return drawn

    def constrain(self) -> None:
        """Let the mask hold from the next token on: reasoning, which it does not cover, is over."""
        self._mask = self._waiting_mask

    def _forbid(self, scores: Scores) -> None:
        """Take out what must not come: an early end, and what the constraint does not allow."""
        is_early = self._generated < self._sampling.min_tokens
        if self._mask is not None:
            allowed = self._mask.allowed(len(scores))
            scores[~allowed] = -np.inf
            ends = np.count_nonzero(allowed[self._end_ids])
            # A finished text has to end, however short it is.
            is_early = is_early and bool(np.count_nonzero(allowed) > ends)
        if is_early:
            scores[self._end_ids] = -np.inf

    def _choose(self, scores: Scores) -> int:
        best = int(scores.argmax())
        if not math.isfinite(scores[best]):
            detail = f"no token can be drawn: the best logit is {scores[best]}"
            raise EngineError(FaultKind.INTERNAL, detail=detail)
        if self._sampling.temperature <= 0:
            return best
        candidates = Candidates(scores)
        for step in self._steps:
            candidates = step(candidates)
        if self._sampling.mirostat_tau > 0:
            return self._choose_by_surprise(candidates)
        return self._choose_by_chance(candidates)

    def _choose_by_chance(self, candidates: Candidates) -> int:
        prefix = likely_prefix(candidates, 1 - self._random.random())  # in (0, 1]
        return prefix.id_at(len(prefix) - 1)

    def _choose_by_surprise(self, candidates: Candidates) -> int:
        """Mirostat v2 (Basu et al. 2021): keep the surprise near tau by moving its limit mu."""
        surprise = -np.log2(np.maximum(candidates.probabilities(), 1e-300))
        left = candidates.keep(surprise <= max(self._mu, float(surprise.min())))
        prefix = likely_prefix(left, 1 - self._random.random())
        p = left.probabilities()[np.flatnonzero(left.logits == prefix.logits[-1])[0]]
        error = -math.log2(float(p)) - self._sampling.mirostat_tau
        self._mu -= self._sampling.mirostat_eta * error
        return prefix.id_at(len(prefix) - 1)

    def _with_figures(self, row: Scores, token: int) -> Drawn:
        top = row.max()
        normalizer = float(top) + math.log(np.exp(row - top).sum(dtype=np.float64))
        best = best_indices(row, self._alternatives)
        alternatives = tuple((int(i), float(row[i]) - normalizer) for i in best)
        return Drawn(token, float(row[token]) - normalizer, alternatives)


def _penalties(s: Sampling, vocabulary: Vocabulary, history: History) -> Sequence[Penalty]:
    steps: list[Penalty] = []
    if s.logit_bias:
        steps.append(penalties.logit_bias(s.logit_bias, vocabulary.size))
    if s.mirostat_tau > 0:
        return steps
    if s.repetition_penalty != 1:
        steps.append(penalties.repetition(s.repetition_penalty, history))
    if s.frequency_penalty != 0 or s.presence_penalty != 0:
        steps.append(
            penalties.frequency_and_presence(s.frequency_penalty, s.presence_penalty, history)
        )
    if s.dry_multiplier > 0:
        allowed = s.dry_allowed_length
        breakers = frozenset(vocabulary.breaker_ids)
        steps.append(penalties.dry(s.dry_multiplier, s.dry_base, allowed, breakers, history))
    return steps


def _steps(s: Sampling, random: Random) -> Sequence[Step]:
    if s.temperature <= 0:
        return []
    heat = [] if s.temperature == 1 else [truncation.temperature(s.temperature)]
    if s.mirostat_tau > 0:
        return heat
    cuts: list[Step] = []
    if s.top_n_sigma > 0:
        cuts.append(truncation.top_n_sigma(s.top_n_sigma))
    if s.top_k > 0:
        cuts.append(truncation.top_k(s.top_k))
    if s.typical_p < 1:
        cuts.append(truncation.typical_p(s.typical_p))
    if s.top_p < 1:
        cuts.append(truncation.top_p(s.top_p))
    if s.min_p > 0:
        cuts.append(truncation.min_p(s.min_p))
    if s.xtc_probability > 0:
        cuts.append(truncation.xtc(s.xtc_probability, s.xtc_threshold, random))
    return [*heat, *cuts] if s.order is SamplingOrder.TEMPERATURE_FIRST else [*cuts, *heat]


_RANGES: tuple[tuple[str, float, float], ...] = (
    ("temperature", -math.inf, 100),
    ("top_k", -math.inf, math.inf),
    ("top_p", 0, math.inf),
    ("min_p", -math.inf, 1),
    ("typical_p", 0, math.inf),
    ("top_n_sigma", -math.inf, math.inf),
    ("xtc_probability", -math.inf, math.inf),
    ("xtc_threshold", 0, math.inf),
    ("repetition_penalty", 1e-3, 1e3),
    ("penalty_window", -1, math.inf),
    ("frequency_penalty", -1e3, 1e3),
    ("presence_penalty", -1e3, 1e3),
    ("dry_multiplier", -math.inf, 1e3),
    ("dry_base", 0, 1e3),
    ("dry_allowed_length", 1, math.inf),
    ("mirostat_tau", -math.inf, 1e3),
    ("mirostat_eta", 0, 1e3),
    ("min_tokens", 0, math.inf),
)
"""(name, lowest, highest) that mean something; past an "off" value a step is merely off."""


def check_sampling(sampling: Sampling) -> None:
    """Refuse numbers that mean nothing.

    Raises:
        EngineError: SETTING_INVALID with the setting's name, its value and what is allowed.
    """
    for name, lowest, highest in _RANGES:
        value = float(getattr(sampling, name))
        if not lowest <= value <= highest:  # NaN is in no range
            allowed = f"{lowest:g} … {highest:g}"
            raise EngineError(FaultKind.SETTING_INVALID, name=name, value=value, allowed=allowed)
    for token, value in sampling.logit_bias:
        if math.isnan(value) or value == math.inf or token < 0:
            shown = f"{token}: {value:g}"
            allowed = "id >= 0, a finite number or -inf"
            raise EngineError(
                FaultKind.SETTING_INVALID, name="logit_bias", value=shown, allowed=allowed
            )
