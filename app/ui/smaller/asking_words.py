"""How far a question to both is, how an answer ended, and what went wrong, in words."""

from __future__ import annotations

from collections.abc import Mapping

from app.chat.comparing import UNTOLD, AskState, Said
from app.language import Language
from app.ui.faults import fault_text
from engine.contract import Fault, FaultKind, FinishReason

_LOADING = 0.6  # of a side's share of the bar; the rest is its answer
_PARTS = {  # of loading: where a stage begins and ends
    "starting": (0.0, 0.2), "connecting": (0.0, 0.2), "reading": (0.2, 0.8),
    "compiling": (0.8, 1.0), "prefill": (1.0, 1.0),
}  # fmt: skip
_ENDS = {
    FinishReason.LENGTH.value: "smaller-ended-length",
    FinishReason.CONTEXT_FULL.value: "smaller-ended-context",
    FinishReason.CONTENT_FILTER.value: "smaller-ended-filter",
    UNTOLD: "smaller-ended-untold",
}


def share_of(state: AskState) -> float:
    """How much of the work is done, 0 to 1."""
    done = state.done / state.total if state.total else 0.0
    if state.stage == "answering":
        share = _LOADING + (1 - _LOADING) * done
    else:
        first, last = _PARTS.get(state.stage, (0.0, 0.0))
        share = _LOADING * (first + (last - first) * done)
    if state.source is None:
        return share
    return (share + (state.side == "copy")) / 2


def stage_words(state: AskState, names: Mapping[str, str], language: Language) -> str:
    """Who does what; without names, neither says who."""
    name = names.get(state.side, "")
    if not name:
        return language.text("smaller-asking")
    stage = "answering" if state.stage == "answering" else "loading"
    return language.text(f"smaller-asking-{stage}", name=name)


def how_far(state: AskState, language: Language) -> str:
    """Of the two, how many are through."""
    if state.source is None:
        return ""
    return language.text("smaller-asking-number", number=2 if state.side == "copy" else 1)


def ended_words(said: Said, language: Language) -> str:
    """How an answer ended, where it did not end by itself."""
    if said.ended and not said.text:
        return language.text("smaller-ended-silent")
    text_id = _ENDS.get(said.ended)
    return language.text(text_id, tokens=said.tokens) if text_id else ""


def broken_words(fault: Fault, language: Language) -> str:
    """Why there is no answer."""
    if fault.kind in {FaultKind.MEMORY_SHORT, FaultKind.OUT_OF_MEMORY}:
        figures = {name: int(fault.figures.get(name) or 0) for name in ("needed", "free")}
        return language.text("smaller-ask-memory", **language.sizes(figures))
    if fault.kind is FaultKind.FILE_MISSING:
        return language.text("smaller-ask-missing", path=str(fault.figures.get("path", "")))
    if fault.kind is FaultKind.INTERNAL:
        detail = str(fault.figures.get("detail", ""))[:300]
        return language.text("smaller-broke", detail=detail)
    return fault_text(fault, language).sentence
