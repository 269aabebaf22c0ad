"""An update in words: where it stands, why it is refused, what the system is to be asked for."""

from __future__ import annotations

import shlex
from pathlib import Path

from app.language import Language
from app.ui.faults import fault_text
from app.ui.update.updating import Stage, UpdateState
from app.update.form import Form
from engine.contract import Fault, FaultKind

_DAMAGED = {
    FaultKind.HASH_MISMATCH, FaultKind.FILE_CHANGED, FaultKind.FILE_DAMAGED,
}  # fmt: skip
_REFUSED = {
    FaultKind.FILE_GONE, FaultKind.DOWNLOAD_REFUSED, FaultKind.ACCESS_REFUSED,
    FaultKind.TOKEN_NEEDED,
}  # fmt: skip


def title_words(state: UpdateState, language: Language) -> str:
    """Return the dialog's title."""
    if state.release is None:
        return language.text("update-title")
    return language.text("update-version", version=state.release.version)


def update_words(state: UpdateState, form: Form, running: str, language: Language) -> str:
    """Return where an update stands, in a sentence or two."""
    if state.stage is Stage.FAILED and state.fault is not None:
        return _fault_words(state.fault, language)
    size = state.release.size if state.release is not None else 0
    return language.text(
        _text_id(state, form),
        version=running,
        size=language.bytes_text(size),
        done=language.bytes_text(state.done, size),
        package=state.package.name if state.package is not None else "",
    )


def _text_id(state: UpdateState, form: Form) -> str:
    match state.stage:
        case Stage.REFUSED if state.refusal is not None:
            return f"update-refused-{state.refusal.value.replace('_', '-')}"
        case Stage.READY:
            return f"update-ready-{form.value}"
        case Stage.FOUND if state.done:
            return "update-begun"
        case stage:
            return f"update-{stage.name.lower()}"


def _fault_words(fault: Fault, language: Language) -> str:
    """Return what went wrong: faults of files speak of models elsewhere, here of the package."""
    if fault.kind is FaultKind.OFFLINE:
        return language.text("update-offline")
    if fault.kind in _DAMAGED:
        return language.text("update-damaged")
    if fault.kind in _REFUSED:
        address = str(fault.figures.get("address", ""))
        return language.text("update-gone", address=address)
    return fault_text(fault, language).sentence


def install_command(package: Path, *, older: bool = False) -> str:
    """Return what installs a .deb in a terminal."""
    words = ["sudo", "apt", "install", *(["--allow-downgrades"] if older else []), str(package)]
    return shlex.join(words)
