"""Which sequences run in the next step, and in which pages: no tensor, so it needs no model.

A step holds, in this order: one token (and its drafts) for every sequence that decodes, then slices
of prompts as far as the step's token budget goes. The visible conversation comes before work behind
it, earlier requests before later ones.

The pool is never exceeded. When no page is free, pages that only the prefix tree remembers are
evicted, least recently used first; when there are none, the last sequence of the lowest priority
gives way: what it computed goes to the tree, and it waits until there is room, to go on where the
tree still knows it. A sequence that fits the pool alone therefore always ends.

Layers with a sliding window give pages back as a sequence moves on. What they need to go on at the
end of a prompt and at the end of a reply is told to the tree when the sequence is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as ListOf
from dataclasses import dataclass, field

from engine.contract import Priority
from engine.generation.pages import Group, PageTable
from engine.generation.pools import Copy, PagePools

BACKGROUND_SHARE = 4
"""Beside a visible reply, prompts of background work get this fraction of a step's budget."""

MAX_RUNNING = 16
"""Sequences in one step; more wait."""


@dataclass(slots=True, eq=False)
class Sequence:
    """A prompt and what was sampled after it.

    Attributes:
        ids: the prompt's token ids, then the sampled ones.
        prompt_tokens: how many of them are the prompt.
        priority: the visible conversation, or work behind it.
        drafts: guesses for the next tokens, checked in the next step.
        computed: leading tokens whose keys and values the pages hold.
        reused: leading tokens that were in the cache when it first ran.
        tables: its pages in each group of layers.
        was_admitted: whether it ever ran; ``reused`` means nothing before.
    """

    ids: list[int]
    prompt_tokens: int
    priority: Priority = Priority.FOREGROUND
    drafts: list[int] = field(default_factory=list)
    computed: int = 0
    reused: int = 0
    tables: list[PageTable] = field(default_factory=list)
    was_admitted: bool = False

    @property
    def is_prefilling(self) -> bool:
        """Whether more than the last token is still to be computed."""
        return len(self.ids) - self.computed > 1


@dataclass(frozen=True, slots=True)
class Share:
    """One sequence's part of a step.

    Attributes:
        sequence: whose it is.
        ids: the tokens to compute.
        start: position of the first of them.
        wanted: of how many of the last tokens the logits are wanted; 0 in the middle of a prompt.
    """

    sequence: Sequence
    ids: list[int]
    start: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Step:
    """What the model computes next; first of all the pages are copied, in order."""

    shares: tuple[Share, ...]
    copies: tuple[Copy, ...]


class Scheduler:
    """Decides the steps of all sequences over the pages of one model.

    Args:
        groups: of the model's layers.
        page_size: tokens a page.
    """

    def __init__(self, groups: ListOf[Group], page_size: int) -> None:
        self._size = page_size
        self._pools = PagePools(groups, page_size)
        self._waiting: list[Sequence] = []
        self._running: list[Sequence] = []
        self._copies: list[Copy] = []

    @property
    def capacity(self) -> int:
        """Tokens of the longest sequence that can ever run."""
        return self._pools.capacity

    @property
    def waiting(self) -> int:
        """Sequences that wait for room."""
        return len(self._waiting)

    def add(self, sequence: Sequence) -> None:
        """Queue a sequence. Its prompt must be shorter than ``capacity``."""
        if not 0 < len(sequence.ids) < self.capacity:
            raise ValueError(f"{len(sequence.ids)} tokens cannot run in {self.capacity}")
        self._waiting.append(sequence)

    def schedule(self, budget: int) -> Step:
        """Choose the next step; it is empty only if there is no sequence.

        Args:
            budget: tokens that the step may compute; sequences that decode always may.
        """
        self._admit()
        self._copies, copies = [], tuple(self._copies)
        shares = [*self._decode_shares()]
        left = max(budget - sum(len(share.ids) for share in shares), 1)
        shares.extend(self._prefill_shares(left))
        shares = [share for share in shares if share.sequence in self._running]
        return Step(tuple(shares), copies)

    def computed(self, share: Share, tokens: int) -> None:
        """Note that a share's first ``tokens`` tokens are in the cache and count."""
        sequence = share.sequence
        sequence.computed = share.start + tokens
        prompt_pages = self._size * -(-sequence.prompt_tokens // self._size)
        is_read = share.wanted and share.start < sequence.prompt_tokens
        # once more when the page in which the prompt ends is full: a window moves on from it
        if is_read or share.start < prompt_pages <= sequence.computed:
            self._remember(sequence, whole_pages=True)
        # after that: any place of the prompt's last slice can be gone on from, as an edit may want
        self._pools.advance(sequence.tables, sequence.computed)

    def finish(self, sequence: Sequence) -> None:
        """Take a sequence out, whatever its state; what it computed stays known."""
        if sequence in self._waiting:
            self._waiting.remove(sequence)
            return
        self._running.remove(sequence)
        self._give_back(sequence)

    def forget(self, sequence: Sequence) -> None:
        """Take a sequence out that broke; nothing of it is trusted."""
        sequence.computed = 0
        self.finish(sequence)

    def _give_back(self, sequence: Sequence) -> None:
        self._remember(sequence, whole_pages=False)
        self._pools.release(sequence.tables)
        sequence.tables = []

    def _remember(self, sequence: Sequence, *, whole_pages: bool) -> None:
        """Tell the tree; a page that is still being written only when the sequence is over."""
        tokens = sequence.computed
        if whole_pages:
            tokens -= tokens % self._size
        self._pools.remember(sequence.ids[:tokens], sequence.tables)

    def _by_rank(self, sequences: list[Sequence]) -> list[Sequence]:
        """The visible conversation first, then in the order of arrival."""
        return sorted(sequences, key=lambda sequence: sequence.priority is Priority.BACKGROUND)

    def _admit(self) -> None:
        """Start what has room; a visible conversation takes the room of background work."""
        for sequence in self._by_rank(self._waiting):
            while not self._start(sequence):
                last = self._by_rank(self._running)[-1] if self._running else sequence
                if last.priority is not Priority.BACKGROUND or sequence.priority is last.priority:
                    return
                self._preempt(last)

    def _start(self, sequence: Sequence) -> bool:
        """Give a waiting sequence what the cache knows of it, if the rest of it has room."""
        if len(self._running) >= MAX_RUNNING:
            return False
        beginning = self._pools.begin(sequence.ids)
        if beginning is None:
            return False
        sequence.tables, sequence.computed = beginning.tables, beginning.tokens
        self._copies.extend(beginning.copies)
        if not sequence.was_admitted:
            sequence.reused = sequence.computed
            sequence.was_admitted = True
        self._waiting.remove(sequence)
        self._running.append(sequence)
        return True

    def _decode_shares(self) -> Iterator[Share]:
        for sequence in self._by_rank(self._running):
            if sequence in self._running and not sequence.is_prefilling:
                ids = [*sequence.ids[sequence.computed :], *sequence.drafts]
                ids = ids[: self._pools.most_tokens]
                if self._make_room(sequence, sequence.computed + len(ids)):
                    yield Share(sequence, ids, sequence.computed, len(ids))

    def _prefill_shares(self, budget: int) -> Iterator[Share]:
        ranked = self._by_rank(self._running)
        is_visible_decoding = any(
            s.priority is Priority.FOREGROUND and not s.is_prefilling for s in ranked
        )
        for sequence in ranked:
            if budget <= 0 or sequence not in self._running or not sequence.is_prefilling:
                continue
            limit = budget
            if sequence.priority is Priority.BACKGROUND and is_visible_decoding:
                limit = max(budget // BACKGROUND_SHARE, 1)
            # rather a shorter slice than another sequence that has to give way
            room = max(self._pools.room(sequence.tables) - sequence.computed, 1)
            limit = min(limit, room, self._pools.most_tokens)
            ids = sequence.ids[sequence.computed : sequence.computed + limit]
            if self._make_room(sequence, sequence.computed + len(ids)):
                is_last = sequence.computed + len(ids) == len(sequence.ids)
                yield Share(sequence, ids, sequence.computed, int(is_last))
                budget -= len(ids)

    def _make_room(self, sequence: Sequence, tokens: int) -> bool:
        """Give the sequence pages for ``tokens`` tokens; False if it had to give way itself."""
        while not self._pools.extend(sequence.tables, tokens):
            last = self._by_rank(self._running)[-1]
            self._preempt(last)
            if last is sequence:
                return False
        return True

    def _preempt(self, sequence: Sequence) -> None:
        """Send a running sequence back to wait, before those that came later."""
        self._running.remove(sequence)
        self._give_back(sequence)
        sequence.computed = 0
        sequence.drafts.clear()
        self._waiting.insert(0, sequence)
