"""What a model is, in words: its bits, its size, its state of loading, how it fits."""

from __future__ import annotations

import re
from pathlib import Path

from app.chat.model_session import ModelPhase
from app.language import Language
from engine.contract import ModelFacts, Progress, Stage, Support
from engine.library.architectures import GGUF_ARCHITECTURES, MODEL_TYPES
from engine.library.compatible import compatible_types
from engine.library.fit import Fit, Place
from engine.library.folders import models_folder
from engine.library.scan import Found
from engine.library.servers.address import is_here, server_name
from engine.library.sources import OTHERS

_BITS = re.compile(r"(?:I?Q|int|fp|bf|f)(\d+)|(\d+)bit", re.IGNORECASE)


def fit_words(how: Fit, language: Language) -> str:
    """Return "Fits · 4.0 of 11.2 GB", and where it would run if that is not the processor."""
    if how.place is Place.UNKNOWN:
        return language.text("fits-unknown")
    if how.place is Place.NOWHERE:
        text_id = "fits-not"
    elif how.place is Place.CPU:
        text_id = "fits-tight" if how.is_tight else "fits"
    else:
        text_id = f"fits-{how.place.value}"
    needed, free = language.gigabytes(how.need.total), language.gigabytes(how.free)
    return language.text(text_id, needed=needed, free=free)


def fit_kind(how: Fit) -> str:
    """Return the kind of badge that says how a model fits."""
    if how.place is Place.NOWHERE:
        return "badge-big"
    if how.place is Place.UNKNOWN:
        return "badge"
    return "badge-tight" if how.is_tight or how.place is Place.PARTLY else "badge-fits"


def unsupported_words(facts: ModelFacts, language: Language) -> str:
    """Return why a model cannot be run, or that it runs by transformers; empty if all is well."""
    if facts.support is Support.COMPATIBLE:
        return language.text("support-compatible")
    if facts.support is Support.REMOTE:
        return server_words(facts.server, language)
    if facts.support is Support.FAST:
        return ""
    if not facts.writes:
        return language.text("support-writes-not")
    if facts.architecture in MODEL_TYPES | GGUF_ARCHITECTURES | compatible_types():
        return language.text("support-format", format=facts.quantization)
    return language.text("support-architecture", architecture=facts.architecture)


def purpose_words(facts: ModelFacts, language: Language) -> str:
    """Return what a model is for, as far as its files say: chat, code, continuing texts."""
    name = facts.name.casefold()
    if not facts.has_template:
        return language.text("purpose-text")
    return language.text("purpose-code" if "code" in name else "purpose-chat")


def bits(facts: ModelFacts) -> int:
    """Return the bits of a weight as people name them: 4 for Q4_K_M, though it takes 4.85."""
    found = _BITS.search(facts.quantization)
    return int(found[1] or found[2]) if found else round(facts.bits_per_weight)


def facts_line(facts: ModelFacts, language: Language) -> str:
    """Return "4-bit · 2.50 GB", or whose words a remote model's are."""
    if facts.server:
        return server_words(facts.server, language)
    size = language.bytes_text(facts.size_bytes)
    return language.text("model-facts", bits=bits(facts), size=size)


def card_line(facts: ModelFacts, language: Language) -> str:
    """Return "2.50 GB · 4-bit · up to 40K context", or where a remote model's words go."""
    if facts.server:
        return server_words(facts.server, language)
    size = language.bytes_text(facts.size_bytes)
    if not facts.context_length:  # an architecture that nobody here knows
        return language.text("model-facts", bits=bits(facts), size=size)
    context = thousands(facts.context_length)
    return language.text("model-card-facts", bits=bits(facts), size=size, context=context)


def place(path: Path, language: Language, found: Found | None = None) -> str:
    """Return where a model lies: in our own folder by name, else its folder, from ~ on."""
    if found is not None and found.source in OTHERS:
        return language.text("place-of", program=language.text(f"source-{found.source.value}"))
    if path.is_relative_to(models_folder()):
        return language.text("place-own")
    folder, home = path.parent, Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def server_words(address: str, language: Language) -> str:
    """Return whether what is written leaves this computer, and to whom."""
    text_id = "remote-here" if is_here(address) else "remote-away"
    return language.text(text_id, host=server_name(address))


def thousands(tokens: int) -> str:
    """Return a context length as it is named: 8K for 8,192, 128K for 131,072."""
    return f"{tokens // 1024}K" if tokens >= 1024 else str(tokens)


def parameters(count: int, language: Language) -> str:
    """Return a number of parameters as it is named: 135 million, 4.02 billion, 1.35 亿."""
    return language.text(
        "parameters-billion" if count >= 1_000_000_000 else "parameters-million",
        millions=f"{count / 1e6:.0f}",
        billions=f"{count / 1e9:.2f}",
        yi=f"{count / 1e8:,.3g}",
    )


def progress_words(progress: Progress, language: Language) -> str:
    """Return what a model that loads is doing: "Reading 62 %"."""
    share = progress.done / progress.total if progress.total else 0.0
    return language.text(f"stage-{progress.stage.value}", percent=f"{100 * share:.0f}")


def progress_share(progress: Progress) -> float:
    """Return how much of the whole loading is done: the stages have fixed parts of it."""
    start, length = _PARTS.get(progress.stage, (0.0, 1.0))
    share = progress.done / progress.total if progress.total else 0.0
    return start + length * min(1.0, share)


# of a first load, most time goes into the libraries; kernels compile once a machine
_PARTS = {
    Stage.STARTING: (0.0, 0.4),
    Stage.CONNECTING: (0.0, 1.0),
    Stage.READING: (0.4, 0.4),
    Stage.COMPILING: (0.8, 0.2),
}


def placeholder_id(phase: ModelPhase, *, is_empty: bool) -> str:
    """Return what the empty message box says."""
    match phase:
        case ModelPhase.NONE | ModelPhase.FAILED:
            return "message-no-model"
        case ModelPhase.LOADING | ModelPhase.UNLOADING:
            return "message-loading"
        case ModelPhase.RESTING:
            return "message-resting"
        case ModelPhase.READY:
            return "message-first" if is_empty else "message-next"
