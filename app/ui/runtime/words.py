"""The CUDA runtime in words: what it is here, how far it has come, what stands in the way."""

from __future__ import annotations

from enum import Enum, auto

from app.chat.gpu_runtime import Deed, RuntimeState
from app.language import Language
from app.ui.faults import fault_text
from engine.contract import Fault, FaultKind


class Stand(Enum):
    """What of it can be seen: one of these at a time."""

    LOOKING = auto()
    UNFIT = auto()  # no GPU, or one that it does not fit
    OWN = auto()  # the program came with it
    OFFERED = auto()
    SHORT = auto()  # too little room on the disk
    PAUSED = auto()
    FETCHING = auto()
    UNPACKING = auto()
    REMOVING = auto()
    HERE = auto()
    BROKEN = auto()  # here, and does not start


_BUSY = {
    Deed.LOOKING: Stand.LOOKING,
    Deed.FETCHING: Stand.FETCHING,
    Deed.UNPACKING: Stand.UNPACKING,
    Deed.REMOVING: Stand.REMOVING,
}


def stand_of(state: RuntimeState) -> Stand:
    """Return where the runtime stands."""
    outlook = state.outlook
    if state.deed in _BUSY:
        return _BUSY[state.deed]
    if outlook.found is not None:
        return Stand.BROKEN if outlook.found.unusable else Stand.HERE
    if outlook.has_own:
        return Stand.OWN
    if outlook.variant is None:
        return Stand.UNFIT
    if outlook.needed > outlook.free:
        return Stand.SHORT
    return Stand.PAUSED if outlook.arrived else Stand.OFFERED


def runtime_words(state: RuntimeState, language: Language) -> str:
    """Return where it stands, and before that what went wrong or was done last."""
    stand, outlook = stand_of(state), state.outlook
    if stand is Stand.UNFIT and outlook.fault is not None:
        said = fault_text(outlook.fault, language).sentence
    else:
        said = language.text(f"runtime-{stand.name.lower()}", **_figures(state, language))
    before = ""
    if state.fault is not None:
        before = _fault_words(state.fault, language)
    elif state.freed:
        before = language.text("runtime-freed", freed=language.bytes_text(state.freed))
    elif stand is Stand.HERE and state.is_new:
        said = language.text("runtime-new", **_figures(state, language))
    return "\n\n".join(each for each in (before, said) if each)


def offer_words(state: RuntimeState, language: Language) -> str:
    """Return what the line on the models page says."""
    stand = stand_of(state)
    if stand in {Stand.FETCHING, Stand.UNPACKING, Stand.PAUSED}:
        return language.text(f"runtime-line-{stand.name.lower()}", **_figures(state, language))
    return language.text("runtime-offer", **_figures(state, language))


def _figures(state: RuntimeState, language: Language) -> dict[str, str]:
    outlook = state.outlook
    total = state.total or (outlook.variant.download if outlook.variant else 0)
    unpacked = outlook.variant.unpacked if outlook.variant else 0
    return {
        "gpu": outlook.driver.gpu if outlook.driver else "",
        "driver": outlook.driver.version if outlook.driver else "",
        "download": language.bytes_text(total),
        "unpacked": language.bytes_text(unpacked),
        "done": language.bytes_text(state.done, total),
        "needed": language.bytes_text(outlook.needed, outlook.free),
        "free": language.bytes_text(outlook.free, outlook.needed),
        "held": language.bytes_text(outlook.held),
        "reason": outlook.found.unusable if outlook.found else "",
    }


def _fault_words(fault: Fault, language: Language) -> str:
    """Return what went wrong; where the usual words speak of models, others stand here."""
    match fault.kind:
        case FaultKind.OFFLINE:
            return language.text("runtime-offline")
        case FaultKind.FILE_GONE | FaultKind.DOWNLOAD_REFUSED | FaultKind.HUB_UNREADABLE:
            return language.text("runtime-gone")
        case _:
            return fault_text(fault, language).sentence
