"""All replies of one model, in steps: schedule, run, postprocess."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.ahead import Ahead
from engine.contract import EngineError, Fault, FaultKind, FinishReason, Memory
from engine.device import peak_resident_bytes
from engine.generation.decode import Draws, crop, draw_tokens
from engine.generation.pages import Group
from engine.generation.scheduler import Scheduler, Sequence, Share
from engine.kernels.interface import CachePool
from engine.loaded import LoadedModel
from engine.pace import Pace
from engine.reply import Reply
from engine.runner import ModelRunner

MOST_WAITING = 64
"""More requests than this waiting for room are refused."""

_NO_LOGITS = np.empty((1, 0), dtype=np.float32)
"""Of a share whose token the device drew."""


def _groups(cache: CachePool) -> list[Group]:
    return [Group(pages, window) for pages, window in zip(cache.pages, cache.windows, strict=True)]


class Replies:
    """The batch: every running reply shares each step.

    Args:
        loaded: the model that answers.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        self._scheduler = Scheduler(_groups(loaded.cache), loaded.cache.page_size)
        self._runner = ModelRunner(loaded.model, loaded.cache, loaded.kernels.device)
        self._ahead = Ahead(loaded.model, loaded.cache, loaded.kernels.device)
        self._pace = Pace(loaded.facts.active_parameters, loaded.threads)
        self._memory = loaded.memory
        self._replies: dict[Sequence, Reply] = {}
        self._faults: dict[Reply, Fault] = {}  # of replies that broke while another one stepped

    def add(self, reply: Reply) -> None:
        """Queue a reply.

        Raises:
            EngineError: BUSY.
        """
        if self._scheduler.waiting >= MOST_WAITING:
            waiting = self._scheduler.waiting
            raise EngineError(FaultKind.BUSY, waiting=waiting, limit=MOST_WAITING)
        self._scheduler.add(reply.sequence)
        self._replies[reply.sequence] = reply

    def advance(self, reply: Reply) -> None:
        """Run a step for all, unless this reply has something to say already.

        Raises:
            EngineError: what ended this reply in a step that another one asked for.
        """
        if (fault := self._faults.pop(reply, None)) is not None:
            raise EngineError(fault.kind, **fault.figures)
        if not reply.outbox:
            self._step()

    def end(self, reply: Reply, reason: FinishReason) -> None:
        """Take a reply out; what it computed stays in the cache."""
        if self._replies.pop(reply.sequence, None) is not None:
            self._scheduler.finish(reply.sequence)
            reply.end(reason)

    def drop(self, reply: Reply) -> None:
        """Take a reply out that broke, without a word."""
        self._faults.pop(reply, None)
        if self._replies.pop(reply.sequence, None) is not None:
            self._scheduler.finish(reply.sequence)

    def _step(self) -> None:
        self._guess()
        step = self._scheduler.schedule(self._pace.budget)
        for share in step.shares:
            self._replies[share.sequence].admitted()
        begin = perf_counter()
        try:
            drawn = self._ahead.draw(step, [self._replies[s.sequence].sampler for s in step.shares])
            logits = self._runner.run(step) if drawn is None else None
        except Exception as error:
            self._abandon(error)
            raise
        if drawn is not None:
            for share, known in zip(step.shares, drawn, strict=True):
                self._postprocess(share, _NO_LOGITS, known, begin)
        elif logits is not None:
            for share, rows in zip(step.shares, crop(logits, step.shares), strict=True):
                sampler = self._replies[share.sequence].sampler
                self._postprocess(share, rows, sampler, begin)
        self._pace.stepped(perf_counter() - begin, sum(len(s.ids) for s in step.shares))

    def _guess(self) -> None:
        """Guess the next tokens of a reply that runs alone; beside others they would cost them."""
        for reply in self._replies.values():
            sequence = reply.sequence
            if len(self._replies) > 1 or reply.generated_tokens == 0:
                sequence.drafts = []
            else:
                sequence.drafts = reply.guesses.propose(sequence.ids, reply.room - 1)

    def _postprocess(
        self, share: Share, rows: NDArray[np.float32], draws: Draws, begin: float
    ) -> None:
        reply = self._replies[share.sequence]
        before, drawing = reply.generated_tokens, perf_counter()
        try:
            kept = draw_tokens(share, rows, draws, reply.accept)
        except EngineError as error:
            self._fail(reply, error.fault)
            return
        reply.meter.drew(perf_counter() - drawing)
        self._scheduler.computed(share, kept)
        tokens = reply.generated_tokens - before
        step_s = perf_counter() - begin
        reply.stepped(step_s, tokens, self._memory_now)
        if before > 0:
            reply.guesses.observe(step_s, share.wanted - 1, tokens)
        if reply.reason is not None:
            self.end(reply, reply.reason)

    def _memory_now(self) -> Memory:
        return replace(self._memory, peak=peak_resident_bytes())

    def _abandon(self, error: Exception) -> None:
        """A step broke: every reply fails, for all of them were to share its memory and time."""
        internal = Fault(FaultKind.INTERNAL, {"detail": f"{type(error).__name__}: {error}"})
        fault = error.fault if isinstance(error, EngineError) else internal
        for reply in tuple(self._replies.values()):
            self._fail(reply, fault)

    def _fail(self, reply: Reply, fault: Fault) -> None:
        del self._replies[reply.sequence]
        self._scheduler.forget(reply.sequence)
        self._faults[reply] = fault
