"""What a window asks of an engine: frozen, picklable, each with a request number."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Role(StrEnum):
    """Who wrote a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asked for; ``arguments`` is JSON text."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, as the engine sees it.

    ``ids`` are the token ids that the model really sampled for this reply (reasoning and
    end-of-turn included). With them the engine rebuilds what its cache holds even where the chat
    template would rewrite the turn; empty for anything the model did not write, or that was edited
    since.
    """

    role: Role
    content: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    ids: tuple[int, ...] = ()


class SamplingOrder(StrEnum):
    """When temperature is applied: last, as llama.cpp does, or first, as transformers does."""

    TEMPERATURE_LAST = "temperature_last"
    TEMPERATURE_FIRST = "temperature_first"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn.

    Every step's default is "off", except the three that make up a chat.

    Definitions: ``engine/generation/sampler.py``. ``temperature <= 0`` means the most likely token.
    ``seed`` None draws one; the same seed repeats a reply on the same device and settings.
    """

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.0
    typical_p: float = 1.0
    top_n_sigma: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    repetition_penalty: float = 1.0
    penalty_window: int = 64  # tokens looked back on; -1 is the whole context
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    mirostat_tau: float = 0.0  # 0 is off; replaces the chain after logit bias
    mirostat_eta: float = 0.1
    logit_bias: tuple[tuple[int, float], ...] = ()
    min_tokens: int = 0
    order: SamplingOrder = SamplingOrder.TEMPERATURE_LAST
    seed: int | None = None


class ConstraintKind(StrEnum):
    """The language in which a constraint on the output is written."""

    JSON_SCHEMA = "json_schema"
    REGEX = "regex"
    GRAMMAR = "grammar"  # Lark


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the answer must match, for example a JSON schema as text."""

    kind: ConstraintKind
    text: str


class Thinking(StrEnum):
    """Whether a model that can reason does so: as the template has it, always, or never."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Priority(StrEnum):
    """Which sequences run first when not all can: the visible conversation, or work behind it."""

    FOREGROUND = "foreground"
    BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How a model is loaded; None leaves the choice to the engine."""

    context: int | None = None  # tokens; None: the model's own, as far as memory allows
    device: str | None = None  # "cpu", "cuda" (all GPUs), "cuda:1", "mps"; None: GPUs if any
    threads: int | None = None
    cache_bits: int = 16  # 16 or 8 bits a value of the KV cache
    gpu_layers: int | None = None  # the layers beyond stay on the CPU; None: as many as fit


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """What holds for one reply or completion."""

    sampling: Sampling | None = None  # None: the model's own defaults
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None  # None: until the model ends or the context is full
    alternatives: int = (
        0  # k best alternatives reported with each token; 0: no token details at all
    )
    traces: bool = False  # with each token its way through the sampler; needs ``alternatives``
    constraint: Constraint | None = None
    priority: Priority = Priority.FOREGROUND


@dataclass(frozen=True, slots=True)
class Load:
    """Load a model, in place of the one that is loaded (its running requests end as cancelled).

    ``key`` is what a remote model's server asks for, ``proxy_password`` what the proxy on the way
    to it does; ``is_offline`` refuses servers that are not on this computer.
    """

    request: int
    path: Path
    settings: LoadSettings = LoadSettings()
    key: str = field(default="", repr=False)
    is_offline: bool = False
    proxy_password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Unload:
    """Free the model and its memory."""

    request: int


@dataclass(frozen=True, slots=True)
class Generate:
    """Answer a conversation.

    With ``continue_reply`` the last message is an assistant's and is continued. With
    ``begins_with`` the reply begins with exactly these ids: their text is told, and what is sampled
    follows them.
    """

    request: int
    messages: tuple[Message, ...]
    settings: GenerateSettings = GenerateSettings()
    thinking: Thinking = Thinking.AUTO
    tools: tuple[str, ...] = ()  # each a JSON text in OpenAI's function form
    continue_reply: bool = False
    begins_with: tuple[int, ...] = ()
    template: str = ""  # Jinja in place of the model's own


@dataclass(frozen=True, slots=True)
class Complete:
    """Continue raw text, without a chat template."""

    request: int
    prompt: str
    settings: GenerateSettings = GenerateSettings()


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Count the tokens that these messages would take as a prompt, the template included."""

    request: int
    messages: tuple[Message, ...]
    template: str = ""  # Jinja in place of the model's own
    thinking: Thinking = Thinking.AUTO


@dataclass(frozen=True, slots=True)
class Inspect:
    """Compute a reply's figures again, from the ids that were sampled for it.

    The answer is the reply's own events, text and all, each token with what ``settings`` ask for;
    nothing is drawn. The prompt is made as ``Generate`` would make it from the same values.
    """

    request: int
    messages: tuple[Message, ...]  # up to the question that was answered
    ids: tuple[int, ...]
    settings: GenerateSettings = GenerateSettings()
    thinking: Thinking = Thinking.AUTO
    tools: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True, slots=True)
class RenderPrompt:
    """Make the prompt of a conversation with a template, to be looked at; nothing is answered."""

    request: int
    messages: tuple[Message, ...]
    template: str = ""
    thinking: Thinking = Thinking.AUTO


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """Read a stretch of the prompt of a request in the foreground that asked for traces.

    The last few prompts are kept; an older one is a fault of its own.
    """

    request: int
    of: int  # the request whose prompt it is
    first: int
    count: int


Command = Load | Unload | Generate | Complete | CountTokens | Inspect | ReadPrompt | RenderPrompt
