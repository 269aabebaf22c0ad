"""A model that is ready to answer, and what the engine asks of its text side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.contract import Channel, Memory, Message, ModelFacts, Notice, Sampling, Thinking
from engine.families.model import Model
from engine.kernels.interface import CachePool, Kernels
from engine.kernels.interruption import Interruptible
from engine.pace import Pace
from engine.text.model_text import Prompt


class Tokens(Protocol):
    """Strings to ids and back."""

    @property
    def size(self) -> int:
        """Ids below this exist."""
        ...

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        """Ids of a text; control tokens typed in it are plain text unless ``control``."""
        ...

    def token_bytes(self, id: int) -> bytes:
        """What one token adds to the text."""
        ...

    def is_control(self, id: int) -> bool:
        """Whether a token is never shown as text."""
        ...


class ReplyText(Protocol):
    """Sampled ids to the text of channels; only what is certain is given out."""

    @property
    def stopped(self) -> bool:
        """Whether a stop string was met."""
        ...

    @property
    def inside(self) -> object | None:
        """What of reasoning is open; None in the answer."""
        ...

    def push(self, id: int) -> list[tuple[Channel, str]]:
        """The text that a token made certain; may be empty."""
        ...

    def finish(self) -> list[tuple[Channel, str]]:
        """What was held back, at the end of the reply."""
        ...


class Text(Protocol):
    """A model's tokenizer, template and defaults."""

    @property
    def tokenizer(self) -> Tokens:
        """Strings to ids and back."""
        ...

    @property
    def end_ids(self) -> frozenset[int]:
        """Tokens that end a reply."""
        ...

    @property
    def default_sampling(self) -> Sampling:
        """The model's own numbers, or the contract's."""
        ...

    @property
    def reasoning_openers(self) -> frozenset[int]:
        """Tokens by which the model may open its reasoning itself."""
        ...

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user must be told about the model's text side."""
        ...

    @property
    def can_think(self) -> bool:
        """Whether the template has a reasoning switch or reasoning tags."""
        ...

    def prompt(
        self,
        messages: Sequence[Message],
        *,
        thinking: Thinking = Thinking.AUTO,
        tools: Sequence[str] = (),
        continue_reply: bool = False,
    ) -> Prompt:
        """The conversation through the chat template."""
        ...

    def with_template(self, source: str) -> Text:
        """The same with another chat template; empty is the model's own."""
        ...

    def raw(self, text: str) -> list[int]:
        """Plain text, with the beginning-of-sequence token if the model wants one."""
        ...

    def reply_stream(self, *, stop: Sequence[str] = (), prompt: Prompt | None = None) -> ReplyText:
        """A new reply's text; None is raw text, without a prompt of messages."""
        ...


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """Everything that answering needs.

    Attributes:
        facts: what the files say.
        model: computes.
        text: reads and writes.
        kernels: what the model computes through.
        cache: pages for ``context`` tokens at least.
        context: tokens of the longest conversation.
        memory: what it takes.
        threads: that compute.
        devices: that hold it, the one that batches go to first.
        notices: what the user must be told about the load.
        close: frees what the memory map holds; nothing of the model is touched afterwards.
    """

    facts: ModelFacts
    model: Model
    text: Text
    kernels: Kernels
    cache: CachePool
    context: int
    memory: Memory
    threads: int
    devices: tuple[str, ...] = ("cpu",)
    notices: tuple[Notice, ...] = ()
    close: Callable[[], None] = lambda: None

    def pace(self) -> Pace:
        """How many tokens of a prompt a step holds at first."""
        parameters, kernels = self.facts.active_parameters, self.kernels
        can_end = isinstance(kernels, Interruptible)
        return Pace(parameters, self.threads, kernels.slice_flops, can_end=can_end)
