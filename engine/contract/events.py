"""What an engine answers: progress, text, figures, and one terminal event per request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from engine.contract.commands import Command, Sampling
from engine.contract.faults import Fault, Notice
from engine.contract.inspection import PromptToken, TokenChoice


class Support(StrEnum):
    """How a model would run here."""

    FAST = "fast"  # a family of our own
    COMPATIBLE = "compatible"  # transformers' modelling code
    REMOTE = "remote"  # another program, here or elsewhere
    UNSUPPORTED = "unsupported"

    @property
    def runs_here(self) -> bool:
        """Whether this program itself computes the model's replies."""
        return self in {Support.FAST, Support.COMPATIBLE}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model is, read from its files without loading it.

    Zero or empty where the files do not say.
    """

    path: Path
    name: str
    format: str  # "gguf" or "safetensors"
    architecture: str  # "llama", "qwen2", …: the name in the file
    support: Support
    size_bytes: int
    parameters: int
    active_parameters: int
    bits_per_weight: float
    quantization: str  # "Q4_1", "bf16", "gptq-4bit", …
    context_length: int
    layers: int
    vocabulary: int
    cache_bytes_per_token: int  # at 16 bits a value, every layer kept in full
    has_template: bool
    license: str = ""
    publisher: str = ""
    languages: tuple[str, ...] = ()
    weight_bytes: int = 0  # the weights as the engine holds them: larger than some formats' files
    window: int = 0  # tokens that sliding layers look back
    window_bytes_per_token: int = 0  # what of cache_bytes_per_token is in those layers
    server: str = ""  # the address of the server that answers; empty: this program itself
    proxy: str = ""  # what leads to that server, without a password
    writes: bool = True  # False: embeddings, classifiers, speech: it answers nobody


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that a loaded model takes, and the process's peak resident size so far."""

    weights: int
    cache: int
    workspace: int
    peak: int

    @property
    def total(self) -> int:
        """Bytes that would be given back."""
        return self.weights + self.cache + self.workspace


class Stage(StrEnum):
    """What a progress event counts."""

    STARTING = "starting"  # libraries are being loaded; steps
    CONNECTING = "connecting"  # a server is asked; total is unknown
    READING = "reading"  # weights; bytes
    COMPILING = "compiling"  # kernels, once per machine; steps
    PREFILL = "prefill"  # prompt tokens; ``done`` starts at the reused ones
    DOWNLOADING = "downloading"  # bytes
    VERIFYING = "verifying"  # bytes


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` in the stage's unit; total 0 is unknown."""

    request: int
    stage: Stage
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model is ready. Followed by the load's ``Finished``."""

    request: int
    model: ModelFacts
    context: int  # tokens; 0 where a server does not tell
    device: str
    threads: int
    memory: Memory
    default_sampling: Sampling
    can_think: bool  # the template has a reasoning switch or reasoning tags
    load_s: float
    notices: tuple[Notice, ...] = ()


class Channel(StrEnum):
    """Where a piece of generated text belongs."""

    ANSWER = "answer"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"  # a line of JSON for each call: {"name": …, "arguments": …}


@dataclass(frozen=True, slots=True)
class TextDelta:
    """New text of one channel.

    ``tokens`` only when ``GenerateSettings.alternatives`` asked for them.
    """

    request: int
    channel: Channel
    text: str
    tokens: tuple[TokenChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """Figures of a running request, at most a few times a second.

    ``tokens_per_second`` is over the last seconds of decode alone: never prompt time, never a
    pause, and None until there are enough tokens to say anything.
    """

    request: int
    generated_tokens: int
    tokens_per_second: float | None
    time_to_first_token_s: float
    context_used: int
    context_size: int
    memory: Memory


@dataclass(frozen=True, slots=True)
class TokensCounted:
    """The answer to ``CountTokens``; followed by its ``Finished``.

    ``is_estimate`` where a server answers, whose tokens are not known here.
    """

    request: int
    tokens: int
    context: int
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class PromptPage:
    """The answer to ``ReadPrompt``; followed by its ``Finished``.

    ``of`` is the request whose prompt it is, ``first`` the place of the first of ``tokens`` among
    the ``total`` tokens, of which the first ``reused`` were in the cache.
    """

    request: int
    of: int
    first: int
    total: int
    reused: int
    tokens: tuple[PromptToken, ...]


@dataclass(frozen=True, slots=True)
class PromptRendered:
    """The answer to ``RenderPrompt``; followed by its ``Finished``.

    ``marks`` are those of the template that are no control tokens of this model: it reads them
    letter by letter.
    """

    request: int
    text: str
    tokens: int
    marks: tuple[str, ...] = ()


class FinishReason(StrEnum):
    """Why a request ended well."""

    DONE = "done"  # a load, an unload, a count
    END_OF_TURN = "end_of_turn"
    STOP_STRING = "stop_string"
    LENGTH = "length"  # max_tokens
    CONTEXT_FULL = "context_full"
    CANCELLED = "cancelled"
    CONTENT_FILTER = "content_filter"  # a rule of the safety layer ended the reply


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one request."""

    prompt_tokens: int = 0
    reused_tokens: int = 0  # of the prompt, found in the cache
    generated_tokens: int = 0
    reasoning_tokens: int = 0
    left_out_turns: int = 0
    left_out_tokens: int = 0
    context_used: int = 0
    context_size: int = 0


@dataclass(frozen=True, slots=True)
class Timings:
    """Where the time of one request went, in seconds."""

    queue_s: float = 0.0
    tokenize_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    time_to_first_token_s: float = 0.0  # from submission, queue included
    prefill_tokens_per_second: float | None = None
    tokens_per_second: float | None = None  # decode; None below two tokens
    sample_s: float = 0.0  # of decode and prefill: choosing tokens
    detokenize_s: float = 0.0  # likewise: turning ids into the text of channels
    beside_server: bool = False  # measured here while a server wrote: the network is in it


@dataclass(frozen=True, slots=True)
class Finished:
    """The one good end of a request.

    ``ids`` are the sampled ids, to be kept with the turn; ``Generate.begins_with`` leads them.
    """

    request: int
    reason: FinishReason
    usage: Usage = Usage()
    timings: Timings = Timings()
    ids: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The one bad end of a request. Text that was sent before it stays valid."""

    request: int
    fault: Fault


Event = (
    Progress
    | Loaded
    | TextDelta
    | Metrics
    | TokensCounted
    | PromptPage
    | PromptRendered
    | Finished
    | Failed
)
TerminalEvent = Finished | Failed


class CommandRunner(Protocol):
    """What the service drives: the real engine, a remote one, or a double."""

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Yield the command's events, the last of them terminal.

        The service advances several such iterators in turn; requests of one batch share their
        steps below. None is a step that brought nothing for this request: it gives the turn back,
        so that no request ever waits for more than one step of another. An ``EngineError`` raised
        here becomes ``Failed``; anything else a ``Failed`` with ``INTERNAL``.
        """
        ...

    def close(self) -> None:
        """Free everything; no iterator is advanced afterwards."""
        ...
