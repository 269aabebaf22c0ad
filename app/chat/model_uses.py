"""What a model is used for just now: whoever removes it is told what ends with it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelSession
from app.chat.serving import Serving
from app.chat.shrinking import Shrinking, ShrinkPhase


class ModelUse(StrEnum):
    """One of the uses."""

    LOADING = "loading"
    LOADED = "loaded"
    ANSWERING = "answering"  # a chat of the window
    SERVED = "served"  # to other programs
    SHRINKING = "shrinking"  # a smaller copy is being made of it
    COMPARED = "compared"  # with its copy or its original


class ModelUses:
    """Looks at everything that may use a model.

    Args:
        model: which one is loaded.
        chats: whether one of them is being answered.
        serving: whether other programs may ask it.
        shrinking: the copy that is being made or compared.
    """

    def __init__(
        self, model: ModelSession, chats: ChatLibrary, serving: Serving, shrinking: Shrinking
    ) -> None:
        self._model, self._chats = model, chats
        self._serving, self._shrinking = serving, shrinking

    def of(self, path: Path) -> tuple[ModelUse, ...]:
        """Return what a model is used for; nothing where it only lies there."""
        return (*self._of_chosen(path), *self._of_copies(path))

    def _of_chosen(self, path: Path) -> tuple[ModelUse, ...]:
        state, served = self._model.state, (ModelUse.SERVED,) if self._serving.is_on else ()
        if state.path != path:
            return ()
        match state.phase:
            case ModelPhase.LOADING:
                return (ModelUse.LOADING, *served)
            case ModelPhase.READY:
                answers = self._chats.is_any_answering()
                return (ModelUse.ANSWERING if answers else ModelUse.LOADED, *served)
            case ModelPhase.RESTING:  # it comes with the next request
                return served
            case ModelPhase.NONE | ModelPhase.FAILED | ModelPhase.UNLOADING:
                return ()

    def _of_copies(self, path: Path) -> tuple[ModelUse, ...]:
        state = self._shrinking.state
        used = {state.wish.source, state.wish.target} if state.wish is not None else set()
        if not state.runs or path not in used:
            return ()
        is_compared = state.phase is ShrinkPhase.COMPARING
        return (ModelUse.COMPARED if is_compared else ModelUse.SHRINKING,)
