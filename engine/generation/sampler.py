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

from engine.contract import EngineError, FaultKind, SamplerStep, Sampling
from engine.generation.candidates import Candidates, Drawing, Scores, best_indices, likely_prefix
from engine.generation.chain import are_plain, candidate_steps, penalty_steps
from engine.generation.penalties import History
from engine.generation.ranges import check_sampling
from engine.generation.tracing import Traced, Tracer


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
        trace: its way through the steps; None if nobody asked.
    """

    id: int
    logprob: float | None = None
    alternatives: tuple[tuple[int, float], ...] = ()
    trace: Traced | None = None


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
        traces: report each token's way through the steps, too; needs ``alternatives``.
        openers: tokens that may come first whatever the mask says: they open reasoning, which it
            does not cover, and let it wait for ``constrain``.
        drawing: draws where no other step truncates and nobody traces; -1 is "no numbers".

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
        traces: bool = False,
        openers: Collection[int] = (),
        drawing: Drawing | None = None,
    ) -> None:
        check_sampling(sampling)
        self.sampling = sampling
        self.vocabulary = vocabulary
        self._alternatives = alternatives
        self._waiting_mask = mask
        self._mask = mask if is_constrained else None
        self._openers = [token for token in openers if token < vocabulary.size]
        self._random = Random(sampling.seed)
        self._returned: list[float] = []
        looks_back = sampling.repetition_penalty != 1 or sampling.dry_multiplier > 0
        self._history = History(prompt if looks_back else (), sampling.penalty_window)
        self._generated = 0
        self._end_ids = np.array(
            [token for token in vocabulary.end_ids if token < vocabulary.size], dtype=np.int64
        )
        self._penalties = penalty_steps(
            sampling, vocabulary.size, vocabulary.breaker_ids, self._history
        )
        self._steps = candidate_steps(sampling, self._random)
        self._traces = traces and alternatives > 0
        self._is_plain = are_plain(self._steps) and sampling.mirostat_tau <= 0
        is_quick = self._is_plain and sampling.temperature > 0 and not self._traces
        self._drawing = drawing if is_quick else None
        self._mu = 2 * sampling.mirostat_tau

    def draw(self, logits: Scores) -> Drawn:
        """Draw the next token and remember it.

        Args:
            logits: float32 [vocabulary of the model]; not changed.

        Raises:
            EngineError: INTERNAL if no token is left or the logits are no numbers (an overflow).
        """
        return self._next(logits, None)

    def follow(self, logits: Scores, token: int) -> Drawn:
        """Take a token that was drawn before as the next one, with its figures.

        XTC is left out: whether its chance came true is not known any more.

        Args:
            logits: float32 [vocabulary of the model]; not changed.
            token: what came.

        Raises:
            EngineError: INTERNAL if the logits are no numbers.
        """
        return self._next(logits, token)

    @property
    def is_plain(self) -> bool:
        """Whether nothing but temperature, top-k, top-p and min-p acts on the tokens to come."""
        return self.is_ruled and self.early_tokens == 0

    @property
    def is_ruled(self) -> bool:
        """Whether nothing but those and the least number of tokens acts."""
        is_free = not self._penalties and self._waiting_mask is None
        return is_free and self._is_plain and self._alternatives == 0

    @property
    def early_tokens(self) -> int:
        """So many of the tokens to come cannot end the reply."""
        return max(self.sampling.min_tokens - self._generated, 0)

    def uniform(self) -> float:
        """The random number of the next draw, in (0, 1]; the likeliest token needs none."""
        if self.sampling.temperature <= 0:
            return 1.0
        return self._returned.pop() if self._returned else 1 - self._random.random()

    def give_back(self, uniform: float) -> None:
        """Put a random number back that drew nothing; the next draw has it."""
        if self.sampling.temperature > 0:
            self._returned.append(uniform)

    def remember(self, token: int) -> None:
        """Take a token as one of the reply without drawing it."""
        self._generated += 1
        self._history.add(token)
        if self._mask is not None and self._generated == 1 and token in self._openers:
            self._mask = None
        elif self._mask is not None:
            self._mask.accept(token)

    def _next(self, logits: Scores, known: int | None) -> Drawn:
        row = logits[: self.vocabulary.size]
        is_early = self._generated < self.sampling.min_tokens
        scores = row.copy() if self._penalties or self._mask is not None or is_early else row
        tracer = Tracer(row, self._alternatives) if self._traces else None
        for each in self._penalties:
            each.apply(scores)
            if tracer is not None:
                tracer.scored(each.step, each.value, scores)
        if self._forbid(scores) and tracer is not None:
            tracer.scored(SamplerStep.CONSTRAINT, 0.0, scores)
        token = self._choose(scores, tracer, known)
        drawn = Drawn(token)
        if self._alternatives > 0:
            drawn = self._with_figures(row, token, tracer)
        self.remember(token)
        return drawn

    def constrain(self) -> None:
        """Let the mask hold from the next token on: reasoning, which it does not cover, is over."""
        self._mask = self._waiting_mask

    def _forbid(self, scores: Scores) -> bool:
        """Take out what must not come: an early end, and what the constraint does not allow.

        Returns:
            Whether there was anything of the kind to obey.
        """
        is_early = self._generated < self.sampling.min_tokens
        if self._mask is not None:
            allowed = self._mask.allowed(len(scores))
            if self._generated == 0:
                allowed[self._openers] = True
            scores[~allowed] = -np.inf
            ends = np.count_nonzero(allowed[self._end_ids])
            # A finished text has to end, however short it is.
            is_early = is_early and bool(np.count_nonzero(allowed) > ends)
        if is_early:
            scores[self._end_ids] = -np.inf
        return is_early or self._mask is not None

    def _choose(self, scores: Scores, tracer: Tracer | None, known: int | None) -> int:
        if self._drawing is not None and known is None:
            token = self._drawing(scores, self.uniform())
            if token >= 0:
                return token
        best = int(scores.argmax())
        if not math.isfinite(scores[best]):
            detail = f"no token can be drawn: the best logit is {scores[best]}"
            raise EngineError(FaultKind.INTERNAL, detail=detail)
        if self.sampling.temperature <= 0:
            if tracer is not None:
                only = Candidates(scores[best : best + 1], np.array([best], dtype=np.int64))
                tracer.cut(SamplerStep.GREEDY, 0.0, only)
            return best if known is None else known
        candidates = Candidates(scores)
        for each in self._steps:
            if known is not None and each.step is SamplerStep.XTC:
                continue
            candidates = each.apply(candidates)
            if tracer is not None:
                tracer.cut(each.step, each.value, candidates)
        if self.sampling.mirostat_tau > 0:
            return self._choose_by_surprise(candidates, tracer, known)
        return self._choose_by_chance(candidates, tracer) if known is None else known

    def _choose_by_chance(self, candidates: Candidates, tracer: Tracer | None) -> int:
        share = self.uniform()
        if tracer is not None:
            tracer.drew(share)
        prefix = likely_prefix(candidates, share)
        return prefix.id_at(len(prefix) - 1)

    def _choose_by_surprise(
        self, candidates: Candidates, tracer: Tracer | None, known: int | None
    ) -> int:
        """Mirostat v2 (Basu et al. 2021): keep the surprise near tau by moving its limit mu."""
        surprise = -np.log2(np.maximum(candidates.probabilities(), 1e-300))
        left = candidates.keep(surprise <= max(self._mu, float(surprise.min())))
        if tracer is not None:
            tracer.cut(SamplerStep.MIROSTAT, self.sampling.mirostat_tau, left)
        token = self._choose_by_chance(left, tracer) if known is None else known
        places = np.arange(len(left)) if left.ids is None else left.ids
        here = np.flatnonzero(places == token)
        if len(here):  # one that was known may be outside: the settings have changed since
            error = -math.log2(float(left.probabilities()[here[0]])) - self.sampling.mirostat_tau
            self._mu -= self.sampling.mirostat_eta * error
        return token

    def _with_figures(self, row: Scores, token: int, tracer: Tracer | None) -> Drawn:
        if tracer is not None:
            trace = tracer.finish(token)
            known = {
                id: logit - trace.normalizer
                for id, logit in zip(trace.ids, trace.logits, strict=True)
            }
            best = tuple(known.items())[: self._alternatives]
            return Drawn(token, known[token], best, trace)
        top = row.max()
        normalizer = float(top) + math.log(np.exp(row - top).sum(dtype=np.float64))
        places = best_indices(row, self._alternatives)
        alternatives = tuple((int(i), float(row[i]) - normalizer) for i in places)
        return Drawn(token, float(row[token]) - normalizer, alternatives)
