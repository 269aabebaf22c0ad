"""What the advisor looks at, gathered elsewhere: plain values, zero or None where unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.contract import (
    Fault,
    Figure,
    LoadSettings,
    Memory,
    ModelFacts,
    NoticeKind,
    Sampling,
    Thinking,
)
from engine.library.fit import Place, Room, fit


class Disk(StrEnum):
    """What the model's file lies on."""

    FAST = "fast"  # or not known
    TURNING = "turning"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Program:
    """Another program and the memory that it holds, in bytes."""

    name: str
    held: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """This computer, now.

    Attributes:
        cores: real ones, that this program may use.
        memory, free: bytes.
        others: of all cores, the share that other programs used while it was looked, 0 to 1.
        swapped: bytes a second that went to or came from the disk for want of memory.
        stalled: the share of the last ten seconds in which some program waited for memory.
        on_battery: whether it runs on its battery.
        saving: whether the system was told to save power.
        bandwidth: bytes a second that the memory delivers, measured; 0 where it was not.
        gpus_free: bytes of all GPUs.
        largest: other programs, those that hold most memory first.
        disk: under the model's file.
    """

    cores: int = 1
    memory: int = 0
    free: int = 0
    others: float = 0.0
    swapped: float = 0.0
    stalled: float = 0.0
    on_battery: bool = False
    saving: bool = False
    bandwidth: float = 0.0
    gpus_free: int = 0
    largest: tuple[Program, ...] = ()
    disk: Disk = Disk.FAST


@dataclass(frozen=True, slots=True)
class Running:
    """The loaded model.

    Attributes:
        model: what its files say.
        settings: what it was loaded with; None there left the choice to the engine.
        context: tokens; ``threads``, ``device``, ``memory`` as the load found them.
        usual: what it samples with unless somebody chose otherwise.
        notices: what the engine said of the load, by kind, each with its figures.
        keep_minutes: of rest, after which it is freed; 0 never.
        same_top: where it is a copy that was compared with its source: the share of next words
            in which both agree; None where nobody compared.
    """

    model: ModelFacts
    settings: LoadSettings
    context: int
    threads: int
    device: str
    memory: Memory
    usual: Sampling
    can_think: bool = False
    load_s: float = 0.0
    notices: Mapping[NoticeKind, Mapping[str, Figure]] = field(default_factory=dict)
    keep_minutes: int = 0
    same_top: float | None = None

    @property
    def by_processor(self) -> bool:
        """Whether the processor computes all of it."""
        return self.device == "cpu" and not self.model.server


@dataclass(frozen=True, slots=True)
class Answered:
    """The last reply, as measured.

    Attributes:
        is_first: whether nothing of its chat was asked before.
        is_cut: whether it ended at a limit instead of its own end.
        characters: of its text; ``packed`` is how small a packer makes it, as a share of them.
    """

    speed: float | None = None  # tokens a second
    first_token_s: float = 0.0
    queue_s: float = 0.0
    prefill_s: float = 0.0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    reasoning_tokens: int = 0
    reasoning_s: float = 0.0
    left_out_turns: int = 0
    beside_server: bool = False
    is_first: bool = True
    is_cut: bool = False
    characters: int = 0
    packed: float = 1.0

    @property
    def new_tokens(self) -> int:
        """Of the prompt, those that had to be read."""
        return self.prompt_tokens - self.reused_tokens


@dataclass(frozen=True, slots=True)
class Wishes:
    """What holds for the chat; None and empty are "as the model and the program have it"."""

    sampling: Sampling | None = None
    thinking: Thinking = Thinking.AUTO
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    has_schema: bool = False
    has_template: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """A model that could not be loaded: why, what it is, and what it was to be loaded with."""

    fault: Fault
    model: ModelFacts
    settings: LoadSettings


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything.

    Attributes:
        here: the models on this computer.
        given_back: bytes of a loaded model that is not the one in question.
    """

    around: Surroundings = field(default_factory=Surroundings)
    running: Running | None = None
    answered: Answered | None = None
    wishes: Wishes = field(default_factory=Wishes)
    refused: Refused | None = None
    here: tuple[ModelFacts, ...] = ()
    given_back: int = 0

    @property
    def room(self) -> Room:
        """What a model could take now, in place of the loaded one."""
        memory = self.running.memory if self.running is not None else None
        given = memory.weights + memory.cache + memory.workspace if memory else 0
        return Room(self.around.free, self.around.gpus_free, given + self.given_back)

    @property
    def sampling(self) -> Sampling | None:
        """What the chat samples with, where that is not what the model samples with anyway."""
        usual = self.running.usual if self.running is not None else None
        return self.wishes.sampling if self.wishes.sampling != usual else None

    def fits(self, model: ModelFacts, context: int, cache_bits: int = 16) -> bool:
        """Whether a model would run here with a context."""
        place = fit(model, context, self.room, cache_bits).place
        return place not in {Place.NOWHERE, Place.UNKNOWN}
