"""The faults of what is kept on disk as sentences, and the line over a chat that is not kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import assert_never

from app.language import Language
from app.store.faults import StoreFault, StoreFaultKind
from app.store.standing import Keeping, Standing
from app.ui.faults import FaultAction, FaultText, dashed, said_figures, text_of


def store_fault_text(fault: StoreFault, language: Language) -> FaultText:
    """Return a fault of what is kept on disk in words."""
    action = FaultAction.NONE
    match fault.kind:
        case (
            StoreFaultKind.DISK_FULL
            | StoreFaultKind.READ_ONLY
            | StoreFaultKind.UNREACHABLE
            | StoreFaultKind.SET_ASIDE
            | StoreFaultKind.SALVAGED
            | StoreFaultKind.COPY_USED
            | StoreFaultKind.SETTINGS_SET_ASIDE
            | StoreFaultKind.NEWER
            | StoreFaultKind.GONE
        ):
            action = FaultAction.OPEN_FOLDER
        case StoreFaultKind.IN_USE:
            action = FaultAction.CLOSE_WINDOW
        case (
            StoreFaultKind.ROW_DAMAGED
            | StoreFaultKind.WRITE_DAMAGED
            | StoreFaultKind.JOINED
            | StoreFaultKind.IMPORT_UNREADABLE
        ):
            pass
        case never:
            assert_never(never)
    said = said_figures(fault.figures, language)
    said["folder"] = str(PurePath(str(fault.figures.get("path", ""))).parent)
    copied = int(fault.figures.get("copied", 0))
    said["copied"] = language.moment(copied) if copied else "none"
    is_beside = fault.kind is StoreFaultKind.NEWER and "beside" in fault.figures
    name = "newer-beside" if is_beside else dashed(fault.kind)
    return text_of(f"store-{name}", action, said, language)


# their usual words speak of what is tried again, or of a file that only was to be read
_TOLD_OTHERWISE = {StoreFaultKind.DISK_FULL, StoreFaultKind.UNREACHABLE, StoreFaultKind.NEWER}


def standing_text(standing: Standing, language: Language) -> FaultText:
    """Return in words why what is said now is not simply on disk, and what can be done."""
    text = store_fault_text(standing.fault, language)
    if standing.keeping is Keeping.MEMORY and standing.fault.kind in _TOLD_OTHERWISE:
        unkept = language.text("store-unkept")
        gap = " " if text.rest[-1:].isascii() else ""
        stays = f"{text.rest}{gap}" if standing.fault.kind is StoreFaultKind.NEWER else ""
        return replace(text, rest=f"{stays}{unkept}")
    return text


def standing_mark(standing: Standing, language: Language) -> str:
    """Return the line that stands over a chat as long as it is kept otherwise than usual."""
    beside = PurePath(str(standing.fault.figures.get("beside", ""))).name
    why = store_fault_text(standing.fault, language).lead
    return language.text(f"keeping-{standing.keeping}", why=why, beside=beside)
