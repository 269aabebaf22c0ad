"""What the advisor says: what was found, its figures, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.contract import Figure

_RATES = frozenset({"swapped_bytes", "bandwidth_bytes", "pace_bytes"})


class Symptom(StrEnum):
    """The question that a finding answers."""

    SLOW = "slow"
    POOR = "poor"
    UNFIT = "unfit"
    FAILED = "failed"


class Level(StrEnum):
    """Whether something is wrong, or how this model or choice just is."""

    CAUSE = "cause"
    NATURE = "nature"


class Remedy(StrEnum):
    """What a button does; the comment says what ``Action.value`` is."""

    THREADS_AUTO = "threads_auto"
    CONTEXT = "context"  # tokens
    CACHE_BITS = "cache_bits"  # 8 or 16
    GPU_AUTO = "gpu_auto"
    DEVICE_AUTO = "device_auto"
    KEEP_LOADED = "keep_loaded"
    UNLOAD = "unload"
    LOAD = "load"  # path of a model that is here; ``name`` is what it is called
    LOAD_AGAIN = "load_again"
    MAKE_SMALLER = "make_smaller"
    MODELS = "models"
    MODEL_SETTINGS = "model_settings"
    SHOW_FILE = "show_file"
    TEMPLATE = "template"  # to be chosen
    OWN_TEMPLATE = "own_template"
    USUAL_SAMPLING = "usual_sampling"
    PENALISE = "penalise"
    NEW_CHAT = "new_chat"
    THINKING_OFF = "thinking_off"
    THINKING_AUTO = "thinking_auto"
    NO_SCHEMA = "no_schema"
    NO_STOPS = "no_stops"
    NO_LIMIT = "no_limit"
    MONITOR = "monitor"
    BENCHMARK = "benchmark"
    LOOK_AGAIN = "look_again"


@dataclass(frozen=True, slots=True)
class Action:
    """A button: what it does, and to what."""

    remedy: Remedy
    value: Figure = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer.

    Attributes:
        rule: the name of the rule, by which its sentence is found.
        symptom: the question.
        level: whether something is wrong.
        figures: what the sentence says. The end of a name is the unit: ``_bytes``, ``_s``,
            ``_share`` (0 to 1), ``_speed`` (tokens a second); all others are counts or names.
        actions: the best first.
    """

    rule: str
    symptom: Symptom
    level: Level = Level.CAUSE
    figures: Mapping[str, Figure] = field(default_factory=dict)
    actions: tuple[Action, ...] = ()

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes that a sentence tells beside each other; what flows in a second is no size."""
        return {
            name: round(value)
            for name, value in self.figures.items()
            if name.endswith("_bytes") and name not in _RATES and not isinstance(value, str)
        }
