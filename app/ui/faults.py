"""Every fault and notice as a sentence: what happened, what is kept, what to do, with its figures.

The engine and the store name a kind with figures; here it becomes words in the user's language and,
where there is one, a remedy for the button. ``match`` ends in ``assert_never``: a new kind does not
type-check until it has its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import assert_never

from app.language import Language
from app.ui.template_words import template_words
from app.ui.words import breakable
from engine.contract import Fault, FaultKind, Figure, Notice, NoticeKind


class FaultAction(StrEnum):
    """What the button beside a sentence does."""

    NONE = ""
    RETRY = "retry"  # do again what failed
    CHOOSE_MODEL = "choose_model"
    SHORTER_CONTEXT = "shorter_context"  # load the model again with half the context
    NEW_CHAT = "new_chat"
    EDIT = "edit"  # the question that was refused
    OPEN_SETTINGS = "open_settings"
    EDIT_CONNECTION = "edit_connection"  # of the remote model, at the field that is at fault
    OPEN_FOLDER = "open_folder"
    OPEN_PAGE = "open_page"  # of a hub's model, in a browser
    COPY_DETAIL = "copy_detail"
    CLOSE_WINDOW = "close_window"
    UNDO = "undo"  # of the notices after a deletion; no fault has it


@dataclass(frozen=True, slots=True)
class FaultText:
    """A sentence for a person: its lead is shown bold, ``rest`` follows it."""

    lead: str
    rest: str = ""
    action_label: str = ""
    action: FaultAction = FaultAction.NONE

    @property
    def sentence(self) -> str:
        """The whole text, for screen readers and for places without two weights."""
        gap = " " if self.rest and self.lead[-1:].isascii() else ""
        return f"{self.lead}{gap}{self.rest}"


_PART = re.compile(r"-\d{5}-of-\d{5}\.\w+$")  # one file of a model in several
_BYTES = {"needed", "free", "size", "kept", "expected"}  # sizes where they are whole numbers
_PATHS = {"path", "aside", "copy", "beside"}
BUNDLED_LISTS = ("rude", "sexual", "harm", "personal", "classifier")
"""Rule lists of ours, whose names are texts of the window; other lists are called what they are."""
_DETAILED = {  # their detail is technical and English: it stands behind the sentence
    FaultKind.FILE_DAMAGED,
    FaultKind.CONFIG_INVALID,
    FaultKind.TOKENIZER_INVALID,
    FaultKind.TEMPLATE_INVALID,
    FaultKind.HUB_UNREADABLE,
    FaultKind.SERVER_UNTRUSTED,
    FaultKind.CERTIFICATE_UNREADABLE,
    FaultKind.PROXY_REFUSES,
    FaultKind.SERVER_FOREIGN,
    FaultKind.SERVER_GARBLED,
    FaultKind.SERVER_FAILED,
    FaultKind.SERVER_REFUSED,
    FaultKind.SERVER_FORBIDS,
    FaultKind.SERVER_OVERLOADED,
    FaultKind.MODEL_GONE,
    FaultKind.INTERNAL,
}
_PLACES = {FaultKind.UNWRITABLE, FaultKind.FOLDER_GONE}  # where matters, not the name alone
_HUBS = {"huggingface.co", "modelscope.cn", "www.modelscope.cn"}
SHORTEST_CONTEXT = 1024  # tokens: below this a chat is no use


def fault_text(fault: Fault, language: Language) -> FaultText:
    """Return an engine's fault in words."""
    figures = dict(fault.figures)
    action = _remedy(fault.kind, figures)
    said = said_figures(figures, language)
    if fault.kind in _PLACES:
        said["path"] = breakable(str(figures.get("path", "")))
    if fault.kind is FaultKind.HASH_MISMATCH:
        said |= {k: str(said.get(k, ""))[:12] for k in ("expected", "actual")}
    if fault.kind is FaultKind.TEMPLATE_INVALID:
        said["detail"] = template_words(fault, language)
    text = text_of(f"fault-{_name(fault.kind, figures)}", action, said, language)
    if fault.kind in _DETAILED and said.get("detail"):
        gap = " " if text.rest[-1:].isascii() else ""
        detail = language.text("fault-detail", detail=said["detail"])
        text = replace(text, rest=f"{text.rest}{gap}{detail}")
    return text


def _name(kind: FaultKind, figures: Mapping[str, Figure]) -> str:
    """Return the text's name; some figures tell a different story than their fault usually does."""
    if kind is FaultKind.DISK_FULL and not figures.get("needed"):
        return "disk-filled"  # while something was written whose size nobody can tell
    if kind is FaultKind.DISK_FULL and figures.get("kept"):
        return "disk-short"  # while something was written that goes on from there
    if kind is FaultKind.FILE_TRUNCATED and not figures.get("size"):
        return "file-empty"
    if kind is FaultKind.REMOVAL_REFUSED and not figures.get("reason"):
        return "removal-not-ours"
    if kind is FaultKind.FILE_MISSING and _PART.search(str(figures.get("path", ""))):
        return "part-missing"
    return dashed(kind)


def notice_text(notice: Notice, language: Language) -> FaultText:
    """Return an engine's notice in words."""
    action = FaultAction.NONE
    match notice.kind:
        case NoticeKind.TURNS_LEFT_OUT:
            action = FaultAction.NEW_CHAT
        case NoticeKind.CONTEXT_REDUCED | NoticeKind.CACHE_INEXACT | NoticeKind.THREADS_REDUCED:
            action = FaultAction.OPEN_SETTINGS
        case (
            NoticeKind.TEMPLATE_MISSING
            | NoticeKind.SYSTEM_FOLDED
            | NoticeKind.COMPATIBILITY_MODE
            | NoticeKind.HEAD_TIED
            | NoticeKind.KERNELS_SLOW
            | NoticeKind.SETTINGS_LEFT_OUT
            | NoticeKind.SERVER_CUT
            | NoticeKind.SERVER_FILTERED
            | NoticeKind.INPUT_MASKED
            | NoticeKind.INPUT_WARNED
            | NoticeKind.OUTPUT_MASKED
            | NoticeKind.OUTPUT_WARNED
            | NoticeKind.OUTPUT_STOPPED
            | NoticeKind.RULES_INVALID
            | NoticeKind.RUNTIME_UNUSABLE
        ):
            pass
        case never:
            assert_never(never)
    said = said_figures(notice.figures, language)
    return text_of(f"notice-{dashed(notice.kind)}", action, said, language)


def shorter_context(context: int) -> int:
    """Return the next power of two below a context length, 0 where it would be of no use."""
    half = 1 << max(0, (context - 1).bit_length() - 1)
    return half if half >= SHORTEST_CONTEXT else 0


def _remedy(kind: FaultKind, figures: dict[str, Figure]) -> FaultAction:  # long: a line a kind
    """Return what can be done about a fault; adds the figure that the button's words need."""
    match kind:
        case FaultKind.MEMORY_SHORT:
            shorter = shorter_context(int(figures.get("context", 0)))
            figures["shorter"] = shorter
            action = FaultAction.SHORTER_CONTEXT if shorter else FaultAction.CHOOSE_MODEL
        case (
            FaultKind.FILE_MISSING
            | FaultKind.FILE_TRUNCATED
            | FaultKind.FILE_DAMAGED
            | FaultKind.FORMAT_UNSUPPORTED
            | FaultKind.PICKLE_REFUSED
            | FaultKind.REMOTE_CODE_REFUSED
            | FaultKind.ARCHITECTURE_UNKNOWN
            | FaultKind.MODEL_WRITES_NOT
            | FaultKind.QUANTIZATION_UNSUPPORTED
            | FaultKind.TENSOR_MISSING
            | FaultKind.TENSOR_SHAPE
            | FaultKind.CONFIG_INVALID
            | FaultKind.TOKENIZER_MISSING
            | FaultKind.TOKENIZER_INVALID
            | FaultKind.TEMPLATE_INVALID
            | FaultKind.OUT_OF_MEMORY
            | FaultKind.NO_MODEL
            | FaultKind.FILE_GONE
            | FaultKind.NOTHING_TO_LOAD
        ):
            action = FaultAction.CHOOSE_MODEL
        case (
            FaultKind.ADDRESS_INVALID
            | FaultKind.SERVER_UNTRUSTED
            | FaultKind.CERTIFICATE_UNREADABLE
            | FaultKind.PROXY_INVALID
            | FaultKind.PROXY_REFUSES
            | FaultKind.SERVER_MOVED
            | FaultKind.SERVER_FOREIGN
            | FaultKind.SERVER_FORBIDS
            | FaultKind.KEY_NEEDED
            | FaultKind.KEY_REFUSED
            | FaultKind.MODEL_GONE
        ):
            action = FaultAction.EDIT_CONNECTION
        case (
            FaultKind.FILE_UNREADABLE
            | FaultKind.CONSTRAINT_INVALID
            | FaultKind.BUSY
            | FaultKind.DISK_FULL
            | FaultKind.UNWRITABLE
            | FaultKind.FOLDER_GONE
            | FaultKind.NAME_TAKEN
            | FaultKind.TEXT_EMPTY
            | FaultKind.NETWORK_UNREACHABLE
            | FaultKind.DOWNLOAD_REFUSED
            | FaultKind.NETWORK_SLOW
            | FaultKind.SERVER_BUSY
            | FaultKind.FETCHED_ALREADY
            | FaultKind.FILE_CHANGED
            | FaultKind.HASH_MISMATCH
            | FaultKind.SERVER_UNREACHABLE
            | FaultKind.SERVER_SILENT
            | FaultKind.SERVER_BROKE_OFF
            | FaultKind.SERVER_GARBLED
            | FaultKind.SERVER_FAILED
            | FaultKind.SERVER_REFUSED
            | FaultKind.SERVER_OVERLOADED
            | FaultKind.RULES_INVALID
            | FaultKind.POLICY_INVALID
            | FaultKind.AUDIT_UNWRITABLE
            | FaultKind.RUNTIME_FAILS
            | FaultKind.ENGINE_ENDED
        ):
            action = FaultAction.RETRY
        case FaultKind.PROMPT_TOO_LONG | FaultKind.CONVERSATION_TOO_LONG | FaultKind.INPUT_REFUSED:
            action = FaultAction.EDIT
        case FaultKind.SETTING_INVALID | FaultKind.DEVICE_MISSING:
            action = FaultAction.OPEN_SETTINGS
        case (  # the token, the mirror and the switch are there
            FaultKind.TOKEN_NEEDED
            | FaultKind.TOKEN_REFUSED
            | FaultKind.HUB_ADDRESS_INVALID
            | FaultKind.HUB_UNREADABLE
            | FaultKind.OFFLINE
        ):
            # a mirror may be none; a hub itself comes to again
            is_own = kind is FaultKind.HUB_UNREADABLE and figures.get("host") in _HUBS
            action = FaultAction.RETRY if is_own else FaultAction.OPEN_SETTINGS
        case FaultKind.REMOVAL_REFUSED:  # what is not ours stays refused
            action = FaultAction.RETRY if figures.get("reason") else FaultAction.NONE
        case FaultKind.ACCESS_REFUSED:
            action = FaultAction.OPEN_PAGE
        case FaultKind.INTERNAL:
            action = FaultAction.COPY_DETAIL
        case (
            FaultKind.TEMPLATE_REFUSED
            | FaultKind.PROMPT_EMPTY
            | FaultKind.PROMPT_FORGOTTEN
            | FaultKind.ONLY_LOCALLY
            | FaultKind.OUTPUT_STOPPED
            | FaultKind.CHOICE_MISSING  # the others stand below the sentence
            | FaultKind.RUNTIME_NO_DRIVER
            | FaultKind.RUNTIME_NO_VARIANT
            | FaultKind.RUNTIME_DRIVER_OLD
            | FaultKind.RUNTIME_GPU_OLD
        ):
            action = FaultAction.NONE
        case never:
            assert_never(never)
    return action


def text_of(
    message: str, action: FaultAction, said: dict[str, Figure], language: Language
) -> FaultText:
    """Return the text ``message`` with its figures, and the words of its remedy."""
    label = language.text(f"action-{dashed(action)}", **said) if action else ""
    rest = language.text(f"{message}.more", **said)
    return FaultText(language.text(message, **said), rest, label, action)


def said_figures(figures: Mapping[str, Figure], language: Language) -> dict[str, Figure]:
    """Return figures as they are said: sizes with units, files by name, all texts on one line."""
    said: dict[str, Figure] = {}
    sizes = {n: v for n, v in figures.items() if n in _BYTES and isinstance(v, int)}
    for name, value in figures.items():
        if name == "list" and value in BUNDLED_LISTS:
            said[name] = language.text(f"safety-list-{value}")
        elif name in _PATHS:
            said[name] = PurePath(str(value)).name or str(value)
        elif isinstance(value, str):
            said[name] = " ".join(value.split())[:300]
        else:
            said[name] = value
    return said | language.sizes(sizes)


def dashed(kind: StrEnum) -> str:
    """Return a kind as it stands in the names of texts."""
    return kind.value.replace("_", "-")
