"""All replies of one model, in steps: schedule, run, postprocess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.ahead import Ahead
from engine.bursts import Bursts
from engine.contract import EngineError, Fault, FaultKind, FinishReason, Memory, Priority
from engine.device import peak_resident_bytes
from engine.generation.decode import Draws, crop, draw_tokens
from engine.generation.pages import Group
from engine.generation.scheduler import Scheduler, Sequence, Share, Step
from engine.kernels.interface import CachePool
from engine.kernels.interruption import Interruptible, StepInterrupted
from engine.loaded import LoadedModel
from engine.reply import Reply
from engine.runner import ModelRunner
from engine.step_watch import watched

MOST_WAITING = 64
"""More requests than this waiting for room are refused."""


def _no_logits(share: Share) -> NDArray[np.float32]:
    """Of a share whose tokens were drawn where they were computed."""
    return np.empty((share.wanted, 0), dtype=np.float32)


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
        self._bursts = Bursts(loaded.model, loaded.cache, loaded.kernels.device)
        self._pace = loaded.pace()
        kernels = loaded.kernels
        self._interruption = kernels.interruption if isinstance(kernels, Interruptible) else None
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

    def advance(self, reply: Reply, cancelled: Callable[[], bool]) -> None:
        """Run a step for all, unless this reply has something to say already.

        Args:
            reply: that asks for it.
            cancelled: whether nobody wants that any more; another thread asks during long steps,
                and a step that is ended so changes nothing.

        Raises:
            EngineError: what ended this reply in a step that another one asked for.
        """
        if reply.outbox:
            return
        if (fault := self._faults.pop(reply, None)) is not None:
            raise EngineError(fault.kind, **fault.figures)
        self._step(cancelled)

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

    def _step(self, cancelled: Callable[[], bool]) -> None:
        self._guess()
        is_alone = self._is_alone
        step = self._scheduler.schedule(self._pace.alone if is_alone else self._pace.budget)
        for share in step.shares:
            self._replies[share.sequence].admitted()
        begin = perf_counter()
        try:
            computed = self._watched(step, cancelled)
        except StepInterrupted:
            return
        except Exception as error:
            self._abandon(error)
            raise
        for share, rows, draws in computed:
            self._postprocess(share, rows, draws, begin)
        tokens = sum(len(share.ids) for share, *_ in computed)
        self._pace.stepped(perf_counter() - begin, tokens, is_alone=is_alone)

    @property
    def _is_alone(self) -> bool:
        """Whether a step is for one reply that somebody waits for."""
        is_visible = all(one.priority is Priority.FOREGROUND for one in self._replies)
        return len(self._replies) == 1 and is_visible

    def _watched(
        self, step: Step, cancelled: Callable[[], bool]
    ) -> list[tuple[Share, NDArray[np.float32], Draws]]:
        """Compute a step's shares; a long step is of one reply, and ends when that is cancelled.

        Raises:
            StepInterrupted: it was.
        """
        tokens = sum(len(share.ids) for share in step.shares)
        if self._interruption is None or tokens <= self._pace.budget:
            return self._compute(step)
        with watched(self._interruption, cancelled):
            return self._compute(step)

    def _compute(self, step: Step) -> list[tuple[Share, NDArray[np.float32], Draws]]:
        """Compute a step's shares: each with its logits and where its tokens come from."""
        replies = [self._replies[share.sequence] for share in step.shares]
        samplers = [reply.sampler for reply in replies]
        if (drawn := self._ahead.draw(step, samplers)) is not None:
            shares = zip(step.shares, drawn, strict=True)
            return [(share, _no_logits(share), known) for share, known in shares]
        if len(self._replies) == len(replies) == 1 and replies[0].generated_tokens > 0:
            most = min(replies[0].room, replies[0].guesses.quiet_tokens)
            if (burst := self._bursts.draw(step, samplers[0], most)) is not None:
                share, known = burst
                return [(share, _no_logits(share), known)]
        rows = crop(self._runner.run(step), step.shares)
        return list(zip(step.shares, rows, samplers, strict=True))

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
        if before > 0 and len(share.ids) == share.wanted:
            reply.guesses.observe(step_s, len(share.sequence.drafts), tokens)
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
