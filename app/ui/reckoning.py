"""What a verdict about a model's memory and speed is made of, and how it is said."""

from __future__ import annotations

from dataclasses import dataclass

from app.language import Language
from engine.library.fit import REACHED, Fit, Place, Room

Row = tuple[str, str]
"""What a figure is, and the figure."""


@dataclass(frozen=True, slots=True)
class Here:
    """This computer's memory.

    Attributes:
        room: bytes that are free.
        memory: bytes in all; 0 where that was not read.
        replaced: the name of the model that gives its memory back; empty where it is the same one.
    """

    room: Room
    memory: int
    replaced: str


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a model writes, and from what that follows.

    Attributes:
        read: bytes of weights for each token.
        bandwidth: bytes a second of the memory; 0 where it was not measured.
        speed: tokens a second; 0 where nothing is known.
        is_measured: whether the speed itself was measured here.
    """

    read: float
    bandwidth: float
    speed: float
    is_measured: bool = False


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A verdict with all that it rests on; ``remarks`` are whole sentences."""

    name: str
    fit: Fit
    here: Here
    pace: Pace
    remarks: tuple[str, ...] = ()


def verdict(of: Reckoning, language: Language) -> str:
    """Return the verdict in a sentence or two: what is needed of what, and what can be done."""
    how, text = of.fit, language.text
    figures = {"needed": language.gigabytes(how.need.total), "free": language.gigabytes(how.free)}
    if how.place is Place.UNKNOWN:
        return text("why-unknown")
    if how.place is Place.NOWHERE and how.longest:
        return text(
            "why-too-long",
            context=language.number(how.context),
            longest=language.number(how.longest),
            **figures,
        )
    if how.place is Place.NOWHERE:
        return text("why-too-big", weights=language.bytes_text(how.need.weights), **figures)
    if how.place is Place.CPU:
        return text("why-tight" if how.is_tight else "why-fits", **figures)
    return text(f"why-{how.place.value}", **figures)


def memory_rows(of: Reckoning, language: Language) -> tuple[list[Row], list[Row]]:
    """Return what is needed, and what is there; the last row of each is the sum."""
    text, size, how = language.text, language.bytes_text, of.fit
    if how.place is Place.UNKNOWN:
        needed = [(text("why-weights"), size(how.need.weights))]
    else:
        spare = language.number(how.spare)
        cache = text(
            "why-cache-spare" if how.spare else "why-cache",
            context=language.number(how.context),
            spare=spare,
        )
        needed = [
            (text("why-weights"), size(how.need.weights)),
            (cache, size(how.need.cache)),
            (text("why-workspace"), size(how.need.workspace)),
            (text("why-together"), size(how.need.total)),
        ]
    return needed, _there(of, language)


def pace_rows(of: Reckoning, language: Language) -> list[Row]:
    """Return the longest context, the speed, and what the speed follows from."""
    text, pace = language.text, of.pace
    rows = []
    if of.fit.longest:
        rows.append((text("why-longest"), text("tokens", count=language.number(of.fit.longest))))
    if pace.speed:
        rate = "fact-measured" if pace.is_measured else "fact-expected"
        rows.append((text("why-speed"), text(rate, speed=language.speed(pace.speed))))
    if pace.bandwidth:
        known = text("download-rate", rate=language.bytes_text(round(pace.bandwidth)))
        rows.append((text("why-bandwidth"), known))
    rows.append((text("why-read"), language.bytes_text(round(pace.read))))
    return rows


def pace_sentence(of: Reckoning, language: Language) -> str:
    """Return where the speed comes from, or why there is none."""
    text, pace = language.text, of.pace
    if pace.is_measured:
        return text("why-speed-measured")
    if not pace.bandwidth:
        return text("why-speed-unmeasured")
    if not pace.speed:
        return text("why-speed-none")
    share = f"{100 * REACHED:.0f}"
    return text("why-speed-expected", share=share)


def _there(of: Reckoning, language: Language) -> list[Row]:
    """Return what is free, who holds what, and what remains."""
    text, size, here, how = language.text, language.bytes_text, of.here, of.fit
    on_gpu = how.place in {Place.GPU, Place.PARTLY}
    rows = []
    others = here.memory - here.room.memory - (0 if here.room.gpus else here.room.given_back)
    if here.memory and not on_gpu:
        rows.append((text("why-memory"), size(here.memory)))
        rows.append((text("why-others"), size(max(0, others))))
    rows.append((text(f"why-free-{how.place.value}" if on_gpu else "why-free"), size(how.free)))
    if here.room.given_back:
        whose = "why-replaced" if here.replaced else "why-own"
        rows.append((text(whose, name=here.replaced), size(here.room.given_back)))
    if how.place is Place.UNKNOWN:
        return rows
    left = how.free - how.need.total
    return [*rows, (text("why-left" if left >= 0 else "why-missing"), size(abs(left)))]
