"""What the window knows, as the rules look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.chat.model_session import ModelPhase, ModelSession
from app.chat.options import thinking_of
from app.chat.turn import Turn, TurnState
from app.store.settings import SettingsFile
from app.ui.chat_page import ChatPage
from app.ui.model_shelf import ModelShelf
from engine.contract import (
    EngineError,
    Fault,
    FaultKind,
    Figure,
    Memory,
    ModelFacts,
    NoticeKind,
    Role,
    Sampling,
    Support,
    Thinking,
)
from engine.library.advice.facts import Answered, Facts, Refused, Running, Wishes
from engine.library.advice.gathered import packed_share, running_of, same_top_of
from engine.library.advice.surroundings import Beginning, end_look
from engine.library.fit import Place, fit
from engine.library.gpus import read_gpus
from engine.library.identify import identify

_FAR_BACK = 64  # turns that are looked through for the last answer
_CPU = "cpu"
_NOTHING = Memory(0, 0, 0, 0)
_UNKNOWN = ModelFacts(
    path=Path(), name="", format="", architecture="", support=Support.UNSUPPORTED, size_bytes=0,
    parameters=0, active_parameters=0, bits_per_weight=0.0, quantization="", context_length=0,
    layers=0, vocabulary=0, cache_bytes_per_token=0, has_template=True,
)  # fmt: skip
"""Stands for a model that the shelf does not know, until its files were read."""


class Gathering:
    """Gathers: first what the window has in memory, then what takes a thread.

    Args:
        model: what is loaded, or was refused.
        shelf: the models that are here.
        settings: of the program.
        page: the open chat.
    """

    def __init__(
        self,
        model: ModelSession,
        shelf: ModelShelf,
        settings: SettingsFile,
        page: ChatPage,
    ) -> None:
        self._model, self._shelf, self._settings = model, shelf, settings
        self._page = page

    def name(self) -> str:
        """Return what the model is called that is loaded, or was refused; empty for none."""
        path = self._model.state.path
        if path is None:
            return ""
        loaded = self._model.state.known
        found = loaded.model if loaded is not None else self._found(path)
        return found.name if found is not None else path.stem

    def known(self, chosen: ModelFacts | None = None, broken: Turn | None = None) -> Facts:
        """Return what is known without a look at disk or driver.

        Args:
            chosen: the model that is asked about; None is the one of the chat.
            broken: the reply that is asked about; None is the last one.
        """
        state = self._model.state
        if chosen is not None and not (state.path == chosen.path and state.loaded is not None):
            memory = state.loaded.memory if state.loaded is not None else _NOTHING
            given = memory.weights + memory.cache + memory.workspace
            return Facts(running=self._imagined(chosen), here=self._shelf.models, given_back=given)
        running = refused = None
        if state.loaded is not None and state.path is not None:
            minutes = self._model.settings_of.whole(state.path, "keep_loaded_minutes")
            running = running_of(state.loaded, self._model.loaded_with, minutes)
        elif state.rested is not None:
            running = self._imagined(state.rested.model)
        elif state.phase is ModelPhase.FAILED and state.fault is not None:
            refused = self._refused(state.fault)
        if running is not None and broken is not None and broken.fault is not None:
            refused = Refused(broken.fault, running.model, self._model.loaded_with)
        name = running.model.name if running is not None else ""
        return Facts(
            running=running,
            answered=self._answered(name, broken),
            wishes=self._wishes(),
            refused=refused,
            here=self._shelf.models,
        )

    def complete(self, facts: Facts, begun: Beginning, bandwidth: float) -> Facts:
        """Add what disk, driver and system tell; runs on a thread."""
        gpus = sum(gpu.free for gpu in read_gpus())
        running, refused = facts.running, facts.refused
        if running is not None:
            running = replace(running, same_top=same_top_of(running.model.path))
        if refused is not None and not refused.model.layers:
            refused = _identified(refused)
        model = running.model if running is not None else refused.model if refused else None
        path = model.path if model is not None and not model.server else None
        around = end_look(begun, path, bandwidth, gpus)
        facts = replace(facts, around=around, running=running, refused=refused)
        is_imagined = running is not None and running.device == ""
        return _placed(facts) if is_imagined else facts

    def _imagined(self, model: ModelFacts) -> Running:
        """A model that is not loaded, as it would be: nothing of it is measured."""
        settings = self._model.settings_of.load_settings(model.path)
        context = min(settings.context or 8192, model.context_length or 8192)
        notices: dict[NoticeKind, dict[str, Figure]] = {}
        if not model.has_template and not model.server:
            notices[NoticeKind.TEMPLATE_MISSING] = {}
        usual = Sampling()
        return Running(model, settings, context, 0, "", _NOTHING, usual, notices=notices)

    def _refused(self, fault: Fault) -> Refused | None:
        path = self._model.state.path
        if path is None:
            return None
        return Refused(
            fault, self._found(path) or replace(_UNKNOWN, path=path), self._model.loaded_with
        )

    def _found(self, path: Path) -> ModelFacts | None:
        return next((model for model in self._shelf.models if model.path == path), None)

    def _wishes(self) -> Wishes:
        session = self._page.session
        if session is None:
            return Wishes()
        options = session.options
        thinking = options.thinking or thinking_of(self._settings.settings.thinking)
        return Wishes(
            options.sampling,
            thinking or Thinking.AUTO,
            options.max_tokens,
            options.stop,
            bool(options.schema),
            bool(options.template),
        )

    def _answered(self, name: str, broken: Turn | None) -> Answered | None:
        """The last answer of the open chat, if the loaded model gave it; or the one asked about."""
        session = self._page.session
        turns = session.path() if session is not None else ()
        if broken is not None:  # and what came after it tells of another one
            ids = [turn.id for turn in turns]
            turns = turns[: ids.index(broken.id) + 1] if broken.id in ids else turns
        for number in range(len(turns) - 1, max(len(turns) - _FAR_BACK, 0) - 1, -1):
            turn = turns[number]
            if turn.role is Role.ASSISTANT and turn.figures is not None:
                return _measured(turn, turns, number) if turn.model == name else None
        return None


def _measured(turn: Turn, turns: Sequence[Turn], number: int) -> Answered:
    figures = turn.figures
    if figures is None:
        return Answered()
    return Answered(
        speed=figures.tokens_per_second,
        first_token_s=figures.time_to_first_token_s,
        queue_s=figures.queue_s,
        prefill_s=figures.prefill_s,
        prompt_tokens=figures.prompt_tokens,
        reused_tokens=figures.reused_tokens,
        generated_tokens=figures.generated_tokens,
        reasoning_tokens=figures.reasoning_tokens,
        reasoning_s=figures.reasoning_s,
        left_out_turns=figures.left_out_turns,
        beside_server=figures.beside_server,
        is_first=number < 2 or turns[number - 2].role is not Role.ASSISTANT,
        is_cut=turn.state is TurnState.CUT,
        characters=len(turn.content),
        packed=packed_share(turn.content),
    )


def _identified(refused: Refused) -> Refused:
    """Read what a refused model is; only its name, where its files do not tell."""
    path = refused.model.path
    try:
        return replace(refused, model=identify(path))
    except EngineError:
        return replace(refused, model=replace(refused.model, name=path.stem))


def _placed(facts: Facts) -> Facts:
    """Return facts of a model that is not loaded: refused where it would not fit, else placed."""
    running = facts.running
    if running is None or running.model.server:
        return facts
    model, settings = running.model, running.settings
    here = fit(model, running.context, facts.room, settings.cache_bits)
    if here.place is Place.NOWHERE:
        figures = {"needed": here.need.total, "free": here.free, "context": running.context}
        fault = Fault(FaultKind.MEMORY_SHORT, figures)
        return replace(facts, running=None, refused=Refused(fault, model, settings))
    is_on_gpu = here.place in {Place.GPU, Place.PARTLY}
    device = "cuda" if is_on_gpu and settings.device != _CPU else _CPU
    return replace(facts, running=replace(running, device=device))
